//! Somebody who reads an agent's output as it comes, and decides at its end what the call came to.

use crate::outcome::{FailureKind, Outcome};

/// Reads one call's standard output.
pub trait Reader: Send {
    /// Reads one line, without its end. Lines may be anything: cut, mixed with warnings, not UTF-8, empty.
    fn line(&mut self, line: &[u8]);

    /// Whether everything that makes an answer has been seen. A client that lingers from here on has answered.
    fn is_complete(&self) -> bool;

    /// A failure that the client would go on retrying, such as a rate limit; the supervisor decides what to do.
    fn trouble(&self) -> Option<FailureKind> {
        None
    }

    /// What the call came to. Nothing more will be read.
    fn outcome(self: Box<Self>, end: &End<'_>) -> Outcome;
}

/// How a process ended.
#[derive(Debug, Clone, Copy)]
pub struct End<'a> {
    /// Its exit code; none if a signal ended it, ours included.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The end of what it said on standard error.
    pub stderr: &'a str,
}
