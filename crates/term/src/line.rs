//! A line while it is typed. It stays on one row of the screen: what does not fit is scrolled out of sight.

use crate::keys::Key;
use charrette_model::shown::one_line;
use unicode_width::UnicodeWidthChar as _;

/// How the end of a line is shown inside an answer that was pasted.
const LINE_END: char = '⏎';

/// A line while it is typed.
#[derive(Debug, Default)]
pub(crate) struct Line {
    chars: Vec<char>,
    /// In front of which character the next one goes.
    at: usize,
}

impl Line {
    pub(crate) fn text(&self) -> String {
        self.chars.iter().collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// Changes the line as that key does.
    pub(crate) fn press(&mut self, key: &Key) {
        match key {
            Key::Text(text) => {
                let new: Vec<char> = text.replace('\t', " ").chars().filter(|&c| may_stand(c)).collect();
                let length = new.len();
                self.chars.splice(self.at..self.at, new);
                self.at += length;
            }
            Key::Erase if self.at > 0 => {
                self.at -= 1;
                self.chars.remove(self.at);
            }
            Key::Delete if self.at < self.chars.len() => {
                self.chars.remove(self.at);
            }
            Key::EraseWord => {
                let before = &self.chars[..self.at];
                let blanks = before.iter().rev().take_while(|c| c.is_whitespace()).count();
                let rest = &before[..before.len() - blanks];
                let word = rest.iter().rev().take_while(|c| !c.is_whitespace()).count();
                self.chars.drain(self.at - blanks - word..self.at);
                self.at -= blanks + word;
            }
            Key::EraseLine => {
                self.chars.drain(..self.at);
                self.at = 0;
            }
            Key::Left => self.at = self.at.saturating_sub(1),
            Key::Right => self.at = (self.at + 1).min(self.chars.len()),
            Key::Home => self.at = 0,
            Key::End => self.at = self.chars.len(),
            _ => {}
        }
    }

    /// The part that is seen in so many columns, and how many of them are in front of the cursor.
    pub(crate) fn seen(&self, room: usize) -> (String, usize) {
        let room = room.max(2);
        let width = |c: &char| shown(*c).width().unwrap_or(0);
        let mut from = self.at;
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
        (seen.map(|&c| shown(c)).collect(), before)
    }
}

/// Line ends may be part of an answer; nothing else that moves the cursor.
fn may_stand(c: char) -> bool {
    c == '\n' || one_line(c.encode_utf8(&mut [0; 4])).chars().eq([c])
}

fn shown(c: char) -> char {
    if c == '\n' { LINE_END } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[Key]) -> Line {
        let mut line = Line::default();
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
            let (mut keys, mut line) = (crate::keys::Keys::default(), Line::default());
            for piece in &pieces {
                keys.feed(piece);
                while let Some(key) = keys.next(false) {
                    line.press(&key);
                }
                let (seen, before) = line.seen(room);
                proptest::prop_assert!(before < room && seen.chars().all(|c| !c.is_control()));
            }
            while let Some(key) = keys.next(true) {
                line.press(&key);
            }
        }
    }

    #[test]
    fn the_cursor_is_always_in_sight() {
        assert_eq!(typed(&[text("abcdef")]).seen(10), ("abcdef".to_owned(), 6));
        assert_eq!(typed(&[text("abcdef")]).seen(4), ("def".to_owned(), 3));
        assert_eq!(typed(&[text("abcdef"), Key::Home]).seen(4), ("abcd".to_owned(), 0));
        assert_eq!(typed(&[text("限制限制")]).seen(5), ("限制".to_owned(), 4));
        assert_eq!(typed(&[text("a\nb")]).seen(9), ("a⏎b".to_owned(), 3));
    }
}
