//! Plain text: everything that is printed is the answer.

use super::clean;
use super::complaint;
use super::reader::{End, Reader};
use crate::outcome::{FailureKind, Outcome};

/// A reader of plain text.
#[derive(Debug)]
pub(super) struct Text {
    answer: Vec<u8>,
    most: usize,
    flooded: bool,
}

impl Text {
    pub(super) fn new(most: usize) -> Text {
        Text { answer: Vec::new(), most, flooded: false }
    }
}

impl Reader for Text {
    fn line(&mut self, line: &[u8]) {
        self.part(line, true);
    }

    fn part(&mut self, part: &[u8], ends: bool) {
        if self.answer.len() + part.len() + 1 > self.most {
            self.flooded = true;
            return;
        }
        self.answer.extend_from_slice(part);
        if ends {
            self.answer.push(b'\n');
        }
    }

    /// Only its end tells that a plain text is complete.
    fn is_complete(&self) -> bool {
        false
    }

    fn trouble(&self) -> Option<FailureKind> {
        self.flooded.then_some(FailureKind::Flood)
    }

    fn outcome(self: Box<Self>, end: &End<'_>) -> Outcome {
        if self.flooded {
            return Outcome::failed(FailureKind::Flood, format!("printed more than {} bytes", self.most));
        }
        let text = clean::text(&String::from_utf8_lossy(&self.answer));
        if end.code != Some(0) {
            let kind = complaint::kind(None, end.last_words()).unwrap_or(FailureKind::NoAnswer);
            return Outcome::failed(kind, end.in_words());
        }
        if text.trim().is_empty() {
            return Outcome::failed(FailureKind::NoAnswer, "exited successfully but produced no output");
        }
        Outcome::answered(text)
    }
}
