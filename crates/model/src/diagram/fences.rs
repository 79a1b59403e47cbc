//! The Mermaid fences of a Markdown text.
//!
//! Only fences of backticks count, the way most renderers and scripts see them. A fence inside another one is
//! its content; a fence that is never closed runs to the end.

/// What the heading above a diagram says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heading {
    /// `## Architecture Diagram`.
    Architecture,
    /// `## Code Flow Diagram`.
    CodeFlow,
    /// Neither.
    Unknown,
}

impl Heading {
    /// The word scripts know it by.
    pub fn as_str(self) -> &'static str {
        match self {
            Heading::Architecture => "architecture",
            Heading::CodeFlow => "code-flow",
            Heading::Unknown => "unknown",
        }
    }
}

/// One diagram of a Markdown text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence<'a> {
    /// What stands between the fences.
    pub body: &'a str,
    /// What it is called.
    pub heading: Heading,
}

/// The Mermaid fences of `text`, whose lines end with `\n`.
pub fn fences(text: &str) -> Vec<Fence<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((opener, start)) = next_opener(text, at) {
        let (end, after) = find_closer(text, start, opener.ticks);
        if opener.info.trim() == "mermaid" {
            found.push(Fence { body: &text[start..end], heading: heading_above(&text[..opener.at]) });
        }
        at = after;
    }
    found
}

/// How many lines above a fence its heading may be.
const LOOK_BACK: usize = 4;

struct Opener<'a> {
    at: usize,
    ticks: usize,
    info: &'a str,
}

/// The next fence that opens at or after `at`, and where its body starts.
fn next_opener(text: &str, mut at: usize) -> Option<(Opener<'_>, usize)> {
    while at < text.len() {
        let end = line_end(text, at);
        // The info of a fence cannot have a backtick in it: that would be code inside a line.
        if let Some((ticks, info)) = fence_line(&text[at..end])
            && !info.contains('`')
        {
            return Some((Opener { at, ticks, info }, (end + 1).min(text.len())));
        }
        at = end + 1;
    }
    None
}

/// Where the body that starts at `at` ends, and where reading goes on.
fn find_closer(text: &str, mut at: usize, ticks: usize) -> (usize, usize) {
    while at < text.len() {
        let end = line_end(text, at);
        if fence_line(&text[at..end])
            .is_some_and(|(closing, info)| closing >= ticks && info.trim().is_empty())
        {
            return (at, end + 1);
        }
        at = end + 1;
    }
    (text.len(), text.len())
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline)
}

/// The number of backticks that open a line, if they make a fence, and what follows them.
fn fence_line(line: &str) -> Option<(usize, &str)> {
    let indent = line.bytes().position(|b| !matches!(b, b' ' | b'\t'))?;
    let line = line.get(indent..).filter(|line| indent <= 3 && line.starts_with("```"))?;
    let info = line.trim_start_matches('`');
    Some((line.len() - info.len(), info))
}

fn heading_above(text: &str) -> Heading {
    let mut heading = Heading::Unknown;
    for line in text.strip_suffix('\n').unwrap_or(text).rsplit('\n').take(LOOK_BACK) {
        match heading_of(line) {
            Heading::CodeFlow => return Heading::CodeFlow,
            Heading::Architecture => heading = Heading::Architecture,
            Heading::Unknown => {}
        }
    }
    heading
}

fn heading_of(line: &str) -> Heading {
    let Some(title) = line.trim().strip_prefix("##").filter(|rest| rest.starts_with([' ', '\t'])) else {
        return Heading::Unknown;
    };
    let title = title.trim();
    if title.eq_ignore_ascii_case("code flow diagram") {
        Heading::CodeFlow
    } else if title.eq_ignore_ascii_case("architecture diagram") {
        Heading::Architecture
    } else {
        Heading::Unknown
    }
}
