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
        let OutputStream { lines, redactor, .. } = self;
        let mut written = Vec::with_capacity(bytes.len());
        lines.push(bytes, |piece| {
            on_piece(piece);
            add(piece, redactor, &mut written);
        });
        self.write(&written);
    }

    /// Ends the stream. Returns the end of the output, and the error of the capture, if there was one.
    pub(super) fn finish(mut self, mut on_piece: impl FnMut(Piece<'_>)) -> (String, Option<io::Error>) {
        let OutputStream { lines, redactor, .. } = &mut self;
        let mut written = Vec::new();
        lines.finish(|piece| {
            on_piece(piece);
            add(piece, redactor, &mut written);
        });
        self.write(&written);
        (String::from_utf8_lossy(&self.tail).into_owned(), self.capture.finish())
    }

    fn write(&mut self, written: &[u8]) {
        if written.is_empty() {
            return;
        }
        self.capture.write(written);
        self.tail.extend_from_slice(&written[written.len().saturating_sub(TAIL_BYTES)..]);
        if self.tail.len() > 2 * TAIL_BYTES {
            self.tail.drain(..self.tail.len() - TAIL_BYTES);
        }
    }
}

/// Adds a piece without secrets.
fn add(piece: Piece<'_>, redactor: &mut LineRedactor, written: &mut Vec<u8>) {
    let (bytes, ends) = match piece {
        Piece::Line(line) => (line, true),
        Piece::Part(part, ends) => (part, ends),
    };
    written.extend_from_slice(&redactor.redact(bytes));
    if ends {
        written.push(b'\n');
    }
}
