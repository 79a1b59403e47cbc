//! State of a run in memory.

use crate::gate::{FEEDBACK, GateQuestion, GateView};
use charrette_model::checkpoint::GateState;
use charrette_model::checkpoint::gate::{GateOutcome, settle};
use charrette_model::tree::TreeChange;
use charrette_store::workspace::sha256;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A run in memory, shared by its drivers.
#[derive(Debug, Clone, Default)]
pub struct MemoryRun(Arc<Mutex<State>>);

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) id: String,
    pub(super) steps: BTreeMap<(String, String), StepState>,
    pub(super) gates: BTreeMap<String, MemoryGate>,
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// Staged files of parallel groups, by lane, until the group is collected.
    pub(super) staged: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    /// Name and digest of every file version that a step of this run wrote.
    pub(super) own: BTreeSet<(String, String)>,
    pub(super) finished_phases: Vec<String>,
    pub(super) is_complete: bool,
    pub(super) stopped: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct StepState {
    pub(super) attempt: u32,
    pub(super) is_done: bool,
    pub(super) inputs: BTreeMap<String, String>,
    pub(super) outputs: Vec<String>,
    pub(super) value: Value,
    pub(super) agent: Option<String>,
    pub(super) tree: Vec<TreeChange>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct MemoryGate {
    pub(super) subject: String,
    pub(super) questions: Vec<GateQuestion>,
    pub(super) answers: Map<String, Value>,
    pub(super) state: Option<GateState>,
    pub(super) round: u32,
    pub(super) at: Option<String>,
}

impl MemoryRun {
    /// Makes a run without steps.
    pub fn new(id: &str) -> MemoryRun {
        let run = MemoryRun::default();
        id.clone_into(&mut run.state().id);
        run
    }

    /// Changes a file, as a person would.
    pub fn edit(&self, name: &str, bytes: impl Into<Vec<u8>>) {
        self.state().files.insert(name.to_owned(), bytes.into());
    }

    /// Removes a file, as a person would.
    pub fn remove(&self, name: &str) {
        self.state().files.remove(name);
    }

    /// Answers a gate from outside the driver. False if there is no such gate.
    pub fn answer(&self, gate: &str, answers: Map<String, Value>) -> bool {
        match self.state().gates.get_mut(gate) {
            Some(gate) => {
                gate.add_answers(answers);
                true
            }
            None => false,
        }
    }

    /// Loses all staged files, as a broken disk would.
    pub fn lose_staged(&self) {
        self.state().staged.clear();
    }

    /// Collects all staged files, even of running groups.
    pub fn collect_everything(&self) {
        let mut state = self.state();
        for (name, bytes) in std::mem::take(&mut state.staged).into_values().flatten() {
            state.own.insert((name.clone(), sha256(&bytes)));
            state.files.insert(name, bytes);
        }
    }

    /// Deletes the record of a step.
    pub fn forget(&self, phase: &str, step: &str) {
        self.state().steps.remove(&(phase.to_owned(), step.to_owned()));
    }

    /// Deletes the records of tree changes.
    pub fn forget_tree(&self) {
        for step in self.state().steps.values_mut() {
            step.tree.clear();
        }
    }

    /// True if the run is complete.
    pub fn is_complete(&self) -> bool {
        self.state().is_complete
    }

    /// Message of the last stop.
    pub fn stop_message(&self) -> Option<String> {
        self.state().stopped.clone()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryGate {
    pub(super) fn add_answers(&mut self, answers: Map<String, Value>) {
        self.answers.extend(answers);
        self.at = Some("now".to_owned());
        self.state = match settle(&self.questions, &self.answers, self.round) {
            GateOutcome::Missing(_) => Some(GateState::Pending),
            GateOutcome::Settled(state) => Some(state),
        };
        if self.state == Some(GateState::Revise) {
            self.round += 1;
        }
    }

    /// Open questions.
    pub(super) fn open(&self) -> Vec<GateQuestion> {
        if self.state == Some(GateState::Rejected) {
            return self.questions.iter().filter(|question| question.approval).cloned().collect();
        }
        match settle(&self.questions, &self.answers, self.round) {
            GateOutcome::Missing(keys) => {
                let feedback = GateQuestion::free_text(FEEDBACK, "What should be revised?");
                let all = self.questions.iter().cloned().chain([feedback]);
                all.filter(|question| keys.contains(&question.key)).collect()
            }
            GateOutcome::Settled(_) => Vec::new(),
        }
    }

    pub(super) fn view(&self, name: &str, subject: Vec<String>, page: &str) -> GateView {
        GateView {
            gate: name.to_owned(),
            subject,
            page: page.to_owned(),
            open: self.open(),
            is_rejected: self.state == Some(GateState::Rejected),
            round: self.round,
        }
    }
}
