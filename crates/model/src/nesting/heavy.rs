//! What a worker says about the heavy part of a design, and whether it is believed.
//!
//! A worker's word is not enough: the files it was to leave must be there. The first of them must hold something,
//! whoever reads them; the others may be empty and must exist, because an export names them.

use crate::panel::names::{ACCEPTED, CONTESTED, OUT_OF_SCOPE, PLAN, REJECTED, SYNTHESIS, TALLY};
use crate::shown::shown;
use std::fmt;

/// The reason when a worker ended without a word, or without the files it speaks of.
pub const YIELDED: &str = "worker-yielded-without-artifacts";

/// What must be there and hold something.
pub const SUBSTANTIVE: [&str; 3] = [PLAN, SYNTHESIS, TALLY];

/// What must be there.
pub const PRESENT: [&str; 4] = [CONTESTED, OUT_OF_SCOPE, REJECTED, ACCEPTED];

const KEY: &str = "DESIGN_HEAVY=";

/// What came of the heavy part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeavyStatus {
    /// It is done.
    Complete,
    /// It is not, for this reason: a short token.
    Failed(String),
}

impl HeavyStatus {
    /// A failure, with anything that is no token taken out of its reason.
    pub fn failed(reason: &str) -> HeavyStatus {
        let token: String = reason.chars().filter(|c| is_token(*c)).take(64).collect();
        HeavyStatus::Failed(if token.is_empty() { "unknown".to_owned() } else { token })
    }

    /// Reads what a worker printed. Its first line is the status; what follows may only be `KEY=VALUE` lines.
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
            // Failed it has, whatever else it wants to say.
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
            HeavyStatus::Failed(reason) => write!(f, "{KEY}failed REASON={}", shown(reason)),
        }
    }
}

/// What is made of a worker's word, given the sizes of its files; `None` for one that is not there.
pub fn judged(said: Option<HeavyStatus>, size: impl Fn(&str) -> Option<u64>) -> HeavyStatus {
    let holds_something = |name: &&str| size(name).is_some_and(|size| size > 0);
    let is_there = |name: &&str| size(name).is_some();
    match said {
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
    fn what_is_said_is_read() {
        for status in [HeavyStatus::Complete, HeavyStatus::failed("step failed\n"), HeavyStatus::failed("")] {
            assert_eq!(HeavyStatus::parse(&format!("{status}\n")), Some(status));
        }
    }

    #[test]
    fn both_tiers_of_files_decide() {
        let all = SUBSTANTIVE.iter().chain(&PRESENT);
        assert_eq!(judged(Some(HeavyStatus::Complete), |_| Some(1)), HeavyStatus::Complete);
        for file in all {
            let absent = |name: &str| (name != *file).then_some(1);
            assert_eq!(judged(Some(HeavyStatus::Complete), absent), HeavyStatus::failed(YIELDED), "{file}");
            let empty = |name: &str| Some(u64::from(name != *file));
            let may_be_empty = PRESENT.contains(file);
            let complete = judged(Some(HeavyStatus::Complete), empty) == HeavyStatus::Complete;
            assert_eq!(complete, may_be_empty, "{file}");
        }
        assert_eq!(judged(None, |_| Some(1)), HeavyStatus::failed(YIELDED));
        assert_eq!(
            judged(Some(HeavyStatus::failed("dirty-tree")), |_| None),
            HeavyStatus::failed("dirty-tree")
        );
    }
}
