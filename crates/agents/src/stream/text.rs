//! Parser of plain text: all of the output is the answer.

use super::clean;
use super::failure_text;
use super::reader::{NO_OUTPUT, OutputReader, ProcessEnd};
use crate::outcome::{FailureKind, Outcome, output_exceeded};

#[derive(Debug)]
pub(super) struct TextReader {
    answer: Vec<u8>,
    max_bytes: usize,
    exceeds_limit: bool,
}

impl TextReader {
    pub(super) fn new(max_bytes: usize) -> TextReader {
        TextReader { answer: Vec::new(), max_bytes, exceeds_limit: false }
    }
}

impl OutputReader for TextReader {
    fn read_line(&mut self, line: &[u8]) {
        self.read_part(line, true);
    }

    fn read_part(&mut self, part: &[u8], ends: bool) {
        if self.answer.len() + part.len() + 1 > self.max_bytes {
            self.exceeds_limit = true;
            return;
        }
        self.answer.extend_from_slice(part);
        if ends {
            self.answer.push(b'\n');
        }
    }

    /// Only the end of the process completes a plain text.
    fn is_complete(&self) -> bool {
        false
    }

    fn pending_failure(&self) -> Option<FailureKind> {
        self.exceeds_limit.then_some(FailureKind::OutputLimit)
    }

    fn outcome(self: Box<Self>, end: &ProcessEnd<'_>) -> Outcome {
        if self.exceeds_limit {
            let message = output_exceeded(self.max_bytes as u64, "limits.output_mb");
            return Outcome::failed(FailureKind::OutputLimit, message);
        }
        let text = clean::text(&String::from_utf8_lossy(&self.answer));
        if end.code != Some(0) {
            let kind = failure_text::classify(None, end.last_stderr_line()).unwrap_or(FailureKind::NoAnswer);
            return Outcome::failed(kind, end.describe());
        }
        if text.trim().is_empty() {
            return Outcome::failed(FailureKind::NoAnswer, NO_OUTPUT);
        }
        Outcome::answered(text)
    }
}
