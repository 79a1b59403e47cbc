//! Arithmetic: `(( … ))` and `$(( … ))` against nested subshells.

use super::reader::Reader;
use super::syntax::Word;

/// Nested scans for the end of arithmetic. Beyond that, `((` is read as two subshells.
const MAX_NESTED_SCANS: usize = 6;

impl Reader<'_> {
    /// Reads arithmetic after its `((`, up to and including `))`. None if it is no arithmetic; nothing is consumed then.
    pub(super) fn arithmetic(&mut self) -> Option<Word> {
        if self.arithmetic_depth >= MAX_NESTED_SCANS {
            return None;
        }
        let end = self.arithmetic_end();
        // Repeated scans of the same text must not add up.
        self.scanned += end.map_or(self.bytes.len(), |end| end) - self.at;
        if self.scanned > 8 * self.bytes.len() + 1000 {
            self.is_too_deep = true;
            self.at = self.bytes.len();
        }
        let end = end.filter(|_| !self.is_too_deep)?;
        self.arithmetic_depth += 1;
        let mut inside = Reader::new(&self.text[self.at..end], self.depth + 1);
        inside.arithmetic_depth = self.arithmetic_depth;
        let word = inside.quoted_text(None);
        self.is_too_deep |= inside.is_too_deep;
        self.arithmetic_depth -= 1;
        self.at = end + 2;
        Some(word)
    }

    /// Position of the `))` that closes arithmetic opened before this place.
    fn arithmetic_end(&self) -> Option<usize> {
        let mut open = 0_usize;
        let mut at = self.at;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' | b'"' => {
                    let quote = *byte;
                    at += 1;
                    while *self.bytes.get(at)? != quote {
                        at += 1;
                    }
                }
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' => return (self.bytes.get(at + 1) == Some(&b')')).then_some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }
}
