//! The Mermaid fences of a Markdown text.
//!
//! Only fences of backticks count, the way most renderers and scripts see them. A fence inside another one is
//! its content; an unclosed fence runs to the end.

use crate::markdown::{FenceMark, fences_where};

/// Kind of a diagram, by the heading above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiagramKind {
    /// `## Architecture Diagram`
    Architecture,
    /// `## Code Flow Diagram`
    CodeFlow,
    Unknown,
}

impl DiagramKind {
    /// Token of the kind in the output of `diagram check`.
    pub fn as_str(self) -> &'static str {
        match self {
            DiagramKind::Architecture => "architecture",
            DiagramKind::CodeFlow => "code-flow",
            DiagramKind::Unknown => "unknown",
        }
    }
}

/// Mermaid fence of a Markdown text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MermaidFence<'a> {
    pub body: &'a str,
    pub heading: DiagramKind,
}

/// The Mermaid fences of `text`, whose lines end with `\n`.
pub fn fences(text: &str) -> Vec<MermaidFence<'_>> {
    fences_where(text, is_mark)
        .into_iter()
        .filter(|block| block.info == "mermaid")
        .map(|block| MermaidFence { body: block.content, heading: heading_above(&text[..block.opening]) })
        .collect()
}

/// Most renderers and scripts accept backticks only, indented by at most three blanks.
fn is_mark(mark: &FenceMark<'_>) -> bool {
    mark.byte == b'`' && mark.indent.len() <= 3 && mark.indent.bytes().all(|b| matches!(b, b' ' | b'\t'))
}

/// Maximum distance in lines from a heading to its fence.
const LOOK_BACK: usize = 4;

fn heading_above(text: &str) -> DiagramKind {
    let mut heading = DiagramKind::Unknown;
    for line in text.strip_suffix('\n').unwrap_or(text).rsplit('\n').take(LOOK_BACK) {
        match heading_of(line) {
            DiagramKind::CodeFlow => return DiagramKind::CodeFlow,
            DiagramKind::Architecture => heading = DiagramKind::Architecture,
            DiagramKind::Unknown => {}
        }
    }
    heading
}

fn heading_of(line: &str) -> DiagramKind {
    let Some(title) = line.trim().strip_prefix("##").filter(|rest| rest.starts_with([' ', '\t'])) else {
        return DiagramKind::Unknown;
    };
    let title = title.trim();
    if title.eq_ignore_ascii_case("code flow diagram") {
        DiagramKind::CodeFlow
    } else if title.eq_ignore_ascii_case("architecture diagram") {
        DiagramKind::Architecture
    } else {
        DiagramKind::Unknown
    }
}
