//! Splits a stream of bytes into lines; memory is bounded by one line.

/// Maximum length of a line; longer ones are passed on in parts.
const MAX_LINE_BYTES: usize = 4 << 20;

#[derive(Debug, Default)]
pub(crate) struct LineSplitter {
    buffer: Vec<u8>,
    /// True if a part of the current line was passed on already.
    in_parts: bool,
}

/// A line, or a part of one that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A whole line, without its line end.
    Line(&'a [u8]),
    /// A part of a line that is too long to be parsed; true if the line ends with it.
    Part(&'a [u8], bool),
}

impl LineSplitter {
    /// Adds bytes, and passes complete lines on.
    pub(crate) fn push(&mut self, mut bytes: &[u8], mut on_piece: impl FnMut(Piece<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            self.end_line(line, &mut on_piece);
            bytes = &rest[1..];
        }
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > MAX_LINE_BYTES {
            on_piece(Piece::Part(&self.buffer, false));
            self.buffer.clear();
            self.in_parts = true;
        }
    }

    /// Ends the stream, and with it a last line without a line end.
    pub(crate) fn finish(&mut self, mut on_piece: impl FnMut(Piece<'_>)) {
        if !self.buffer.is_empty() || self.in_parts {
            self.end_line(&[], &mut on_piece);
        }
    }

    fn end_line(&mut self, line: &[u8], on_piece: &mut impl FnMut(Piece<'_>)) {
        let whole: &[u8] = if self.buffer.is_empty() {
            line
        } else {
            self.buffer.extend_from_slice(line);
            &self.buffer
        };
        if self.in_parts {
            on_piece(Piece::Part(whole, true));
        } else {
            on_piece(Piece::Line(whole.strip_suffix(b"\r").unwrap_or(whole)));
        }
        self.in_parts = false;
        self.buffer.clear();
        if self.buffer.capacity() > 1 << 20 {
            self.buffer = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(chunks: &[&[u8]]) -> Vec<(String, bool)> {
        let mut lines = LineSplitter::default();
        let mut found = Vec::new();
        let mut on_piece = |piece: Piece<'_>| match piece {
            Piece::Line(line) => found.push((String::from_utf8_lossy(line).into_owned(), true)),
            Piece::Part(part, _) => found.push((part.len().to_string(), false)),
        };
        for chunk in chunks {
            lines.push(chunk, &mut on_piece);
        }
        lines.finish(&mut on_piece);
        found
    }

    #[test]
    fn lines_do_not_depend_on_chunks() {
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
    fn long_lines_are_passed_on_in_parts() {
        let chunk = vec![b'x'; 3 << 20];
        let found = cut(&[b"a\n", &chunk, &chunk, &chunk, b"\nb\n"]);
        let is_line: Vec<bool> = found.iter().map(|(_, is_line)| *is_line).collect();
        assert_eq!(is_line, [true, false, false, true], "{found:?}");
    }
}
