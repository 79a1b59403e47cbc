//! Line editor on one row of the screen, which scrolls sideways.

use crate::keys::Key;
use charrette_model::escape::one_line;
use unicode_width::UnicodeWidthChar as _;

/// Mark for a line break inside a pasted answer.
const LINE_END: char = '⏎';

/// Line that is being typed.
#[derive(Debug, Default)]
pub(crate) struct LineEditor {
    chars: Vec<char>,
    /// Index of the character at the cursor.
    cursor: usize,
}

impl LineEditor {
    pub(crate) fn text(&self) -> String {
        self.chars.iter().collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// Applies a key to the line.
    pub(crate) fn press(&mut self, key: &Key) {
        match key {
            Key::Text(text) => {
                let new: Vec<char> = text.replace('\t', " ").chars().filter(|&c| is_allowed(c)).collect();
                let length = new.len();
                self.chars.splice(self.cursor..self.cursor, new);
                self.cursor += length;
            }
            Key::Erase if self.cursor > 0 => {
                self.cursor -= 1;
                self.chars.remove(self.cursor);
            }
            Key::Delete if self.cursor < self.chars.len() => {
                self.chars.remove(self.cursor);
            }
            Key::EraseWord => {
                let before = &self.chars[..self.cursor];
                let blanks = before.iter().rev().take_while(|c| c.is_whitespace()).count();
                let rest = &before[..before.len() - blanks];
                let word = rest.iter().rev().take_while(|c| !c.is_whitespace()).count();
                self.chars.drain(self.cursor - blanks - word..self.cursor);
                self.cursor -= blanks + word;
            }
            Key::EraseLine => {
                self.chars.drain(..self.cursor);
                self.cursor = 0;
            }
            Key::Left => self.cursor = self.cursor.saturating_sub(1),
            Key::Right => self.cursor = (self.cursor + 1).min(self.chars.len()),
            Key::Home => self.cursor = 0,
            Key::End => self.cursor = self.chars.len(),
            _ => {}
        }
    }

    /// Visible part in `room` columns, and the number of columns before the cursor.
    pub(crate) fn visible(&self, room: usize) -> (String, usize) {
        let room = room.max(2);
        let width = |c: &char| display_char(*c).width().unwrap_or(0);
        let mut from = self.cursor;
        let mut before = 0;
        while from > 0 && before + width(&self.chars[from - 1]) < room {
            from -= 1;
            before += width(&self.chars[from]);
        }
        let mut used = 0;
        let seen = self.chars[from..].iter().take_while(|c| {
            used += width(c);
            used <= room
        });
        (seen.map(|&c| display_char(c)).collect(), before)
    }
}

/// True for characters that may be part of an answer: no control characters but line breaks.
fn is_allowed(c: char) -> bool {
    c == '\n' || one_line(c.encode_utf8(&mut [0; 4])).chars().eq([c])
}

fn display_char(c: char) -> char {
    if c == '\n' { LINE_END } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[Key]) -> LineEditor {
        let mut line = LineEditor::default();
        for key in keys {
            line.press(key);
        }
        line
    }

    fn text(text: &str) -> Key {
        Key::Text(text.to_owned())
    }

    #[test]
    fn keys_change_the_line() {
        for (keys, line) in [
            (vec![text("abc"), Key::Left, Key::Erase, text("x")], "axc"),
            (vec![text("one two  "), Key::EraseWord], "one "),
            (vec![text("限制"), Key::Erase, Key::Erase, Key::Erase], ""),
            (vec![text("abc"), Key::Home, Key::Delete, Key::End, text("d")], "bcd"),
            (vec![text("abc"), Key::Left, Key::EraseLine], "c"),
            (vec![text("a\u{1b}[31m\tb\u{202e}\nc")], "a[31m b\nc"),
        ] {
            assert_eq!(typed(&keys).text(), line, "{keys:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_in_any_pieces_leave_a_line_that_can_be_shown(
            pieces in proptest::collection::vec(proptest::collection::vec(proptest::num::u8::ANY, 0..9), 0..9),
            room in 2_usize..20
        ) {
            let (mut keys, mut line) = (crate::keys::KeyDecoder::default(), LineEditor::default());
            for piece in &pieces {
                keys.feed(piece);
                while let Some(key) = keys.next(false) {
                    line.press(&key);
                }
                let (seen, before) = line.visible(room);
                proptest::prop_assert!(before < room && seen.chars().all(|c| !c.is_control()));
            }
            while let Some(key) = keys.next(true) {
                line.press(&key);
            }
        }
    }

    #[test]
    fn the_cursor_is_always_in_sight() {
        assert_eq!(typed(&[text("abcdef")]).visible(10), ("abcdef".to_owned(), 6));
        assert_eq!(typed(&[text("abcdef")]).visible(4), ("def".to_owned(), 3));
        assert_eq!(typed(&[text("abcdef"), Key::Home]).visible(4), ("abcd".to_owned(), 0));
        assert_eq!(typed(&[text("限制限制")]).visible(5), ("限制".to_owned(), 4));
        assert_eq!(typed(&[text("a\nb")]).visible(9), ("a⏎b".to_owned(), 3));
    }
}
