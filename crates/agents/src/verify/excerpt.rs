//! The beginning and the end of an output, cleaned, in bounded memory.

use crate::stream::clean;
use crate::supervisor::{LineRedactor, LineSplitter, Piece};

/// Bytes of the beginning that are kept.
const HEAD_BYTES: usize = 8 << 10;
/// Bytes of the end that are kept: the part that says what failed.
const TAIL_BYTES: usize = 24 << 10;

/// Output of a command as it comes: split into lines, freed of escape sequences and secrets, the middle left out.
#[derive(Debug)]
pub(super) struct Excerpt {
    lines: LineSplitter,
    kept: KeptText,
    redactor: LineRedactor,
    total: u64,
}

#[derive(Debug, Default)]
struct KeptText {
    head: String,
    /// True if the head is complete and all further text belongs to the tail.
    is_head_full: bool,
    tail: String,
    left_out: usize,
}

impl Excerpt {
    pub(super) fn new(redactor: LineRedactor) -> Excerpt {
        Excerpt { lines: LineSplitter::default(), kept: KeptText::default(), redactor, total: 0 }
    }

    /// Number of bytes received.
    pub(super) fn total_bytes(&self) -> u64 {
        self.total
    }

    pub(super) fn receive(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let Excerpt { lines, kept, redactor, .. } = self;
        lines.push(bytes, |piece| kept.push(&readable(piece, redactor)));
    }

    /// Ends the output and returns what is kept of it.
    pub(super) fn finish(mut self) -> String {
        let Excerpt { lines, kept, redactor, .. } = &mut self;
        lines.finish(|piece| kept.push(&readable(piece, redactor)));
        self.kept.text()
    }
}

/// The text of a line as a terminal would show it at the end, without secrets.
fn readable(piece: Piece<'_>, redactor: &mut LineRedactor) -> String {
    let (bytes, ends) = match piece {
        Piece::Line(line) => (line, true),
        Piece::Part(part, ends) => (part, ends),
    };
    // A carriage return overwrites what was printed before, such as the state of a progress bar.
    let shown = bytes.rsplit(|byte| *byte == b'\r').find(|part| !part.is_empty()).unwrap_or_default();
    let cleaned = clean::line(shown);
    let mut text = String::from_utf8_lossy(&redactor.redact(cleaned.as_bytes())).into_owned();
    if ends {
        text.push('\n');
    }
    text
}

impl KeptText {
    fn push(&mut self, text: &str) {
        let mut text = text;
        if !self.is_head_full {
            let room = HEAD_BYTES - self.head.len();
            if text.len() <= room {
                self.head.push_str(text);
                return;
            }
            self.is_head_full = true;
            // A line stays in one piece, unless nothing else would be kept.
            if self.head.is_empty() {
                let (head, rest) = text.split_at(text.floor_char_boundary(room));
                self.head.push_str(head);
                text = rest;
            }
        }
        self.tail.push_str(text);
        if self.tail.len() > 2 * TAIL_BYTES {
            self.shorten_tail();
        }
    }

    /// Cuts the tail at the beginning of a line, if there is one.
    fn shorten_tail(&mut self) {
        if self.tail.len() <= TAIL_BYTES {
            return;
        }
        let at = self.tail.ceil_char_boundary(self.tail.len() - TAIL_BYTES);
        let line = self.tail[at..].find('\n').map(|end| at + end + 1).filter(|line| *line < self.tail.len());
        let at = line.unwrap_or(at);
        self.left_out += at;
        self.tail.drain(..at);
    }

    fn text(mut self) -> String {
        self.shorten_tail();
        let mut text = self.head;
        if self.left_out > 0 {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.extend(["[... ", &self.left_out.to_string(), " bytes left out ...]\n"]);
        }
        text.push_str(&self.tail);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(chunks: &[&[u8]]) -> String {
        let mut excerpt = Excerpt::new(LineRedactor::default());
        for chunk in chunks {
            excerpt.receive(chunk);
        }
        excerpt.finish()
    }

    #[test]
    fn a_short_output_is_kept_whole_and_cleaned() {
        assert_eq!(
            excerpt(&[b"one\nt", b"wo\r\n\x1b[31mred\x1b[0m\n 10%\r 99%\r100%\nend"]),
            "one\ntwo\nred\n100%\nend\n"
        );
        assert_eq!(excerpt(&[]), "");
    }

    #[test]
    fn of_a_long_output_the_beginning_and_the_end_are_kept_in_whole_lines() {
        let lines: String = (0..20_000).fold(String::new(), |text, n| text + &format!("line {n} é\n"));
        let chunks: Vec<&[u8]> = lines.as_bytes().chunks(1000).collect();
        let text = excerpt(&chunks);
        assert!(text.len() <= HEAD_BYTES + TAIL_BYTES + 100, "{}", text.len());
        let (head, rest) = text.split_once("[... ").unwrap();
        let (left_out, tail) = rest.split_once(" bytes left out ...]\n").unwrap();
        assert!(head.starts_with("line 0 é\n") && head.ends_with("é\n"), "{head}");
        assert!(tail.starts_with("line ") && tail.ends_with("line 19999 é\n"), "{tail}");
        assert_eq!(left_out.parse::<usize>().unwrap() + head.len() + tail.len(), lines.len());
    }

    #[test]
    fn one_endless_line_is_cut() {
        let text = excerpt(&[&vec![b'x'; 9 << 20]]);
        assert!(text.len() <= HEAD_BYTES + TAIL_BYTES + 100, "{}", text.len());
        assert!(text.contains("bytes left out ...]"));
    }
}
