//! Checks `design.md`: its sections and its confidence level.

use super::issue::{IssueCode, SpecIssue};
use super::requirements::missing_sections;
use super::spec_files::{ParsedSpec, is_missing};
use crate::markdown::{is_decoration, outline};
use crate::spec::sections::Sections;

const FILE: &str = "design.md";

/// Required sections, each by alternative starts of its title.
const SECTIONS: [&[&str]; 10] = [
    &["Overview"],
    &["Architecture"],
    &["Component"],
    &["Data Model"],
    &["Data Flow"],
    &["Error Handling"],
    &["Testing Strategy", "Testing", "Test Strategy"],
    &["Decisions", "Design Decisions", "Key Decisions"],
    &["Risk"],
    &["Confidence"],
];

/// Confidence levels.
pub const CONFIDENCE: [&str; 3] = ["high", "medium", "low"];

/// Parsed confidence section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confidence<'a> {
    /// One of [`CONFIDENCE`].
    pub level: &'static str,
    /// Text after the level.
    pub rest: &'a str,
}

/// Parses the level at the start of the text below `## Confidence`: `medium: …`, `**Low.** …`, `Confidence:
/// high`.
pub fn confidence(body: &str) -> Option<Confidence<'_>> {
    let line = outline(body).lines.into_iter().find(|line| !line.fenced && !line.text.trim().is_empty())?;
    let open = |c: char| is_decoration(c) || matches!(c, '-' | '>' | ':' | '#');
    let mut text = line.text.trim_start_matches(open);
    for label in ["overall confidence", "confidence level", "confidence", "overall", "level"] {
        if let Some((start, rest)) = text.split_at_checked(label.len())
            && start.eq_ignore_ascii_case(label)
        {
            text = rest.trim_start_matches(open);
        }
    }
    let length = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, after) = text.split_at(length);
    let level = CONFIDENCE.into_iter().find(|level| level.eq_ignore_ascii_case(word))?;
    let at = crate::markdown::offset_in(body, after);
    let rest = body[at..].trim_start_matches(|c: char| {
        is_decoration(c) || matches!(c, ':' | '.' | ',' | ';' | '-' | '–' | '—')
    });
    Some(Confidence { level, rest: rest.trim_end() })
}

pub(super) fn issues(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let design = spec.files.design;
    if is_missing(design) {
        return Vec::new();
    }
    let mut issues = missing_sections(FILE, design, &SECTIONS);
    if let Some(fence) = outline(design).unclosed_fence {
        issues.push(SpecIssue::new(FILE, fence.line, IssueCode::Malformed, "this fence is never closed"));
    }
    let section =
        Sections::parse(design).find(&["Confidence"]).filter(|section| !section.body.trim().is_empty());
    if let Some(section) = section.filter(|section| confidence(section.body).is_none()) {
        let message = "the confidence begins with none of high, medium and low";
        issues.push(SpecIssue::new(FILE, section.line, IssueCode::Confidence, message));
    }
    issues
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_is_read_in_many_shapes() {
        for (body, level, rest) in [
            ("medium: the proxy was not tried.", "medium", "the proxy was not tried."),
            ("\n\n**Low.** Nobody looked.\nMore.\n", "low", "Nobody looked.\nMore."),
            ("- Confidence: HIGH", "high", ""),
            ("**Overall confidence:** high — all of it", "high", "all of it"),
            ("`medium`", "medium", ""),
        ] {
            assert_eq!(confidence(body), Some(Confidence { level, rest }), "{body}");
        }
        for none in ["", "highly likely", "Quite sure", "```\nhigh\n```", "mediumish"] {
            assert_eq!(confidence(none), None, "{none}");
        }
    }
}
