//! Markdown, line by line: what is prose and what is not, and the few shapes a line of prose can have.
//!
//! This is no Markdown parser. Specifications are read by the shapes people and agents really write, and
//! everything else is text.

/// One line, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its 1-based number.
    pub number: usize,
    /// What it says.
    pub text: &'a str,
    /// Whether it is code: inside a fence, or a fence itself.
    pub code: bool,
}

/// The lines of a text that are shown to its readers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline<'a> {
    /// Without those that are commented out.
    pub lines: Vec<Line<'a>>,
    /// The line of a fence that is never closed.
    pub unclosed_fence: Option<usize>,
    /// Everything at the end is commented out.
    pub ends_in_comment: bool,
}

/// Splits a text into its lines.
pub fn outline(text: &str) -> Outline<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut outline = Outline::default();
    let mut fence: Option<(char, usize, usize)> = None;
    let mut in_comment = false;
    for (index, text) in text.lines().enumerate() {
        let number = index + 1;
        if in_comment {
            in_comment = !text.contains("-->");
            continue;
        }
        let code = match (fence, fence_of(text)) {
            (None, None) => false,
            (None, Some((mark, length, _))) => {
                fence = Some((mark, length, number));
                true
            }
            (Some((mark, length, _)), Some((closing, closing_length, ""))) => {
                if closing == mark && closing_length >= length {
                    fence = None;
                }
                true
            }
            (Some(_), _) => true,
        };
        if !code && text.trim_start().starts_with("<!--") {
            in_comment = !text.contains("-->");
            continue;
        }
        outline.lines.push(Line { number, text, code });
    }
    outline.ends_in_comment = in_comment;
    outline.unclosed_fence = fence.map(|(_, _, number)| number);
    outline
}

/// The mark, length and info of a fence.
fn fence_of(line: &str) -> Option<(char, usize, &str)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let length = line.len() - info.len();
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length, info))
}

/// Level and title of a heading.
pub fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim();
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    let title = ((1..=6).contains(&level) && title.starts_with([' ', '\t'])).then(|| title.trim())?;
    let open = title.trim_end_matches('#');
    Some((level, if open.ends_with([' ', '\t']) { open.trim_end() } else { title }))
}

/// What follows the marker of a list item.
pub fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let marked = if digits == 0 {
        line.strip_prefix(['-', '*', '+'])
    } else {
        line[digits..].strip_prefix(['.', ')'])
    };
    marked.filter(|rest| rest.starts_with([' ', '\t'])).map(str::trim_start)
}

/// A box at the start of a text: whether it is ticked, and what follows it.
pub fn boxed(text: &str) -> Option<(bool, &str)> {
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

/// A line `**Label:** value`, `- Label: value` or `label: value`: the label in lower case without its
/// decoration, and the value as it stands.
pub fn labelled(line: &str) -> Option<(String, &str)> {
    let text = item(line).unwrap_or(line).trim();
    let (label, value) = text.split_once(':')?;
    let label = label.trim_matches(is_decoration).trim().to_lowercase();
    // A sentence with a colon in it is no label.
    (!label.is_empty() && label.split_whitespace().count() <= 4)
        .then(|| (label, value.trim_start_matches(is_decoration)))
}

/// Emphasis and the spaces around it.
pub fn is_decoration(c: char) -> bool {
    matches!(c, '*' | '_' | '\\' | '`') || c.is_whitespace()
}

/// Where a part of a line begins in it.
pub(crate) fn offset_in(line: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize).min(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(usize, bool)> {
        outline(text).lines.iter().map(|line| (line.number, line.code)).collect()
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
        assert_eq!(outline("a\n```\nb").unclosed_fence, Some(2));
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
        assert_eq!(boxed("[x] a"), Some((true, "a")));
        assert_eq!(boxed("[ ]"), Some((false, "")));
        assert_eq!(boxed("[link](x)"), None);
        assert_eq!(boxed("[x](y)"), None);
        assert_eq!(boxed("["), None);
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
            assert_eq!(labelled(line), Some((label.to_owned(), value)), "{line}");
        }
        assert_eq!(labelled("this sentence has a colon: here"), None);
        assert_eq!(labelled("no colon"), None);
    }
}
