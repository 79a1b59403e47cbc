//! One text held against the rules, as a diagram or as Markdown with diagrams in it.

use super::fences::{Fence, Heading, fences};
use super::rules::{Hit, Token, inspect};
use std::borrow::Cow;

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As Markdown.
    Markdown,
    /// As one diagram, unless its first line opens a Mermaid fence.
    Detect,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Whether the text was read as Markdown.
    pub markdown: bool,
    /// The diagrams, in order. A Markdown text may have none; whether that is enough is the caller's question.
    pub diagrams: Vec<Diagram>,
}

/// What was found about one diagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagram {
    /// What it is called.
    pub heading: Heading,
    /// What is wrong with it.
    pub hits: Vec<Hit>,
}

impl Report {
    /// Whether nothing is wrong with any diagram.
    pub fn is_ok(&self) -> bool {
        self.diagrams.iter().all(|diagram| diagram.hits.is_empty())
    }

    /// The reasons, sorted, each once, with spaces between.
    pub fn tokens(&self) -> String {
        let hits = self.diagrams.iter().flat_map(|diagram| &diagram.hits);
        let mut tokens: Vec<&str> = hits.map(|hit| hit.token.as_str()).collect();
        tokens.sort_unstable();
        tokens.dedup();
        tokens.join(" ")
    }
}

/// A real parser: where a diagram is wrong, if the parser knows, or that it is right.
pub type Parser<'a> = dyn FnMut(&str) -> Result<(), Option<usize>> + 'a;

/// Holds a text against the rules, and what they accept against `parser`.
pub fn check(text: &str, mode: Mode, mut parser: Option<&mut Parser<'_>>) -> Report {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = with_plain_line_ends(text);
    let markdown = mode == Mode::Markdown || starts_with_fence(&text);
    let fences =
        if markdown { fences(&text) } else { vec![Fence { body: &text, heading: Heading::Unknown }] };
    let mut look = |fence: Fence<'_>| {
        let mut hits = inspect(fence.body);
        if let Some(parser) = &mut parser
            && hits.is_empty()
            && let Err(line) = parser(fence.body)
        {
            hits.push(Hit { token: Token::ParseError, line: line.unwrap_or(1) });
        }
        Diagram { heading: fence.heading, hits }
    };
    Report { markdown, diagrams: fences.into_iter().map(&mut look).collect() }
}

/// Renderers take `\r\n` and a lone `\r` for a line end as well, and what they see is what counts.
pub(super) fn with_plain_line_ends(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split('\r');
    plain.extend(parts.next());
    for part in parts {
        if !part.starts_with('\n') {
            plain.push('\n');
        }
        plain.push_str(part);
    }
    Cow::Owned(plain)
}

fn starts_with_fence(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| line.trim_end() == "```mermaid")
}
