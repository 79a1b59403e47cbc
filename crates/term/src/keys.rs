//! What was pressed, from the bytes that a terminal sends. What has no meaning here is passed over.

/// One key, or a whole text that was pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Text(String),
    Enter,
    Erase,
    EraseWord,
    EraseLine,
    Delete,
    Left,
    Right,
    Home,
    End,
    Escape,
    EndOfInput,
    Interrupt,
    Suspend,
}

const PASTE_BEGINS: &[u8] = b"200";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// Bytes that have come and are not a key yet.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    bytes: Vec<u8>,
    is_pasting: bool,
}

/// What stands at the beginning of the bytes.
enum Found {
    /// A key, and how many bytes it takes.
    Key(Key, usize),
    /// Nothing of meaning in so many bytes.
    Nothing(usize),
    /// More bytes must come first.
    Partial,
}

impl Keys {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Whether something has come that might go on.
    pub(crate) fn is_partial(&self) -> bool {
        !self.bytes.is_empty() && !self.is_pasting
    }

    /// The next key. `is_quiet`: nothing has come for a moment, so an escape alone is the key of that name.
    pub(crate) fn next(&mut self, is_quiet: bool) -> Option<Key> {
        loop {
            if self.is_pasting {
                let end = find(&self.bytes, PASTE_ENDS)?;
                let pasted: Vec<u8> = self.bytes.drain(..end + PASTE_ENDS.len()).take(end).collect();
                self.is_pasting = false;
                let text = String::from_utf8_lossy(&pasted).replace("\r\n", "\n").replace('\r', "\n");
                return Some(Key::Text(text));
            }
            let first = *self.bytes.first()?;
            let found = match first {
                0x1b => self.escaped(is_quiet),
                0..0x20 | 0x7f => control(first).map_or(Found::Nothing(1), |key| Found::Key(key, 1)),
                _ => self.character(),
            };
            match found {
                Found::Key(key, taken) => {
                    self.bytes.drain(..taken);
                    return Some(key);
                }
                Found::Nothing(taken) => {
                    self.bytes.drain(..taken);
                }
                Found::Partial => return None,
            }
        }
    }

    fn escaped(&mut self, is_quiet: bool) -> Found {
        match self.bytes.get(1) {
            None if is_quiet => Found::Key(Key::Escape, 1),
            None => Found::Partial,
            // Alt and Enter: a line ends, the answer does not.
            Some(b'\r' | b'\n') => Found::Key(Key::Text("\n".to_owned()), 2),
            Some(0..0x20) => Found::Key(Key::Escape, 1),
            Some(b'[') => match self.bytes.iter().skip(2).position(|byte| (0x40..=0x7e).contains(byte)) {
                Some(at) => self.sequence(2, 2 + at),
                None if is_quiet => Found::Nothing(self.bytes.len()),
                None => Found::Partial,
            },
            Some(b'O') if self.bytes.len() > 2 => self.sequence(2, 2),
            Some(b'O') if !is_quiet => Found::Partial,
            // A key together with Alt.
            Some(_) => Found::Nothing(2),
        }
    }

    fn sequence(&mut self, from: usize, last: usize) -> Found {
        let key = match (self.bytes[last], &self.bytes[from..last]) {
            (b'C', _) => Key::Right,
            (b'D', _) => Key::Left,
            (b'H', _) | (b'~', b"1" | b"7") => Key::Home,
            (b'F', _) | (b'~', b"4" | b"8") => Key::End,
            (b'~', b"3") => Key::Delete,
            (b'~', PASTE_BEGINS) => {
                self.is_pasting = true;
                return Found::Nothing(last + 1);
            }
            _ => return Found::Nothing(last + 1),
        };
        Found::Key(key, last + 1)
    }

    fn character(&self) -> Found {
        let length = match self.bytes[0] {
            0..0x80 => 1,
            0xc2..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf5 => 4,
            _ => return Found::Nothing(1),
        };
        match self.bytes.get(..length) {
            None => Found::Partial,
            Some(bytes) => std::str::from_utf8(bytes)
                .map_or(Found::Nothing(1), |text| Found::Key(Key::Text(text.to_owned()), length)),
        }
    }
}

fn control(byte: u8) -> Option<Key> {
    Some(match byte {
        b'\r' | b'\n' => Key::Enter,
        0x7f | 0x08 => Key::Erase,
        0x17 => Key::EraseWord,
        0x15 => Key::EraseLine,
        0x01 => Key::Home,
        0x05 => Key::End,
        0x02 => Key::Left,
        0x06 => Key::Right,
        0x03 => Key::Interrupt,
        0x04 => Key::EndOfInput,
        0x1a => Key::Suspend,
        _ => return None,
    })
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(bytes: &[u8]) -> Vec<Key> {
        let mut keys = Keys::default();
        keys.feed(bytes);
        std::iter::from_fn(|| keys.next(true)).collect()
    }

    fn text(text: &str) -> Key {
        Key::Text(text.to_owned())
    }

    #[test]
    fn bytes_become_keys() {
        for (bytes, keys) in [
            (&b"a\r"[..], vec![text("a"), Key::Enter]),
            ("é限".as_bytes(), vec![text("é"), text("限")]),
            (b"\x1b", vec![Key::Escape]),
            (b"\x1b\x1b[D", vec![Key::Escape, Key::Left]),
            (b"\x1b[C\x1bOH\x1b[4~\x1b[3~", vec![Key::Right, Key::Home, Key::End, Key::Delete]),
            (b"\x1b[A\x1b[1;5Bx", vec![text("x")]),
            (b"\x1bfx", vec![text("x")]),
            (b"a\x1b\rb\x1b\x04", vec![text("a"), text("\n"), text("b"), Key::Escape, Key::EndOfInput]),
            (b"\x03\x04\x1a\x15\x17\x7f", {
                vec![
                    Key::Interrupt,
                    Key::EndOfInput,
                    Key::Suspend,
                    Key::EraseLine,
                    Key::EraseWord,
                    Key::Erase,
                ]
            }),
            (b"\xff\x00\xc3(", vec![text("(")]),
            (b"\x1b[200~one\r\ntwo\rstop\x1b[201~\r", vec![text("one\ntwo\nstop"), Key::Enter]),
        ] {
            assert_eq!(pressed(bytes), keys, "{bytes:?}");
        }
    }

    #[test]
    fn what_comes_in_pieces_is_one_key() {
        let mut keys = Keys::default();
        for piece in [&b"\x1b"[..], b"[20", b"0~pas", b"ted\x1b[201"] {
            keys.feed(piece);
            assert_eq!(keys.next(false), None);
        }
        assert!(!keys.is_partial(), "a paste may take its time");
        keys.feed(b"~");
        assert_eq!(keys.next(false), Some(text("pasted")));
        keys.feed(&"限".as_bytes()[..2]);
        assert_eq!((keys.next(false), keys.is_partial()), (None, true));
        keys.feed(&"限".as_bytes()[2..]);
        assert_eq!(keys.next(false), Some(text("限")));
    }
}
