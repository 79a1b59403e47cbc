//! Decodes keys from the bytes that a terminal sends. Unknown sequences are ignored.

/// One key, or a pasted text.
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

/// Decoder of keys, with the bytes that are not decoded yet.
#[derive(Debug, Default)]
pub(crate) struct KeyDecoder {
    bytes: Vec<u8>,
    is_pasting: bool,
}

/// Result of decoding the first bytes.
enum Decoded {
    /// A key and its length in bytes.
    Key(Key, usize),
    /// Ignored bytes.
    Ignored(usize),
    /// More bytes are needed.
    Partial,
}

impl KeyDecoder {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// True if an unfinished sequence is waiting for more bytes.
    pub(crate) fn is_partial(&self) -> bool {
        !self.bytes.is_empty() && !self.is_pasting
    }

    /// Decodes the next key. `is_quiet`: no byte has come for a moment, so a lone escape is the Escape key.
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
                0x1b => self.decode_escape(is_quiet),
                0..0x20 | 0x7f => control(first).map_or(Decoded::Ignored(1), |key| Decoded::Key(key, 1)),
                _ => self.decode_character(),
            };
            match found {
                Decoded::Key(key, length) => {
                    self.bytes.drain(..length);
                    return Some(key);
                }
                Decoded::Ignored(length) => {
                    self.bytes.drain(..length);
                }
                Decoded::Partial => return None,
            }
        }
    }

    fn decode_escape(&mut self, is_quiet: bool) -> Decoded {
        match self.bytes.get(1) {
            None if is_quiet => Decoded::Key(Key::Escape, 1),
            None => Decoded::Partial,
            // Alt+Enter: a line break within the answer.
            Some(b'\r' | b'\n') => Decoded::Key(Key::Text("\n".to_owned()), 2),
            Some(0..0x20) => Decoded::Key(Key::Escape, 1),
            Some(b'[') => match self.bytes.iter().skip(2).position(|byte| (0x40..=0x7e).contains(byte)) {
                Some(at) => self.decode_sequence(2, 2 + at),
                None if is_quiet => Decoded::Ignored(self.bytes.len()),
                None => Decoded::Partial,
            },
            Some(b'O') if self.bytes.len() > 2 => self.decode_sequence(2, 2),
            Some(b'O') if !is_quiet => Decoded::Partial,
            // Alt with another key.
            Some(_) => Decoded::Ignored(2),
        }
    }

    fn decode_sequence(&mut self, from: usize, last: usize) -> Decoded {
        let key = match (self.bytes[last], &self.bytes[from..last]) {
            (b'C', _) => Key::Right,
            (b'D', _) => Key::Left,
            (b'H', _) | (b'~', b"1" | b"7") => Key::Home,
            (b'F', _) | (b'~', b"4" | b"8") => Key::End,
            (b'~', b"3") => Key::Delete,
            (b'~', PASTE_BEGINS) => {
                self.is_pasting = true;
                return Decoded::Ignored(last + 1);
            }
            _ => return Decoded::Ignored(last + 1),
        };
        Decoded::Key(key, last + 1)
    }

    fn decode_character(&self) -> Decoded {
        let length = match self.bytes[0] {
            0..0x80 => 1,
            0xc2..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf5 => 4,
            _ => return Decoded::Ignored(1),
        };
        match self.bytes.get(..length) {
            None => Decoded::Partial,
            Some(bytes) => std::str::from_utf8(bytes)
                .map_or(Decoded::Ignored(1), |text| Decoded::Key(Key::Text(text.to_owned()), length)),
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
        let mut keys = KeyDecoder::default();
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
    fn split_sequences_are_one_key() {
        let mut keys = KeyDecoder::default();
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
