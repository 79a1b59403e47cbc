//! `design.md`: its sections, and how sure its writer is.

use super::all::{Read, is_missing};
use super::issue::{Code, Issue};
use super::requirements::missing_sections;
use crate::spec::outline::{is_decoration, outline};
use crate::spec::sections::Sections;

const FILE: &str = "design.md";

/// The sections, each by how its title begins.
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

/// How sure a writer may be.
pub const CONFIDENCE: [&str; 3] = ["high", "medium", "low"];

/// What a design says about how sure it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confidence<'a> {
    /// One of [`CONFIDENCE`].
    pub level: &'static str,
    /// What follows it.
    pub rest: &'a str,
}

/// Reads the level at the start of the text below `## Confidence`: `medium: …`, `**Low.** …`, `Confidence: high`.
pub fn confidence(body: &str) -> Option<Confidence<'_>> {
    let line = outline(body).lines.into_iter().find(|line| !line.code && !line.text.trim().is_empty())?;
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
    let at = crate::spec::outline::offset_in(body, after);
    let rest = body[at..].trim_start_matches(|c: char| {
        is_decoration(c) || matches!(c, ':' | '.' | ',' | ';' | '-' | '–' | '—')
    });
    Some(Confidence { level, rest: rest.trim_end() })
}

pub(super) fn issues(read: &Read<'_>) -> Vec<Issue> {
    let design = read.files.design;
    if is_missing(design) {
        return Vec::new();
    }
    let mut issues = missing_sections(FILE, design, &SECTIONS);
    if let Some(line) = outline(design).unclosed_fence {
        issues.push(Issue::new(FILE, line, Code::Malformed, "this fence is never closed"));
    }
    let section =
        Sections::of(design).named(&["Confidence"]).filter(|section| !section.body.trim().is_empty());
    if let Some(section) = section.filter(|section| confidence(section.body).is_none()) {
        let message = "the confidence begins with none of high, medium and low";
        issues.push(Issue::new(FILE, section.line, Code::Confidence, message));
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
