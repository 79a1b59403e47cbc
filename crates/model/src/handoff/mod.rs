//! What an orchestrator hands to an agent and gets back: the two messages, checked field by field.
//!
//! [`shape`] compares a message with a description of its members, [`request`] and [`response`] hold those
//! descriptions and the rules that go across members, [`schema`] gives the same descriptions as JSON Schema,
//! [`markdown`] finds a response in what an agent wrote around it. A check never stops at the first problem: it returns
//! everything it found, errors apart from warnings.

pub mod markdown;
pub mod request;
pub mod response;
pub mod schema;
pub mod shape;

use serde::Serialize;
use serde_json::Value;

pub use request::check_request;
pub use response::check_response;

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
    fn error(&mut self, path: &str, problem: &str) {
        self.errors.push(said(path, problem));
    }

    fn warning(&mut self, path: &str, problem: &str) {
        self.warnings.push(said(path, problem));
    }

    fn finished(mut self) -> Report {
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

/// The phases a handoff can belong to.
const PHASES: &[&str] = &["research", "write", "validate", "parallel"];

fn text_at<'a>(value: &'a Value, member: &str) -> &'a str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}
