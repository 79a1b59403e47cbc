//! State of the tasks of a run, as the recorded steps imply it.

use super::checks::CheckResult;
use crate::ports::worktrees::ObjectId;
use charrette_model::implement::follow_ups::FollowUp;
use charrette_model::implement::{ProofVerdict, TaskState, TaskStates};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A task whose work is part of the integrated tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct IntegratedTask {
    pub(super) id: String,
    pub(super) title: String,
    /// Its commit on the integration ref; none if it changed nothing.
    pub(super) commit: Option<ObjectId>,
    /// Summary of its implementer, for the tasks that depend on it.
    pub(super) summary: String,
    /// Paths that it changed.
    pub(super) files: Vec<String>,
}

/// Accepted work of a task, ready to be integrated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct AcceptedWork {
    /// Commit that it began at.
    pub(super) base: ObjectId,
    pub(super) tree: ObjectId,
    pub(super) files: Vec<String>,
    pub(super) summary: String,
    /// Agent that did it; none for a person.
    pub(super) agent: Option<String>,
    /// Remarks of the reviewer that do not block.
    pub(super) notes: Vec<String>,
    /// True if a person took it although it did not pass.
    pub(super) is_taken: bool,
}

/// One round of work on a task, for the report.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RoundRecord {
    pub(super) attempt: usize,
    pub(super) round: usize,
    pub(super) agent: Option<String>,
    pub(super) reviewer: Option<String>,
    pub(super) verdict: Option<String>,
    pub(super) checks: Vec<CheckResult>,
    /// What the proof showed, in words.
    pub(super) proof: String,
    pub(super) verdict_of_proof: Option<ProofVerdict>,
    pub(super) passed: bool,
    /// Why it did not pass, one line each.
    pub(super) reasons: Vec<String>,
    /// What was found and does not block, one line each.
    pub(super) remarks: Vec<String>,
    /// What the implementer says was not done.
    pub(super) not_done: Vec<String>,
    /// Findings of the reviewer that are out of scope.
    pub(super) out_of_scope: Vec<FollowUp>,
}

/// A task that waits for a person.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ParkedTask {
    /// Why, one line each.
    pub(super) reasons: Vec<String>,
    /// What it has so far, if a person may take it as it is.
    pub(super) takeable: Option<AcceptedWork>,
    /// Folder of its worktree.
    pub(super) folder: String,
    /// File with the evidence.
    pub(super) evidence: Option<String>,
    /// Commit that its work began at; empty if it has not begun.
    pub(super) base: ObjectId,
    /// Content of its worktree.
    pub(super) content: ObjectId,
    /// True if a person does it in the worktree.
    pub(super) is_by_hand: bool,
}

/// Everything that is known about the tasks of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct RunState {
    pub(super) states: TaskStates,
    pub(super) integrated: BTreeMap<String, IntegratedTask>,
    pub(super) parked: BTreeMap<String, ParkedTask>,
    /// Rounds of all tasks, in order.
    pub(super) rounds: BTreeMap<String, Vec<RoundRecord>>,
    /// Number of attempts at each task so far.
    pub(super) attempts: BTreeMap<String, usize>,
    /// Number of times that each task was reopened because it did not fit with others.
    pub(super) reopened: BTreeMap<String, usize>,
    /// Number of gates opened for each task so far.
    pub(super) gates: BTreeMap<String, usize>,
    /// Reasons of the tasks that a person skipped, or that could not begin.
    pub(super) skipped: BTreeMap<String, String>,
    /// What a person decided about tasks, in words.
    pub(super) decisions: BTreeMap<String, String>,
    /// Number of tasks that this run integrated.
    pub(super) count: usize,
}

impl RunState {
    pub(super) fn state(&self, id: &str) -> TaskState {
        self.states.get(id).copied().unwrap_or_default()
    }

    pub(super) fn set(&mut self, id: &str, state: TaskState) {
        self.states.insert(id.to_owned(), state);
    }
}
