//! Something in a text that a tolerant reader could not understand, and where.

use serde::Serialize;

/// Something in a text that could not be understood or does not fit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// The 1-based line.
    pub line: usize,
    /// What is wrong, in a sentence.
    pub message: String,
}

impl Problem {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Problem {
        Problem { line, message: message.into() }
    }
}
