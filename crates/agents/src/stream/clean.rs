//! Removes escape sequences, control characters and broken UTF-8 from text.

use std::borrow::Cow;

/// Maximum length of a message in characters.
const MESSAGE_CHARS: usize = 300;

/// Text without escape sequences and control characters, except line ends and tabs.
pub(crate) fn text(raw: &str) -> String {
    strip(raw, |c| matches!(c, '\n' | '\t'))
}

/// One line of output without control characters, which JSON cannot contain.
pub(crate) fn line(raw: &[u8]) -> Cow<'_, str> {
    let line = String::from_utf8_lossy(raw);
    if line.contains(char::is_control) { Cow::Owned(strip(&line, |c| c == '\t')) } else { line }
}

/// Text as one line of a message: white space folded, cut to the maximum length.
pub(crate) fn one_line(raw: &str) -> String {
    // Cleaning removes text, so more than the maximum is examined, but not all of a very long one.
    let raw = start(raw, 16 * MESSAGE_CHARS);
    let cleaned = text(raw);
    let mut line = String::new();
    for (seen, c) in cleaned
        .split_whitespace()
        .flat_map(|word| word.chars().chain([' ']))
        .enumerate()
        .take(MESSAGE_CHARS + 1)
    {
        line.push(if seen == MESSAGE_CHARS { '…' } else { c });
    }
    line.truncate(line.trim_end().len());
    line
}

/// At most `max_bytes` from the start, whole characters only.
pub(crate) fn start(raw: &str, max_bytes: usize) -> &str {
    &raw[..raw.floor_char_boundary(max_bytes)]
}

fn strip(raw: &str, keep: fn(char) -> bool) -> String {
    let mut clean = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(|c: char| c.is_control() && !keep(c)) {
        clean.push_str(&rest[..at]);
        rest = after_control(&rest[at..]);
    }
    clean.push_str(rest);
    clean
}

/// The text after the control character or escape sequence at the start of `rest`.
fn after_control(rest: &str) -> &str {
    let mut chars = rest.chars();
    let introducer = match chars.next() {
        Some('\u{1b}') => chars.next(),
        // The same in one character.
        Some('\u{9b}') => Some('['),
        Some('\u{9d}') => Some(']'),
        Some('\u{90}') => Some('P'),
        _ => return chars.as_str(),
    };
    match introducer {
        Some('[') => after_control_sequence(chars.as_str()),
        Some(']' | 'P' | 'X' | '^' | '_') => after_string(chars.as_str()),
        Some(' '..='/') => {
            let rest = chars.as_str().trim_start_matches(|c| matches!(c, ' '..='/'));
            rest.strip_prefix(|c| matches!(c, '0'..='~')).unwrap_or(rest)
        }
        Some('0'..='~') => chars.as_str(),
        // A lone escape character: only it goes.
        _ => &rest[1..],
    }
}

/// Skips parameters and one final character. An incomplete sequence ends at the first character that is not
/// part of one.
fn after_control_sequence(rest: &str) -> &str {
    let rest =
        rest.trim_start_matches(|c| matches!(c, '0'..='?')).trim_start_matches(|c| matches!(c, ' '..='/'));
    rest.strip_prefix(|c| matches!(c, '@'..='~')).unwrap_or(rest)
}

/// Skips to the terminator; without one, to the end of the line.
fn after_string(rest: &str) -> &str {
    let Some(at) = rest.find(['\u{7}', '\u{9c}', '\u{1b}', '\n']) else { return "" };
    let end = &rest[at..];
    match end.strip_prefix("\u{1b}\\") {
        Some(after) => after,
        None if end.starts_with(['\n', '\u{1b}']) => end,
        None => end.strip_prefix(['\u{7}', '\u{9c}']).unwrap_or(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_is_left_of_a_text() {
        let cases = [
            ("plain, déjà vu\n\tand more", "plain, déjà vu\n\tand more"),
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("\u{9b}31mred\u{9b}m", "red"),
            ("a\u{1b}]0;title\u{7}b\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "ablink"),
            ("a\u{1b}]0;never ends\nb", "a\nb"),
            ("a\u{1b}Pq#0\u{1b}\\b", "ab"),
            ("a\u{1b}(Bb\u{1b}7c\u{1b}", "abc"),
            ("a\u{1b}[31", "a"),
            ("a\u{1b}[31é", "aé"),
            ("a\u{1b}éb", "aéb"),
            ("a\u{1b}(éb", "aéb"),
            ("nul\0 bell\u{7} back\u{8} del\u{7f} nel\u{85}", "nul bell back del nel"),
            ("one\r\ntwo\rthree", "one\ntwothree"),
            ("", ""),
        ];
        for (raw, clean) in cases {
            assert_eq!(text(raw), clean, "{raw:?}");
        }
    }

    #[test]
    fn a_line_of_json_is_freed_of_what_json_cannot_hold() {
        assert_eq!(line(b"\x1b[2K{\"a\":\"b\0\"}\r"), "{\"a\":\"b\"}");
        assert_eq!(line(b"{\"a\":\"\xf0\x9f\"}"), "{\"a\":\"\u{fffd}\"}");
        assert!(matches!(line(b"{}"), Cow::Borrowed("{}")));
    }

    #[test]
    fn a_message_is_one_line_of_bounded_length() {
        assert_eq!(one_line("  two\n\n lines\t\u{1b}[1mhere "), "two lines here");
        assert_eq!(one_line(&"é".repeat(5000)).chars().count(), MESSAGE_CHARS + 1);
        assert_eq!(one_line(""), "");
    }
}
