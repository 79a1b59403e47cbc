//! Standing of a run, in one word: what it does or needs now.

use super::document::{Checkpoint, GateState};
use super::overview::CheckpointOverview;
use super::progress::answerable_questions;
use super::run::StopKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Standing of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// All phases are done.
    Complete,
    /// A driver is at work.
    Working,
    /// Questions are open.
    Waiting,
    /// A person rejected the result; another answer reopens it.
    Rejected,
    /// The last driver failed or was refused.
    Stopped,
    /// Nothing is open: it can be resumed.
    Ready,
}

/// Facts that decide a standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Facts {
    is_driven: bool,
    is_complete: bool,
    is_rejected: bool,
    has_open_questions: bool,
    stopped: Option<StopKind>,
}

impl Standing {
    /// Token in documents and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Complete => "complete",
            Standing::Working => "working",
            Standing::Waiting => "waiting",
            Standing::Rejected => "rejected",
            Standing::Stopped => "stopped",
            Standing::Ready => "ready",
        }
    }

    /// Standing of a run by its document.
    pub fn of(document: &Checkpoint, is_driven: bool) -> Standing {
        let is_open = |state: GateState| {
            document.gates.values().any(|gate| gate.state == state && !answerable_questions(gate).is_empty())
        };
        decide(Facts {
            is_driven,
            is_complete: document.completed_at.is_some(),
            is_rejected: is_open(GateState::Rejected),
            has_open_questions: is_open(GateState::Pending),
            stopped: document.run.as_ref().and_then(|run| run.stopped.as_ref()).map(|stopped| stopped.kind),
        })
    }

    /// Standing of a run by the members that a listing reads.
    pub fn of_overview(overview: &CheckpointOverview, is_driven: bool) -> Standing {
        decide(Facts {
            is_driven,
            is_complete: overview.completed_at.is_some(),
            is_rejected: overview.gates.verdict == Some(GateState::Rejected),
            has_open_questions: !overview.gates.waiting.is_empty(),
            stopped: overview.stopped().map(|stopped| stopped.kind),
        })
    }
}

fn decide(facts: Facts) -> Standing {
    match facts {
        Facts { is_driven: true, .. } => Standing::Working,
        Facts { is_complete: true, .. } => Standing::Complete,
        Facts { has_open_questions: true, .. } => Standing::Waiting,
        Facts { is_rejected: true, .. } => Standing::Rejected,
        Facts { stopped: Some(StopKind::Failed | StopKind::Refused), .. } => Standing::Stopped,
        _ => Standing::Ready,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_standing_has_its_facts() {
        let none = Facts::default();
        let stopped = |kind| Facts { stopped: Some(kind), ..none };
        for (facts, expected) in [
            (none, Standing::Ready),
            (stopped(StopKind::Interrupted), Standing::Ready),
            (stopped(StopKind::Waiting), Standing::Ready),
            (stopped(StopKind::Failed), Standing::Stopped),
            (stopped(StopKind::Refused), Standing::Stopped),
            (Facts { is_rejected: true, ..stopped(StopKind::Refused) }, Standing::Rejected),
            (Facts { has_open_questions: true, ..stopped(StopKind::Waiting) }, Standing::Waiting),
            (Facts { has_open_questions: true, is_rejected: true, ..none }, Standing::Waiting),
            (Facts { is_complete: true, is_rejected: true, ..none }, Standing::Complete),
            (
                Facts { is_driven: true, has_open_questions: true, is_complete: true, ..none },
                Standing::Working,
            ),
        ] {
            assert_eq!(decide(facts), expected, "{facts:?}");
        }
    }
}
