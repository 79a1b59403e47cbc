//! Text layout: escapes, measures, cuts and wraps text in screen columns. Wide characters take two.

use charrette_model::escape::one_line;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Makes text from outside safe to show: line ends stay, tabs become blanks, everything else that could move the cursor
/// or hide text is escaped.
pub(crate) fn safe(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| one_line(&line.replace('\t', "    "))).collect();
    lines.join("\n")
}

/// Width of a text in columns.
pub(crate) fn columns(text: &str) -> usize {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain { text.len() } else { text.width() }
}

/// Cuts a text to `most` columns, with `…` at its end.
pub(crate) fn fit(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut cut = head(text, most.saturating_sub(1)).to_owned();
    if most > 0 {
        cut.push('…');
    }
    cut
}

/// Cuts a text or pads it with blanks to `width` columns.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let text = fit(text, width);
    let missing = width.saturating_sub(columns(&text));
    text + &" ".repeat(missing)
}

/// Longest prefix of whole characters that fits.
pub(crate) fn head(text: &str, most: usize) -> &str {
    let mut used = 0;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > most {
            end = at;
            break;
        }
    }
    // A combined character can be wider than each of its parts.
    while columns(&text[..end]) > most {
        end = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    }
    &text[..end]
}

/// Wraps a text to lines of at most `most` columns. Lines break at blanks; words that are longer than a line, and text
/// without blanks, break anywhere. Leading blanks are repeated on every line.
pub(crate) fn wrapped(text: &str, most: usize) -> Vec<String> {
    let most = most.max(2);
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let body = line.trim_start_matches(' ');
        let indent = (line.len() - body.len()).min(most / 2);
        let indent = " ".repeat(indent);
        let room = most - indent.len();
        let mut current = String::new();
        for word in body.split(' ') {
            push_word(word, room, &mut current, &mut |full| lines.push(format!("{indent}{full}")));
        }
        lines.push(format!("{indent}{current}").trim_end().to_owned());
    }
    lines
}

/// Wraps a line that may be painted as a whole; the paint is repeated on every line.
pub(crate) fn wrapped_painted(line: &str, most: usize) -> Vec<String> {
    const RESET: &str = "\u{1b}[0m";
    let paint = if line.starts_with('\u{1b}') { line.find('m').map_or(0, |at| at + 1) } else { 0 };
    let (paint, text) = line.split_at(paint);
    let text = text.strip_suffix(RESET).unwrap_or(text);
    let end = if paint.is_empty() { "" } else { RESET };
    if columns(text) <= most {
        return vec![line.to_owned()];
    }
    wrapped(text, most).iter().map(|part| format!("{paint}{part}{end}")).collect()
}

/// Appends a word to the current line, or to new lines.
fn push_word(word: &str, room: usize, current: &mut String, full: &mut impl FnMut(String)) {
    let gap = usize::from(!current.is_empty());
    if columns(current) + gap + columns(word) <= room {
        current.push_str(&" ".repeat(gap));
        current.push_str(word);
        return;
    }
    if !current.is_empty() {
        full(std::mem::take(current));
    }
    let mut rest = word;
    loop {
        let part = head(rest, room);
        if part.len() == rest.len() {
            break;
        }
        // A character wider than the room never fits: it takes a line anyway.
        let part =
            if part.is_empty() { &rest[..rest.chars().next().map_or(0, char::len_utf8)] } else { part };
        full(part.to_owned());
        rest = &rest[part.len()..];
    }
    rest.clone_into(current);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_line_ends_stay() {
        assert_eq!(safe("a\u{1b}[2Jb\n\tc\r\nd\re"), "a\\u{1b}[2Jb\n    c\nd\\re");
    }

    #[test]
    fn text_is_cut_by_columns() {
        for (text, most, cut) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("レート制限", 10, "レート制限"),
            ("レート制限", 9, "レート制…"),
            ("レート制限", 8, "レート…"),
            ("abc", 0, ""),
        ] {
            assert_eq!(fit(text, most), cut, "{text} in {most}");
            assert!(columns(&fit(text, most)) <= most);
        }
        assert_eq!(padded("制", 4), "制  ");
        assert_eq!(padded("制限制", 4), "制… ");
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_wider_than_it_may_be_and_nothing_is_lost(
            text in "[a-z \n制限é⏭\u{fe0f}\u{200d}👩💻]{0,60}", most in 8_usize..30
        ) {
            proptest::prop_assert!(columns(&fit(&text, most)) <= most);
            let lines = wrapped(&text, most);
            proptest::prop_assert!(lines.iter().all(|line| columns(line) <= most), "{:?}", lines);
            let solid = |text: &str| text.split_whitespace().collect::<String>();
            proptest::prop_assert_eq!(solid(&lines.concat()), solid(&text));
        }
    }

    #[test]
    fn lines_break_at_blanks_and_long_words_anywhere() {
        for (text, most, lines) in [
            ("one two three", 7, vec!["one two", "three"]),
            ("  one two", 6, vec!["  one", "  two"]),
            ("abcdefgh", 3, vec!["abc", "def", "gh"]),
            ("制限制限", 5, vec!["制限", "制限"]),
            ("a\n\nb", 9, vec!["a", "", "b"]),
            ("", 9, vec![""]),
        ] {
            assert_eq!(wrapped(text, most), lines, "{text:?} in {most}");
        }
    }
}
