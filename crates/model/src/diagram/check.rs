//! Check of one text against the policy, as a diagram or as Markdown with diagrams.

use super::fences::{DiagramKind, MermaidFence, fences};
use super::rules::{PolicyViolation, ReasonToken, inspect};
use std::borrow::Cow;

/// Interpretation of an input text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiagramMode {
    /// As Markdown.
    Markdown,
    /// As one diagram, unless its first line opens a Mermaid fence.
    Detect,
}

/// Result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyReport {
    /// True if the text was read as Markdown.
    pub markdown: bool,
    /// The diagrams, in order. A Markdown text may have none; the caller decides whether that is acceptable.
    pub diagrams: Vec<Diagram>,
}

/// Result for one diagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagram {
    pub heading: DiagramKind,
    pub hits: Vec<PolicyViolation>,
}

impl PolicyReport {
    /// True if no diagram violates the policy.
    pub fn is_ok(&self) -> bool {
        self.diagrams.iter().all(|diagram| diagram.hits.is_empty())
    }

    /// Distinct reason tokens, sorted and separated by spaces.
    pub fn tokens(&self) -> String {
        let hits = self.diagrams.iter().flat_map(|diagram| &diagram.hits);
        let mut tokens: Vec<&str> = hits.map(|hit| hit.token.as_str()).collect();
        tokens.sort_unstable();
        tokens.dedup();
        tokens.join(" ")
    }
}

/// Full parser of diagrams; the error is the line of the problem, if known.
pub type Parser<'a> = dyn FnMut(&str) -> Result<(), Option<usize>> + 'a;

/// Checks a text against the policy, and accepted diagrams with `parser`.
pub fn check(text: &str, mode: DiagramMode, mut parser: Option<&mut Parser<'_>>) -> PolicyReport {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = with_plain_line_ends(text);
    let markdown = mode == DiagramMode::Markdown || starts_with_fence(&text);
    let fences = if markdown {
        fences(&text)
    } else {
        vec![MermaidFence { body: &text, heading: DiagramKind::Unknown }]
    };
    let mut look = |fence: MermaidFence<'_>| {
        let mut hits = inspect(fence.body);
        if let Some(parser) = &mut parser
            && hits.is_empty()
            && let Err(line) = parser(fence.body)
        {
            hits.push(PolicyViolation { token: ReasonToken::ParseError, line: line.unwrap_or(1) });
        }
        Diagram { heading: fence.heading, hits }
    };
    PolicyReport { markdown, diagrams: fences.into_iter().map(&mut look).collect() }
}

/// Normalises line ends: renderers accept `\r\n` and a lone `\r` as well.
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
