//! Trims decoration from the ends of a title, without breaking inline code or emphasis that begins or ends there.

use super::MARKS;

/// Trims characters that `is_trimmed` accepts from both ends of a text. A mark of code or emphasis stays if its partner
/// is inside: "**T** — use" followed by code keeps the code, and loses the separators.
pub fn trim_around(text: &str, is_trimmed: impl Fn(char) -> bool) -> &str {
    let start = trim_before(text, &is_trimmed);
    let inside = start.trim_end_matches(&is_trimmed);
    let tail = &start[inside.len()..];
    let run = tail.len() - tail.trim_start_matches(MARKS).len();
    &start[..inside.len() + partnered(inside, tail[..run].chars())]
}

/// Trims only the start.
pub fn trim_before(text: &str, is_trimmed: impl Fn(char) -> bool) -> &str {
    let inside = text.trim_start_matches(&is_trimmed);
    let lead = &text[..text.len() - inside.len()];
    let run = lead.len() - lead.trim_end_matches(MARKS).len();
    let kept = partnered(inside, lead[lead.len() - run..].chars().rev());
    &text[lead.len() - kept..]
}

/// Number of marks, from the innermost on, whose partner is in `inside`.
fn partnered(inside: &str, marks: impl Iterator<Item = char>) -> usize {
    let marks: Vec<char> = marks.collect();
    let groups = marks.chunk_by(|one, other| one == other);
    groups
        .take_while(|group| {
            let mark: String = group.iter().collect();
            inside.matches(mark.as_str()).count() % 2 == 1
        })
        .map(<[char]>::len)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::super::is_decoration;
    use super::*;
    use proptest::prelude::*;

    fn is_trimmed(c: char) -> bool {
        is_decoration(c) || matches!(c, ':' | '.' | '-' | '–' | '—')
    }

    #[test]
    fn separators_go_and_inline_code_stays() {
        for (text, expected) in [
            (": Title", "Title"),
            (":** Title", "Title"),
            (":**Title", "Title"),
            ("` — Title", "Title"),
            (": `answer` says why", "`answer` says why"),
            (": `answer`", "`answer`"),
            ("— use `x`.", "use `x`"),
            ("**Bold** first", "**Bold** first"),
            (" **`code`** first", "**`code`** first"),
            (": the end is **bold**", "the end is **bold**"),
            ("`open only", "open only"),
            ("closed only`", "closed only"),
            ("a `b` and c`", "a `b` and c"),
            (" -- ", ""),
            ("", ""),
        ] {
            assert_eq!(trim_around(text, is_trimmed), expected, "{text}");
        }
        assert_eq!(trim_before(": `x` y: ", is_trimmed), "`x` y: ");
    }

    proptest! {
        #[test]
        fn a_part_of_the_text_is_left(text in "(\\PC|[-*_`: ]){0,40}") {
            let trimmed = trim_around(&text, is_trimmed);
            prop_assert!(text.contains(trimmed));
            prop_assert_eq!(trim_around(trimmed, is_trimmed), trimmed);
        }
    }
}
