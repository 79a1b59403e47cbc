//! Interface of output parsers: they read an agent's output while it is printed, and determine the outcome at
//! its end.

use super::clean;
use crate::outcome::{FailureKind, Outcome};

/// Message about a process that ended without an error and printed nothing.
pub(super) const NO_OUTPUT: &str = "exited successfully but produced no output";

/// Parser of the output of one call.
pub trait OutputReader: Send {
    /// Reads one line of standard output, without its line end. It may be anything: cut, a warning, not UTF-8,
    /// empty.
    fn read_line(&mut self, line: &[u8]);

    /// Reads one line of standard error, for clients that report retries only there. It is never an answer.
    fn read_stderr_line(&mut self, line: &[u8]) {
        let _ = line;
    }

    /// Reads a part of a line that is too long to be held; `ends` is true if the line ends with it.
    fn read_part(&mut self, part: &[u8], ends: bool) {
        let _ = part;
        if ends {
            self.read_line(b"[a line too long to be read]");
        }
    }

    /// True if the answer is complete. A client that does not exit from here on has answered; one that goes on
    /// working makes it false again.
    fn is_complete(&self) -> bool;

    /// A failure for which the client should be ended although it would go on: a rate limit, refused
    /// credentials, the output limit. Other service errors are left to the client's retries.
    fn pending_failure(&self) -> Option<FailureKind> {
        None
    }

    /// The outcome, after the last line.
    fn outcome(self: Box<Self>, end: &ProcessEnd<'_>) -> Outcome;
}

/// End of a process.
#[derive(Debug, Clone, Copy)]
pub struct ProcessEnd<'a> {
    /// Exit code; `None` if a signal ended it, ours included.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// End of its standard error.
    pub stderr: &'a str,
}

impl ProcessEnd<'_> {
    /// True if a signal ended it. A client that catches a signal exits with 128 plus the signal's number.
    pub(super) fn was_signalled(&self) -> bool {
        self.signal.is_some() || self.code.is_some_and(|code| code > 128)
    }

    /// Exit code or signal, and the last line on standard error.
    pub(super) fn describe(&self) -> String {
        let last = match self.last_stderr_line() {
            "" => "no error output".to_owned(),
            last => clean::one_line(last),
        };
        match (self.code, self.signal) {
            (Some(code), _) => format!("exit code {code}: {last}"),
            (None, Some(signal)) => format!("ended by signal {signal}: {last}"),
            (None, None) => format!("ended in an unknown way: {last}"),
        }
    }

    /// True if a message says no more than how the process ended.
    pub(crate) fn explains(&self, message: &str) -> bool {
        message == NO_OUTPUT || message.contains(&clean::one_line(&self.describe()))
    }

    /// The last line on standard error that is not empty.
    pub(crate) fn last_stderr_line(&self) -> &str {
        self.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
    }
}
