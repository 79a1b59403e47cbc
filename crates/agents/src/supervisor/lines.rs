//! Cutting a stream of bytes into lines, without ever holding more than one bounded line.

/// Longer lines are handed on in pieces.
const LONGEST: usize = 4 << 20;

/// A stream that is being cut into lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
    /// The rest of a line whose beginning was handed on already.
    in_pieces: bool,
}

/// A line, or a part of one that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A whole line, without its end.
    Line(&'a [u8]),
    /// A part of a line nobody should try to understand; the flag says whether the line ends here.
    Part(&'a [u8], bool),
}

impl Lines {
    /// Takes what came, and hands on every line that is complete.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(Piece<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            self.end_line(line, &mut each);
            bytes = &rest[1..];
        }
        self.begun.extend_from_slice(bytes);
        if self.begun.len() > LONGEST {
            each(Piece::Part(&self.begun, false));
            self.begun.clear();
            self.in_pieces = true;
        }
    }

    /// The stream is over; a last line without its end is a line too.
    pub(super) fn finish(&mut self, mut each: impl FnMut(Piece<'_>)) {
        if !self.begun.is_empty() || self.in_pieces {
            self.end_line(&[], &mut each);
        }
    }

    fn end_line(&mut self, line: &[u8], each: &mut impl FnMut(Piece<'_>)) {
        let whole: &[u8] = if self.begun.is_empty() {
            line
        } else {
            self.begun.extend_from_slice(line);
            &self.begun
        };
        if self.in_pieces {
            each(Piece::Part(whole, true));
        } else {
            each(Piece::Line(whole.strip_suffix(b"\r").unwrap_or(whole)));
        }
        self.in_pieces = false;
        self.begun.clear();
        if self.begun.capacity() > 1 << 20 {
            self.begun = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(chunks: &[&[u8]]) -> Vec<(String, bool)> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        let mut each = |piece: Piece<'_>| match piece {
            Piece::Line(line) => found.push((String::from_utf8_lossy(line).into_owned(), true)),
            Piece::Part(part, _) => found.push((part.len().to_string(), false)),
        };
        for chunk in chunks {
            lines.push(chunk, &mut each);
        }
        lines.finish(&mut each);
        found
    }

    #[test]
    fn lines_are_the_same_however_they_arrive() {
        let text = b"one\ntwo\r\n\nlast";
        let expected: Vec<(String, bool)> =
            ["one", "two", "", "last"].iter().map(|line| ((*line).to_owned(), true)).collect();
        assert_eq!(cut(&[text]), expected);
        for at in 0..text.len() {
            assert_eq!(cut(&[&text[..at], &text[at..]]), expected, "cut at {at}");
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(cut(&bytes), expected);
    }

    #[test]
    fn a_line_without_end_is_handed_on_in_pieces() {
        let chunk = vec![b'x'; 3 << 20];
        let found = cut(&[b"a\n", &chunk, &chunk, &chunk, b"\nb\n"]);
        let is_line: Vec<bool> = found.iter().map(|(_, is_line)| *is_line).collect();
        assert_eq!(is_line, [true, false, false, true], "{found:?}");
    }
}
