//! Escaping of untrusted text for one line of a terminal or log.
//!
//! Names, paths and messages can carry newlines, escape sequences or bidirectional overrides; a log line that
//! repeats them raw could forge other lines. Text written to files is not escaped.

use std::fmt;

/// Maximum length of a quoted text, in characters.
const PRINTABLE_CHARS: usize = 200;

/// Displays `text` on one line: control and direction characters escaped, shortened.
pub fn printable(text: &str) -> Printable<'_> {
    Printable(text)
}

#[derive(Debug, Clone, Copy)]
pub struct Printable<'a>(&'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (seen, c) in self.0.chars().enumerate() {
            if seen == PRINTABLE_CHARS {
                return f.write_str("…");
            }
            if needs_escape(c) {
                write!(f, "{}", c.escape_default())?;
            } else {
                write!(f, "{c}")?;
            }
        }
        Ok(())
    }
}

/// Escapes the control characters of each line; line breaks stay.
pub fn printable_lines(text: &str) -> String {
    text.lines().map(|line| printable(line).to_string()).collect::<Vec<_>>().join("\n")
}

/// Escapes a whole message to one line, nothing shortened: for the last step before a log line is written.
pub fn one_line(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let escaped = needs_escape(c).then(|| c.escape_default());
            let plain = escaped.is_none().then_some(c);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

/// A word for the command line of a POSIX shell, quoted where it must be, nothing shortened.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_newlines_cannot_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31m\nb\u{202e}c").to_string(), "a\\u{1b}[31m\\nb\\u{202e}c");
        assert_eq!(one_line("two\nlines\tand déjà"), "two\\nlines\\tand déjà");
    }

    #[test]
    fn words_for_a_shell_are_quoted_where_they_must_be() {
        for (text, word) in [
            ("/x/.git/index.lock", "/x/.git/index.lock"),
            ("/x/a b", "'/x/a b'"),
            ("o'brien", r"'o'\''brien'"),
            ("$(x)", "'$(x)'"),
            ("", "''"),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(printable(&"x".repeat(300)).to_string().chars().count(), PRINTABLE_CHARS + 1);
    }
}
