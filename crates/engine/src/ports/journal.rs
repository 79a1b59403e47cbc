//! Port: the journal, the durable record of a run.
//!
//! A journal executes the bodies of steps itself, so it can be implemented on another engine. Its signatures hold values
//! only, no local paths. [`crate::journal::conformance`] is the test suite for any implementation.

use super::{ArtifactStore, BoxFuture, KeptAnswer};
use crate::artifact::Input;
use crate::event::EventKind;
use crate::gate::{Gate, GateStatus, GateView};
use crate::step::{StepContext, StepError, StepOutput};
use crate::stop::{FlowResult, Stop};
use charrette_model::checkpoint::Usage;
use charrette_model::checkpoint::tasks::TaskNotes;
use charrette_model::tree::TreeChange;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Body of a step, executed when there is no valid record. It owns everything it needs.
pub type StepBody = Box<dyn FnOnce(StepContext) -> BoxFuture<'static, Result<StepOutput, StepError>> + Send>;

/// Durable record of a run.
pub trait Journal: Send + Sync {
    fn run_id(&self) -> String;

    fn artifacts(&self) -> Arc<dyn ArtifactStore>;

    /// Location of the files, for people.
    fn location(&self) -> String;

    /// Executes a step unless it is on record with the same inputs; returns its recorded outcome. Files written inside a
    /// parallel group are staged: other steps see them once the group is collected.
    fn once(&self, call: StepCall, body: StepBody) -> BoxFuture<'_, FlowResult<StepOutcome>>;

    /// Recorded outcome of a step that need not be executed again; none if it must be, or if only [`Journal::once`] can
    /// tell.
    fn reuse(&self, _call: &StepCall) -> FlowResult<Option<StepOutcome>> {
        Ok(None)
    }

    /// Publishes staged files.
    fn collect(&self, staged: Vec<StagedFiles>) -> BoxFuture<'_, FlowResult<()>>;

    /// Status of a gate. One without an answer is recorded as waiting, with its page.
    fn open_gate<'a>(&'a self, phase: &'a str, gate: &'a Gate) -> BoxFuture<'a, FlowResult<GateStatus>>;

    /// Records answers to a gate of that name.
    fn answer_gate<'a>(&'a self, gate: &'a str, answers: Map<String, Value>)
    -> BoxFuture<'a, FlowResult<()>>;

    /// Gates that wait for an answer.
    fn waiting_gates(&self) -> BoxFuture<'_, FlowResult<Vec<GateView>>>;

    /// Withdraws gates that are no longer needed, by name.
    fn withdraw_gates(&self, gates: Vec<String>) -> BoxFuture<'_, FlowResult<()>>;

    /// Notes the tasks of a phase for people and other programs. Nothing is decided by it, and a journal may leave it out.
    fn note_tasks<'a>(&'a self, phase: &'a str, notes: TaskNotes) -> BoxFuture<'a, FlowResult<()>> {
        let _ = (phase, notes);
        Box::pin(async { Ok(()) })
    }

    /// Tokens and cost of the finished steps of a phase, by step id, as far as they are recorded.
    fn usage<'a>(&'a self, phase: &'a str) -> BoxFuture<'a, Vec<(String, Usage)>> {
        let _ = phase;
        Box::pin(async { Vec::new() })
    }

    /// Records the end of a phase.
    fn finish_phase(&self, end: PhaseEnd) -> BoxFuture<'_, FlowResult<()>>;

    /// Records the end of the run, once.
    fn finish_run(&self) -> BoxFuture<'_, FlowResult<()>>;

    /// Records that the driver stopped before the end.
    fn stop_run<'a>(&'a self, stop: &'a Stop) -> BoxFuture<'a, ()>;

    /// Changes that agents made to the tree during a step, in all its attempts.
    fn tree_changes<'a>(&'a self, phase: &'a str, step: &'a str) -> BoxFuture<'a, Vec<TreeChange>>;

    /// Reads the record again after another process has driven the run.
    fn reload(&self) -> BoxFuture<'_, FlowResult<()>>;

    /// Sends an event to the subscribers.
    fn emit(&self, event: EventKind);
}

/// The reach of a step's effects beyond its record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StepReach {
    /// Files in the workspace: it can be repeated at no cost.
    #[default]
    Workspace,
    /// A ref of the run: everything before it is on record before the ref moves.
    Ref,
    /// HEAD, or files outside the workspace: it runs under the lock of the checkout.
    Checkout,
    /// Something outside this machine: it is not started unless its start can be recorded.
    Outside,
}

/// A step to be executed once.
#[derive(Debug, Clone)]
pub struct StepCall {
    pub phase: String,
    /// Parallel branches it runs in, outermost first: `group/branch`. Empty outside of groups.
    pub branch: Vec<String>,
    /// Step id within the phase.
    pub id: String,
    pub reads: Vec<Input>,
    /// Files it may rewrite in place: readable, but not inputs.
    pub revises: Vec<String>,
    pub reach: StepReach,
    /// True if another process drives the run meanwhile, and changes its record.
    pub delegates: bool,
    /// First agent of the chain, if the step is an agent call.
    pub agent: Option<String>,
}

impl StepCall {
    /// True if it can be repeated at no cost: its only effects are files in the workspace.
    pub fn is_local(&self) -> bool {
        self.reach == StepReach::Workspace && self.agent.is_none()
    }
}

/// Recorded outcome of a finished step.
#[derive(Debug, Clone)]
pub struct StepOutcome {
    pub value: Value,
    /// Names of the files it wrote.
    pub outputs: Vec<String>,
    /// The agent that answered.
    pub agent: Option<String>,
}

/// Files of a step that are staged and not yet collected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedFiles {
    /// Lane they are staged in.
    pub lane: String,
    pub names: Vec<String>,
}

/// The end of a phase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhaseEnd {
    pub phase: String,
    /// File with the summary for the next phase.
    pub summary: Option<String>,
    /// Names of the delivered files.
    pub files: Vec<String>,
    /// True if the run ends with it: both are recorded in one change.
    pub ends_run: bool,
}

/// One attempt at a step: the services of the journal for an agent call.
pub trait Lane: Send + Sync {
    /// Lane name, unique in the run and safe as a file name.
    fn name(&self) -> String;

    /// Number of the attempt, from 1.
    fn attempt(&self) -> u32;

    /// Records the agent that is about to be launched. If this fails, it must not be launched.
    fn record_agent<'a>(&'a self, agent: &'a str) -> BoxFuture<'a, Result<(), String>>;

    /// Records changes that agents made to the tree. They must not be lost: a person decides on them.
    fn record_changes<'a>(&'a self, changes: &'a [TreeChange]) -> BoxFuture<'a, Result<(), String>>;

    /// Keeps an answer durably under a key, until the step is done or failed.
    fn keep_answer(&self, key: &str, answer: &KeptAnswer) -> Result<(), String> {
        let _ = (key, answer);
        Ok(())
    }

    /// Notes that the tree was compared after the call, and its changes are on record.
    fn mark_compared(&self, key: &str) {
        let _ = key;
    }

    /// The answer kept under a key by an interrupted attempt; without the tree, if that was compared.
    fn kept_answer(&self, key: &str) -> Option<KeptAnswer> {
        let _ = key;
        None
    }

    /// Keeps an unusable answer as evidence. Returns the name of its file.
    fn keep_evidence<'a>(&'a self, agent: &'a str, text: &'a str) -> BoxFuture<'a, String>;

    /// Sends an event to the subscribers.
    fn emit(&self, event: EventKind);
}
