//! What a run starts from, as its flow judges it before anything is created or spent.

use crate::ports::TrackerState;
use charrette_model::config::Settings;
use serde_json::{Map, Value};

/// Facts about the start of a run.
pub struct StartFacts<'a> {
    /// Display name of the feature.
    pub feature: &'a str,
    pub flags: &'a Map<String, Value>,
    pub settings: &'a Settings,
    /// Reads a file of the specification folder, by name; none if there is none.
    pub specification: &'a dyn Fn(&str) -> Option<String>,
    /// Reads the specification file as it was when it was approved, by name; none if that is not known.
    pub approved: &'a dyn Fn(&str) -> Option<String>,
    /// Approval of the specification that its design recorded.
    pub recorded_approval: Option<RecordedApproval>,
    /// Verify commands that the repository suggests, with their names; asked only where none is configured.
    pub proposed_verify: &'a dyn Fn() -> Vec<(String, String)>,
    /// True if an agent is installed that can take a seat of this id.
    pub has_agent: &'a dyn Fn(&str) -> bool,
    /// Why the git that is installed cannot keep worktrees and merge in them; none if it can.
    pub git_problem: &'a dyn Fn() -> Option<String>,
    /// State of the tracker; asked only if the run is to create issues.
    pub tracker: &'a dyn Fn() -> TrackerState,
}

/// Approval of a specification as the document of its design has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedApproval {
    /// Digest of the approved texts.
    pub digest: String,
    /// The person who approved.
    pub by: String,
}

/// Reason why a run cannot start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartProblem {
    pub kind: StartProblemKind,
    /// The reason, and further lines such as a diff.
    pub message: String,
    /// What to do about it, one line each.
    pub hints: Vec<String>,
}

/// Kind of a problem at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartProblemKind {
    /// What was typed, or what it names, cannot be used.
    Usage,
    /// A guard refuses the start until something is done.
    Refused,
}

impl StartProblem {
    pub fn usage(message: impl Into<String>) -> StartProblem {
        StartProblem { kind: StartProblemKind::Usage, message: message.into(), hints: Vec::new() }
    }

    pub fn refused(message: impl Into<String>) -> StartProblem {
        StartProblem { kind: StartProblemKind::Refused, message: message.into(), hints: Vec::new() }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> StartProblem {
        self.hints.push(hint.into());
        self
    }
}
