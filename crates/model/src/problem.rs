//! A problem in a text, with its line, from a tolerant parser.

use serde::Serialize;

/// A problem in a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// Counted from 1.
    pub line: usize,
    /// One line.
    pub message: String,
}

impl Problem {
    pub fn new(line: usize, message: impl Into<String>) -> Problem {
        Problem { line, message: message.into() }
    }
}
