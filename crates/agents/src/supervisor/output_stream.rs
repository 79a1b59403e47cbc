//! One output stream of a process: split into lines, captured in a file, passed to a parser.

use super::capture::Capture;
use super::lines::{LineSplitter, Piece};
use super::process_spec::{CaptureTarget, LineRedactor};
use std::io;

/// Size of the end of the output that is kept for messages.
const TAIL_BYTES: usize = 16 << 10;

/// Standard output or standard error of a process.
pub(super) struct OutputStream {
    lines: LineSplitter,
    capture: Capture,
    redactor: LineRedactor,
    tail: Vec<u8>,
}

impl OutputStream {
    /// The stream of answers: its file is there from the beginning.
    pub(super) fn new(target: CaptureTarget, max_bytes: u64) -> io::Result<OutputStream> {
        let capture = Capture::create(&target.path, max_bytes)?;
        Ok(OutputStream { capture, ..OutputStream::mostly_empty(target, max_bytes) })
    }

    /// A stream that most clients leave empty: it has a file only if they do not.
    pub(super) fn mostly_empty(target: CaptureTarget, max_bytes: u64) -> OutputStream {
        OutputStream {
            lines: LineSplitter::default(),
            capture: Capture::when_needed(&target.path, max_bytes),
            redactor: target.redactor,
            tail: Vec::new(),
        }
    }

    /// Number of bytes received.
    pub(super) fn total_bytes(&self) -> u64 {
        self.capture.total_bytes()
    }

    /// Captures bytes, and passes complete lines on.
    pub(super) fn receive(&mut self, bytes: &[u8], mut on_piece: impl FnMut(Piece<'_>)) {
        let OutputStream { lines, capture, redactor, tail } = self;
        lines.push(bytes, |piece| {
            on_piece(piece);
            write(piece, capture, redactor, tail);
        });
    }

    /// Ends the stream. Returns the end of the output, and the error of the capture, if there was one.
    pub(super) fn finish(mut self, mut on_piece: impl FnMut(Piece<'_>)) -> (String, Option<io::Error>) {
        let OutputStream { lines, capture, redactor, tail } = &mut self;
        lines.finish(|piece| {
            on_piece(piece);
            write(piece, capture, redactor, tail);
        });
        (String::from_utf8_lossy(&self.tail).into_owned(), self.capture.finish())
    }
}

fn write(piece: Piece<'_>, capture: &mut Capture, redactor: &mut LineRedactor, tail: &mut Vec<u8>) {
    let (bytes, ends) = match piece {
        Piece::Line(line) => (line, true),
        Piece::Part(part, ends) => (part, ends),
    };
    let written = redactor.redact(bytes);
    for written in [&*written, if ends { b"\n" } else { b"" }] {
        capture.write(written);
        tail.extend_from_slice(&written[written.len().saturating_sub(TAIL_BYTES)..]);
    }
    if tail.len() > 2 * TAIL_BYTES {
        tail.drain(..tail.len() - TAIL_BYTES);
    }
}
