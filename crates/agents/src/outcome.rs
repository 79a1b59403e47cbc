//! What one call of an agent came to, whatever vendor it was and however it was reached.

use charrette_model::checkpoint::Usage;
use std::fmt;
use std::time::Duration;

/// What one call came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The answer, or why there is none.
    pub answer: Result<String, Failure>,
    /// What this call used, not what its session used so far; none where the vendor says nothing.
    pub usage: Option<Usage>,
    /// What the session has used in all, where the vendor counts that way: the next call of it must subtract this.
    pub session_total: Option<Usage>,
    /// The model that answered, where the vendor says so.
    pub model: Option<String>,
    /// The vendor's id of the session, to go on with it.
    pub session: Option<String>,
    /// What the agent tried and its client refused, such as `Write` in a read-only seat.
    pub denied: Vec<String>,
    /// What a person should know although it is no failure, such as an MCP server that did not start.
    pub notes: Vec<String>,
}

impl Outcome {
    /// A call that came to nothing.
    pub fn failed(kind: FailureKind, message: impl Into<String>) -> Outcome {
        Outcome { answer: Err(Failure { kind, message: message.into() }), ..Outcome::answered(String::new()) }
    }

    /// A call that was answered, of which nothing else is known.
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

/// Why a call was not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What sort of failure.
    pub kind: FailureKind,
    /// In words, one line.
    pub message: String,
}

/// What sort of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// It could not be started.
    Start,
    /// It ended without an answer.
    NoAnswer,
    /// The vendor's service answered with an error.
    Service {
        /// The HTTP status, if it is known.
        status: Option<u16>,
    },
    /// The vendor wants somebody to log in, or does not accept the key.
    Credentials,
    /// The vendor says to wait.
    RateLimit {
        /// For how long, if it says so.
        retry_after: Option<Duration>,
    },
    /// A limit of its own was reached: turns, budget, length of the prompt.
    Limit,
    /// It printed more than anybody will read.
    Flood,
    /// One of our clocks ran out.
    Clock(Clock),
    /// We were asked to end.
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
            FailureKind::Flood => "flood",
            FailureKind::Clock(Clock::FirstByte) => "timeout-first-byte",
            FailureKind::Clock(Clock::Idle) => "timeout-idle",
            FailureKind::Clock(Clock::Total) => "timeout",
            FailureKind::Interrupted => "interrupted",
        })
    }
}

/// The clocks an agent is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Until its first byte.
    FirstByte,
    /// Between two bytes.
    Idle,
    /// In all.
    Total,
}
