//! Status report of a worker on the heavy part of a design, and its verification.
//!
//! A report alone is not trusted: the worker's files must exist. The first group must be non-empty, because
//! later steps read them; the others may be empty and must exist, because an export names them.

use crate::escape::printable;
use crate::panel::file_names::{ACCEPTED, CONTESTED, OUT_OF_SCOPE, PLAN, REJECTED, SYNTHESIS, TALLY};
use std::fmt;

/// Reason when a worker ended without a report, or without its files.
pub const YIELDED: &str = "worker-yielded-without-artifacts";

/// Files that must exist and not be empty.
pub const SUBSTANTIVE: [&str; 3] = [PLAN, SYNTHESIS, TALLY];

/// Files that must exist.
pub const PRESENT: [&str; 4] = [CONTESTED, OUT_OF_SCOPE, REJECTED, ACCEPTED];

const KEY: &str = "DESIGN_HEAVY=";

/// Status of the heavy part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeavyStatus {
    Complete,
    /// With the reason: a short token.
    Failed(String),
}

impl HeavyStatus {
    /// A failure; anything that is no token is removed from its reason.
    pub fn failed(reason: &str) -> HeavyStatus {
        let token: String = reason.chars().filter(|c| is_token(*c)).take(64).collect();
        HeavyStatus::Failed(if token.is_empty() { "unknown".to_owned() } else { token })
    }

    /// Parses a worker's output. Its first line is the status; only `KEY=VALUE` lines may follow.
    pub fn parse(printed: &str) -> Option<HeavyStatus> {
        let mut lines = printed.lines();
        let status = lines.next()?.trim_end().strip_prefix(KEY)?;
        if !lines.all(|line| line.split_once('=').is_some_and(|(key, _)| is_key(key))) {
            return None;
        }
        if status == "complete" {
            return Some(HeavyStatus::Complete);
        }
        let reason = status.strip_prefix("failed")?;
        match reason.strip_prefix(" REASON=") {
            Some(token) if !token.is_empty() && token.chars().all(is_token) => {
                Some(HeavyStatus::Failed(token.to_owned()))
            }
            // A failure, whatever else the line says.
            _ if reason.is_empty() || reason.starts_with(' ') => {
                Some(HeavyStatus::Failed("unknown".to_owned()))
            }
            _ => None,
        }
    }
}

impl fmt::Display for HeavyStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeavyStatus::Complete => write!(f, "{KEY}complete"),
            HeavyStatus::Failed(reason) => write!(f, "{KEY}failed REASON={}", printable(reason)),
        }
    }
}

/// The reported status, verified against the sizes of the worker's files; `None` for a missing one.
pub fn verify_status(reported: Option<HeavyStatus>, size: impl Fn(&str) -> Option<u64>) -> HeavyStatus {
    let holds_something = |name: &&str| size(name).is_some_and(|size| size > 0);
    let is_there = |name: &&str| size(name).is_some();
    match reported {
        Some(HeavyStatus::Failed(reason)) => HeavyStatus::Failed(reason),
        Some(HeavyStatus::Complete)
            if SUBSTANTIVE.iter().all(holds_something) && PRESENT.iter().all(is_there) =>
        {
            HeavyStatus::Complete
        }
        _ => HeavyStatus::Failed(YIELDED.to_owned()),
    }
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_the_first_line_and_nothing_but_pairs_may_follow() {
        for (printed, status) in [
            ("DESIGN_HEAVY=complete\n", Some(HeavyStatus::Complete)),
            ("DESIGN_HEAVY=complete\nFINDINGS=3\n", Some(HeavyStatus::Complete)),
            ("DESIGN_HEAVY=complete\nAll went well.\n", None),
            ("Done.\nDESIGN_HEAVY=complete\n", None),
            ("DESIGN_HEAVY=completed\n", None),
            ("DESIGN_HEAVY=failed REASON=dirty-tree\n", Some(HeavyStatus::failed("dirty-tree"))),
            ("DESIGN_HEAVY=failed REASON=dirty tree\n", Some(HeavyStatus::failed("unknown"))),
            ("DESIGN_HEAVY=failed\n", Some(HeavyStatus::failed("unknown"))),
            ("DESIGN_HEAVY=failedish\n", None),
            ("DESIGN_HEAVY=\n", None),
            ("", None),
        ] {
            assert_eq!(HeavyStatus::parse(printed), status, "{printed:?}");
        }
    }

    #[test]
    fn a_status_round_trips_through_text() {
        for status in [HeavyStatus::Complete, HeavyStatus::failed("step failed\n"), HeavyStatus::failed("")] {
            assert_eq!(HeavyStatus::parse(&format!("{status}\n")), Some(status));
        }
    }

    #[test]
    fn both_tiers_of_files_decide() {
        let all = SUBSTANTIVE.iter().chain(&PRESENT);
        assert_eq!(verify_status(Some(HeavyStatus::Complete), |_| Some(1)), HeavyStatus::Complete);
        for file in all {
            let absent = |name: &str| (name != *file).then_some(1);
            assert_eq!(
                verify_status(Some(HeavyStatus::Complete), absent),
                HeavyStatus::failed(YIELDED),
                "{file}"
            );
            let empty = |name: &str| Some(u64::from(name != *file));
            let may_be_empty = PRESENT.contains(file);
            let complete = verify_status(Some(HeavyStatus::Complete), empty) == HeavyStatus::Complete;
            assert_eq!(complete, may_be_empty, "{file}");
        }
        assert_eq!(verify_status(None, |_| Some(1)), HeavyStatus::failed(YIELDED));
        assert_eq!(
            verify_status(Some(HeavyStatus::failed("dirty-tree")), |_| None),
            HeavyStatus::failed("dirty-tree")
        );
    }
}
