//! Somebody who reads an agent's output as it comes, and decides at its end what the call came to.

use super::clean;
use crate::outcome::{FailureKind, Outcome};

/// Reads one call's standard output.
pub trait Reader: Send {
    /// Reads one line, without its end. Lines may be anything: cut, mixed with warnings, not UTF-8, empty.
    fn line(&mut self, line: &[u8]);

    /// Reads one line of standard error, for clients that say only there that they are waiting. Nothing that is
    /// said there makes an answer.
    fn aside(&mut self, line: &[u8]) {
        let _ = line;
    }

    /// Hears a part of a line that is too long to be held; the flag says whether the line ends here.
    fn part(&mut self, part: &[u8], ends: bool) {
        let _ = part;
        if ends {
            self.line(b"[a line too long to be read]");
        }
    }

    /// Whether everything that makes an answer has been seen. A client that lingers from here on has answered.
    /// A client that then goes on working takes it back.
    fn is_complete(&self) -> bool;

    /// A failure that the client would go on retrying although waiting here is not what a person wants: a rate
    /// limit, a key that is not accepted, a flood. A service that is only unwell is left to the client's retries.
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

impl End<'_> {
    /// Whether somebody made it end. A client that catches a signal exits with 128 and the signal's number.
    pub(super) fn was_made(&self) -> bool {
        self.signal.is_some() || self.code.is_some_and(|code| code > 128)
    }

    /// The end in words, with the last thing it said.
    pub(super) fn in_words(&self) -> String {
        let last = match self.last_words() {
            "" => "it said nothing".to_owned(),
            last => clean::one_line(last),
        };
        match (self.code, self.signal) {
            (Some(code), _) => format!("exit code {code}: {last}"),
            (None, Some(signal)) => format!("ended by signal {signal}: {last}"),
            (None, None) => format!("ended in an unknown way: {last}"),
        }
    }

    /// The last line on standard error that says something.
    pub(super) fn last_words(&self) -> &str {
        self.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
    }
}
