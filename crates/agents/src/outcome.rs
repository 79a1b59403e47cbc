//! Outcome of one agent call, the same for all vendors and transports.

use charrette_model::checkpoint::Usage;
use std::fmt;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub answer: Result<String, Failure>,
    /// Usage of this call, not of its session so far; `None` if the vendor does not report it.
    pub usage: Option<Usage>,
    /// Usage of the whole session, if the vendor counts that way: the next call must subtract it.
    pub session_total: Option<Usage>,
    /// Model that answered, if the vendor reports it.
    pub model: Option<String>,
    /// Session id of the vendor, to resume the session.
    pub session: Option<String>,
    /// Tools that the client refused, such as `Write` in a read-only seat.
    pub denied: Vec<String>,
    /// Warnings, such as an MCP server that did not start.
    pub notes: Vec<String>,
}

impl Outcome {
    pub fn failed(kind: FailureKind, message: impl Into<String>) -> Outcome {
        Outcome { answer: Err(Failure { kind, message: message.into() }), ..Outcome::answered(String::new()) }
    }

    pub fn answered(text: String) -> Outcome {
        Outcome {
            answer: Ok(text),
            usage: None,
            session_total: None,
            model: None,
            session: None,
            denied: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Reason a call has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub kind: FailureKind,
    /// One line.
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The agent could not be started or reached.
    Start,
    /// The agent ended without an answer.
    NoAnswer,
    /// The vendor's service reported an error.
    Service {
        /// HTTP status, if known.
        status: Option<u16>,
    },
    /// Login required, or key not accepted.
    Credentials,
    /// The vendor's rate limit is reached.
    RateLimit {
        retry_after: Option<Duration>,
    },
    /// A limit of the client or the model is reached: turns, budget, length of the prompt.
    Limit,
    /// The output exceeds `limits.output_mb`.
    OutputLimit,
    Timeout(TimeoutKind),
    /// The run was cancelled.
    Interrupted,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FailureKind::Start => "start",
            FailureKind::NoAnswer => "no-answer",
            FailureKind::Service { .. } => "service",
            FailureKind::Credentials => "credentials",
            FailureKind::RateLimit { .. } => "rate-limit",
            FailureKind::Limit => "limit",
            FailureKind::OutputLimit => "flood",
            FailureKind::Timeout(TimeoutKind::FirstByte) => "timeout-first-byte",
            FailureKind::Timeout(TimeoutKind::Idle) => "timeout-idle",
            FailureKind::Timeout(TimeoutKind::Total) => "timeout",
            FailureKind::Interrupted => "interrupted",
        })
    }
}

/// Time limits of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutKind {
    /// Until the first byte of output.
    FirstByte,
    /// Between two bytes of output.
    Idle,
    /// Of the whole call.
    Total,
}

/// Message for output beyond a limit in bytes, which `setting` configures.
pub(crate) fn output_exceeded(bytes: u64, setting: &str) -> String {
    let size = if bytes >= 1 << 20 { format!("{} MB", bytes >> 20) } else { format!("{bytes} bytes") };
    format!("output exceeded {size} ({setting})")
}
