//! Text from outside made safe to show on one line of a terminal.
//!
//! Names, paths and messages can carry newlines, escape sequences or bidirectional overrides; a log line
//! that repeats them raw could forge other lines. What is written to files is not changed by this.

use std::fmt;

/// How many characters of a foreign text a message repeats.
const SHOWN_CHARS: usize = 200;

/// Shows `text` on one line: control and direction characters escaped, cut after a while.
pub fn shown(text: &str) -> Shown<'_> {
    Shown(text)
}

/// See [`shown`].
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (seen, c) in self.0.chars().enumerate() {
            if seen == SHOWN_CHARS {
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

/// A whole message on one line, nothing cut: for the last step before a log line is written.
pub fn one_line(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let escaped = needs_escape(c).then(|| c.escape_default());
            let plain = escaped.is_none().then_some(c);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
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
        assert_eq!(shown("a\u{1b}[31m\nb\u{202e}c").to_string(), "a\\u{1b}[31m\\nb\\u{202e}c");
        assert_eq!(one_line("two\nlines\tand déjà"), "two\\nlines\\tand déjà");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shown(&"x".repeat(300)).to_string().chars().count(), SHOWN_CHARS + 1);
    }
}
