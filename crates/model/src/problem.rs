//! Something in a text that a tolerant reader could not understand, and where.

use serde::Serialize;

/// Something in a text that was not understood, or does not fit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// The line it is about, counted from 1.
    pub line: usize,
    /// What is wrong with it, on one line.
    pub message: String,
}

impl Problem {
    /// A problem of `line`.
    pub fn new(line: usize, message: impl Into<String>) -> Problem {
        Problem { line, message: message.into() }
    }
}
