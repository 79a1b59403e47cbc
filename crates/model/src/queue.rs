//! Calls of agents of kind `queue`: their records, and what state a call is in.
//!
//! A call is a folder that waits for an answer file; the files are in crate `agents`.

use crate::stamp::Stamp;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Version of the records.
pub const QUEUE_VERSION: u32 = 1;

/// Number of hexadecimal digits of a call's id.
pub const CALL_ID_DIGITS: usize = 16;

/// A call, as written to `call.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedCall {
    /// Version of this record.
    pub v: u32,
    pub id: String,
    /// Id of the run; `ask` outside a run.
    pub run: String,
    pub feature: Option<String>,
    pub phase: String,
    pub step: String,
    pub seat: String,
    pub agent: String,
    pub vendor: String,
    /// Model that the settings ask for.
    pub model: Option<String>,
    /// Effort that the settings ask for.
    pub effort: Option<String>,
    /// 1 for the first question of a step to this agent, 2 if its answer was sent back.
    pub attempt: u32,
    /// Root of the repository.
    pub repository: String,
    /// Folder to work in.
    pub folder: String,
    /// True if files may be changed there.
    pub writing: bool,
    /// True if the web may be used.
    pub web: bool,
    pub created_at: Stamp,
    /// End of the seat's clock.
    pub deadline: Stamp,
}

/// The server that works on a call, as written to `lease.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLease {
    /// Version of this record.
    pub v: u32,
    pub holder: String,
    pub since: Stamp,
    pub expires_at: Stamp,
}

/// End of a call, as written to `over.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallEnd {
    /// Version of this record.
    pub v: u32,
    pub reason: EndReason,
    pub at: Stamp,
}

/// Reason a call is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// Its answer was taken.
    Answered,
    /// Its answer was empty, too large or not a text.
    Unusable,
    /// The clock of the seat ended.
    Timeout,
    /// Its run was archived.
    Abandoned,
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EndReason::Answered => "its answer was taken",
            EndReason::Unusable => "its answer could not be used",
            EndReason::Timeout => "the clock of its seat ended",
            EndReason::Abandoned => "its run was abandoned",
        })
    }
}

/// State of a call that has no answer yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallState {
    /// Can be taken.
    Open,
    /// A server works on it.
    Leased,
    /// Its clock ended while its run was not driven: it opens again when the run is resumed.
    Suspended,
}

/// State of a call without an answer. `driven` is true if a process waits for the answer.
pub fn call_state(call: &QueuedCall, lease: Option<&CallLease>, driven: bool, now: Timestamp) -> CallState {
    match lease {
        Some(lease) if lease.expires_at.at() > now => CallState::Leased,
        _ if !driven && call.deadline.at() <= now => CallState::Suspended,
        _ => CallState::Open,
    }
}

/// True if a text has the form of a call's id.
pub fn is_call_id(text: &str) -> bool {
    text.len() == CALL_ID_DIGITS && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(minute: u32) -> Stamp {
        Stamp::parse(&format!("2026-11-15T12:{minute:02}:00.000Z")).unwrap()
    }

    fn call() -> QueuedCall {
        let text = |text: &str| text.to_owned();
        QueuedCall {
            v: QUEUE_VERSION,
            id: text("0123456789abcdef"),
            run: text("r"),
            feature: None,
            phase: text("p"),
            step: text("s"),
            seat: text("planner"),
            agent: text("human"),
            vendor: text("human"),
            model: None,
            effort: None,
            attempt: 1,
            repository: text("/r"),
            folder: text("/r"),
            writing: false,
            web: false,
            created_at: stamp(0),
            deadline: stamp(20),
        }
    }

    #[test]
    fn a_lease_counts_until_it_expires_and_a_clock_only_without_a_driver() {
        let lease =
            CallLease { v: QUEUE_VERSION, holder: "h".to_owned(), since: stamp(1), expires_at: stamp(10) };
        for (leased, driven, minute, state) in [
            (false, true, 5, CallState::Open),
            (false, false, 5, CallState::Open),
            (true, true, 5, CallState::Leased),
            (true, false, 9, CallState::Leased),
            (true, true, 10, CallState::Open),
            (false, true, 20, CallState::Open),
            (false, false, 20, CallState::Suspended),
            (true, false, 21, CallState::Suspended),
        ] {
            let lease = leased.then_some(&lease);
            let found = call_state(&call(), lease, driven, stamp(minute).at());
            assert_eq!(found, state, "leased {leased}, driven {driven}, minute {minute}");
        }
    }

    #[test]
    fn ids_are_sixteen_hexadecimal_digits() {
        for (id, valid) in [
            ("0123456789abcdef", true),
            ("0123456789ABCDEF", false),
            ("0123456789abcde", false),
            ("../../../../../..", false),
            ("", false),
        ] {
            assert_eq!(is_call_id(id), valid, "{id:?}");
        }
    }

    #[test]
    fn records_are_read_as_they_are_written() {
        let text = serde_json::to_string(&call()).unwrap();
        assert_eq!(serde_json::from_str::<QueuedCall>(&text).unwrap(), call());
        let end = CallEnd { v: 1, reason: EndReason::Timeout, at: stamp(3) };
        assert_eq!(
            serde_json::to_string(&end).unwrap(),
            r#"{"v":1,"reason":"timeout","at":"2026-11-15T12:03:00.000Z"}"#
        );
    }
}
