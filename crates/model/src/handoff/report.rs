//! Report of a message check.

use serde::Serialize;
use serde_json::Value;

/// Errors and warnings of a message check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HandoffReport {
    /// True if there are no errors.
    pub valid: bool,
    pub errors: Vec<String>,
    pub warnings: Vec<String>,
}

impl HandoffReport {
    pub(super) fn error(&mut self, path: &str, problem: &str) {
        self.errors.push(message(path, problem));
    }

    pub(super) fn warning(&mut self, path: &str, problem: &str) {
        self.warnings.push(message(path, problem));
    }

    pub(super) fn finish(mut self) -> HandoffReport {
        self.valid = self.errors.is_empty();
        self
    }
}

fn message(path: &str, problem: &str) -> String {
    if path.is_empty() { problem.to_owned() } else { format!("{path}: {problem}") }
}

/// Parses and checks a message.
pub fn check_text(
    text: &str,
    check: impl FnOnce(&Value, usize) -> HandoffReport,
    summary_words: usize,
) -> HandoffReport {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => check(&value, summary_words),
        Err(error) => {
            let mut report = HandoffReport::default();
            report.error("", &format!("not JSON ({error})"));
            report.finish()
        }
    }
}
