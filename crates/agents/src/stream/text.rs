//! Plain text: everything that is printed is the answer.

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
        if self.answer.len() + line.len() + 1 > self.most {
            self.flooded = true;
            return;
        }
        self.answer.extend_from_slice(line);
        self.answer.push(b'\n');
    }

    /// Only its end tells that a plain text is complete.
    fn is_complete(&self) -> bool {
        false
    }

    fn trouble(&self) -> Option<FailureKind> {
        self.flooded.then_some(FailureKind::Flood)
    }

    fn outcome(self: Box<Self>, end: &End<'_>) -> Outcome {
        let text = String::from_utf8_lossy(&self.answer).into_owned();
        let last = end.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        match (end.code, end.signal) {
            _ if self.flooded => {
                Outcome::failed(FailureKind::Flood, format!("printed more than {} bytes", self.most))
            }
            (Some(0), _) if text.trim().is_empty() => {
                Outcome::failed(FailureKind::NoAnswer, "exited successfully but produced no output")
            }
            (Some(0), _) => Outcome::answered(text),
            (Some(code), _) => Outcome::failed(FailureKind::NoAnswer, format!("exit code {code}: {last}")),
            (None, Some(signal)) => {
                Outcome::failed(FailureKind::NoAnswer, format!("ended by signal {signal}: {last}"))
            }
            (None, None) => {
                Outcome::failed(FailureKind::NoAnswer, format!("ended in an unknown way: {last}"))
            }
        }
    }
}
