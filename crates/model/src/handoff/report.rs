//! What a check of a message found, and checking a text that should be one.

use serde::Serialize;
use serde_json::Value;

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether the message may be used: there are no errors.
    pub valid: bool,
    /// What must be mended.
    pub errors: Vec<String>,
    /// What should be looked at.
    pub warnings: Vec<String>,
}

impl Report {
    pub(super) fn error(&mut self, path: &str, problem: &str) {
        self.errors.push(said(path, problem));
    }

    pub(super) fn warning(&mut self, path: &str, problem: &str) {
        self.warnings.push(said(path, problem));
    }

    pub(super) fn finished(mut self) -> Report {
        self.valid = self.errors.is_empty();
        self
    }
}

fn said(path: &str, problem: &str) -> String {
    if path.is_empty() { problem.to_owned() } else { format!("{path}: {problem}") }
}

/// Checks a text that should be a message.
pub fn check_text(text: &str, check: impl FnOnce(&Value, usize) -> Report, summary_words: usize) -> Report {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => check(&value, summary_words),
        Err(error) => {
            let mut report = Report::default();
            report.error("", &format!("not JSON ({error})"));
            report.finished()
        }
    }
}
