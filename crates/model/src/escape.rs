//! Escaping of untrusted text for one line of a terminal or log.
//!
//! Names, paths and messages can carry newlines, escape sequences or bidirectional overrides; a log line that
//! repeats them raw could forge other lines. Text written to files is not escaped.

use std::fmt::{self, Write as _};

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

/// A word for the command line of a POSIX shell, quoted where it must be, nothing shortened. Control and direction characters
/// are written as bash and zsh read them (`$'a\nb'`), so that no later escaping changes the word.
pub fn shell_word(text: &str) -> String {
    if text.chars().any(needs_escape) {
        let mut word = String::new();
        text.chars().for_each(|c| add_to_word(&mut word, c));
        return format!("$'{word}'");
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Appends a character between `$'` and `'`.
fn add_to_word(word: &mut String, c: char) {
    match c {
        '\n' => word.push_str(r"\n"),
        '\t' => word.push_str(r"\t"),
        '\u{1b}' => word.push_str(r"\e"),
        '\\' | '\'' => word.extend(['\\', c]),
        c if needs_escape(c) => {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                // A string takes everything.
                let _ = write!(word, r"\x{byte:02x}");
            }
        }
        c => word.push(c),
    }
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
    fn words_with_control_characters_survive_a_later_escaping() {
        for (text, word) in [
            ("/x\ny/it's a\\b", r"$'/x\ny/it\'s a\\b'"),
            ("a\tb\u{1b}[1m\r", r"$'a\tb\e[1m\x0d'"),
            ("é\u{7}1\u{202e}é\u{85}", r"$'é\x071\xe2\x80\xaeé\xc2\x85'"),
        ] {
            assert_eq!(shell_word(text), word);
            assert_eq!((one_line(word), printable(word).to_string()), (word.to_owned(), word.to_owned()));
        }
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(printable(&"x".repeat(300)).to_string().chars().count(), PRINTABLE_CHARS + 1);
    }
}
