//! Markdown of specifications: lines without comments, and the shapes a line of prose can have.
//!
//! Specifications are read by the shapes that people and agents really write; everything else is text.

use super::fences::{FenceMark, FenceState};
use super::lines::{Line, lines, list_marker};

/// The lines of a text that are shown to its readers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline<'a> {
    /// Lines that are not commented out.
    pub lines: Vec<Line<'a>>,
    pub unclosed_fence: Option<UnclosedFence<'a>>,
    /// True if the text ends inside an HTML comment.
    pub ends_in_comment: bool,
}

/// Fence that runs to the end of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnclosedFence<'a> {
    /// Number of the opening line.
    pub line: usize,
    pub mark: FenceMark<'a>,
}

/// Splits a text into lines and drops HTML comments that begin a line.
pub fn outline(text: &str) -> Outline<'_> {
    let mut outline = Outline::default();
    let (mut fence, mut opening) = (FenceState::default(), 0);
    for line in lines(text) {
        if outline.ends_in_comment {
            outline.ends_in_comment = !line.text.contains("-->");
            continue;
        }
        // A state of its own: marks inside a comment open no fence.
        let was_open = fence.open().is_some();
        let fenced = fence.advance(line.text);
        if fenced && !was_open {
            opening = line.number;
        }
        if !fenced && line.text.trim_start().starts_with("<!--") {
            outline.ends_in_comment = !line.text.contains("-->");
            continue;
        }
        outline.lines.push(Line { fenced, ..line });
    }
    outline.unclosed_fence = fence.open().map(|mark| UnclosedFence { line: opening, mark });
    outline
}

/// Parses an ATX heading: its level and its title without closing hashes.
pub fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim();
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    let title = ((1..=6).contains(&level) && title.starts_with([' ', '\t'])).then(|| title.trim())?;
    let open = title.trim_end_matches('#');
    Some((level, if open.ends_with([' ', '\t']) { open.trim_end() } else { title }))
}

/// Text of a list item.
pub fn item(line: &str) -> Option<&str> {
    let (_, text) = list_marker(line.trim_start())?;
    text.starts_with([' ', '\t']).then(|| text.trim_start())
}

/// Parses a check box at the start of a text: true if it is ticked, and the text after it.
pub fn parse_checkbox(text: &str) -> Option<(bool, &str)> {
    let inside = text.strip_prefix('[')?;
    let mark = inside.chars().next()?;
    let rest = inside[mark.len_utf8()..].strip_prefix(']')?;
    let ticked = match mark {
        'x' | 'X' | '✓' | '✔' => true,
        ' ' | '-' | '~' | '/' => false,
        _ => return None,
    };
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| (ticked, rest.trim_start()))
}

/// Parses `**Label:** value`, `- Label: value` or `label: value`: the label in lower case without its decoration, and
/// the value as it stands.
pub fn parse_label(line: &str) -> Option<(String, &str)> {
    let text = item(line).unwrap_or(line).trim();
    let (label, value) = text.split_once(':')?;
    let label = label.trim_matches(is_decoration).trim().to_lowercase();
    // A sentence with a colon in it is no label.
    (!label.is_empty() && label.split_whitespace().count() <= 4)
        .then(|| (label, value.trim_start_matches(is_decoration)))
}

/// True for emphasis, escapes and white space.
pub fn is_decoration(c: char) -> bool {
    matches!(c, '*' | '_' | '\\' | '`') || c.is_whitespace()
}

/// Byte offset of a part of a line within that line.
pub(crate) fn offset_in(line: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize).min(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(usize, bool)> {
        outline(text).lines.iter().map(|line| (line.number, line.fenced)).collect()
    }

    #[test]
    fn code_and_comments_are_told_apart() {
        assert_eq!(
            shown("a\n```rust\nb\n```\nc\n"),
            [(1, false), (2, true), (3, true), (4, true), (5, false)]
        );
        assert_eq!(shown("~~~\n```\n~~~\na"), [(1, true), (2, true), (3, true), (4, false)]);
        assert_eq!(shown("````\n```\n`````\na"), [(1, true), (2, true), (3, true), (4, false)]);
        assert_eq!(shown("``` `x` ```\na"), [(1, false), (2, false)]);
        assert_eq!(shown("<!-- a -->\nb\n<!--\nc\n--> d\ne"), [(2, false), (6, false)]);
        assert_eq!(outline("a\n```\nb").unclosed_fence.map(|fence| fence.line), Some(2));
        assert_eq!(outline("a\r\n\u{feff}b\r\n").lines[0].text, "a");
    }

    #[test]
    fn shapes_of_lines() {
        assert_eq!(heading("## Phase 1: X ##"), Some((2, "Phase 1: X")));
        assert_eq!(heading("### C#"), Some((3, "C#")));
        assert_eq!(heading("#hash"), None);
        assert_eq!(heading("####### seven"), None);
        assert_eq!(item("  - [ ] x"), Some("[ ] x"));
        assert_eq!(item("12. x"), Some("x"));
        assert_eq!(item("-x"), None);
        assert_eq!(item("1x"), None);
        assert_eq!(parse_checkbox("[x] a"), Some((true, "a")));
        assert_eq!(parse_checkbox("[ ]"), Some((false, "")));
        assert_eq!(parse_checkbox("[link](x)"), None);
        assert_eq!(parse_checkbox("[x](y)"), None);
        assert_eq!(parse_checkbox("["), None);
    }

    #[test]
    fn labels_lose_their_decoration() {
        for (line, label, value) in [
            ("**Status:** done", "status", "done"),
            ("- **Depends on**: T001, T002", "depends on", "T001, T002"),
            ("depends_on: [1, 2]", "depends_on", "[1, 2]"),
            ("**\\_Prompt:**", "prompt", ""),
            ("_Prompt: Role: x_", "prompt", "Role: x_"),
            ("files:", "files", ""),
        ] {
            assert_eq!(parse_label(line), Some((label.to_owned(), value)), "{line}");
        }
        assert_eq!(parse_label("this sentence has a colon: here"), None);
        assert_eq!(parse_label("no colon"), None);
    }
}
