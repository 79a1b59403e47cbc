//! Listening to a process: what it says is kept, bounded, and handed to whoever understands it.

use super::capture::Capture;
use super::errand::{Kept, Scribe};
use super::lines::{Lines, Piece};
use std::io;

/// How much of the end of what it says is kept at hand, for messages.
const TAIL: usize = 16 << 10;

/// Somebody who listens to one stream of a process.
pub(super) struct Listener {
    lines: Lines,
    capture: Capture,
    scribe: Scribe,
    tail: Vec<u8>,
}

impl Listener {
    pub(super) fn new(kept: Kept, most: u64) -> io::Result<Listener> {
        let capture = Capture::create(&kept.path, most)?;
        Ok(Listener { lines: Lines::default(), capture, scribe: kept.scribe, tail: Vec::new() })
    }

    /// How much was heard.
    pub(super) fn total(&self) -> u64 {
        self.capture.total()
    }

    /// Takes what came, and hands on every line of it.
    pub(super) fn hear(&mut self, bytes: &[u8], mut hand_on: impl FnMut(Piece<'_>)) {
        let Listener { lines, capture, scribe, tail } = self;
        lines.push(bytes, |piece| {
            hand_on(piece);
            keep(piece, capture, scribe, tail);
        });
    }

    /// Nothing more will come. Returns the end of what was said, and what went wrong with keeping it.
    pub(super) fn finish(mut self, mut hand_on: impl FnMut(Piece<'_>)) -> (String, Option<io::Error>) {
        let Listener { lines, capture, scribe, tail } = &mut self;
        lines.finish(|piece| {
            hand_on(piece);
            keep(piece, capture, scribe, tail);
        });
        (String::from_utf8_lossy(&self.tail).into_owned(), self.capture.finish())
    }
}

fn keep(piece: Piece<'_>, capture: &mut Capture, scribe: &mut Scribe, tail: &mut Vec<u8>) {
    let (bytes, ends) = match piece {
        Piece::Line(line) => (line, true),
        Piece::Part(part, ends) => (part, ends),
    };
    let written = scribe.line(bytes);
    for written in [&*written, if ends { b"\n" } else { b"" }] {
        capture.write(written);
        tail.extend_from_slice(&written[written.len().saturating_sub(TAIL)..]);
    }
    if tail.len() > 2 * TAIL {
        tail.drain(..tail.len() - TAIL);
    }
}
