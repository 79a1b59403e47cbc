//! The memory of a run.
//!
//! A journal runs the bodies of steps itself, so it can be put on another engine. Everything in its signatures is a value;
//! no local path is among them. What a journal must do is written down in [`crate::journal::conformance`], as checks that
//! any implementation can be held against.

use super::{ArtifactStore, BoxFuture};
use crate::artifact::Input;
use crate::event::EventKind;
use crate::gate::{Gate, GateStanding, GateView};
use crate::step::{StepContext, StepDone, StepError};
use crate::stop::{Flow, Stop};
use charrette_model::tree::Change;
use serde_json::{Map, Value};
use std::sync::Arc;

/// What a step does when it must be executed. It owns everything it needs.
pub type Body = Box<dyn FnOnce(StepContext) -> BoxFuture<'static, Result<StepDone, StepError>> + Send>;

/// The memory of a run.
pub trait Journal: Send + Sync {
    /// The id of the run.
    fn run_id(&self) -> String;

    /// The files of the run.
    fn artifacts(&self) -> Arc<dyn ArtifactStore>;

    /// Where a person finds the files, in words.
    fn place(&self) -> String;

    /// Does a step, unless it was done before with the same inputs; returns what is recorded. What it wrote inside a
    /// parallel group is staged: others see it when the group is collected.
    fn once(&self, call: Call, body: Body) -> BoxFuture<'_, Flow<Recorded>>;

    /// Makes what was staged visible to all.
    fn collect(&self, staged: Vec<Staged>) -> BoxFuture<'_, Flow<()>>;

    /// Where a gate stands; one that was not answered yet is put on record as waiting, with what is shown.
    fn stand<'a>(&'a self, phase: &'a str, gate: &'a Gate) -> BoxFuture<'a, Flow<GateStanding>>;

    /// Records answers to a gate of that name.
    fn answer<'a>(&'a self, gate: &'a str, answers: Map<String, Value>) -> BoxFuture<'a, Flow<()>>;

    /// The gates that wait for an answer.
    fn waiting(&self) -> BoxFuture<'_, Flow<Vec<GateView>>>;

    /// Withdraws questions that have answered themselves, by the names of their gates.
    fn withdraw(&self, gates: Vec<String>) -> BoxFuture<'_, Flow<()>>;

    /// A phase is through.
    fn finish_phase(&self, end: PhaseEnd) -> BoxFuture<'_, Flow<()>>;

    /// The run is through, unless that is on record.
    fn finish_run(&self) -> BoxFuture<'_, Flow<()>>;

    /// The driver stops before the end, for this reason.
    fn stop_run<'a>(&'a self, stop: &'a Stop) -> BoxFuture<'a, ()>;

    /// What agents changed in the tree while they worked for a step, in all its attempts.
    fn tree_changes<'a>(&'a self, phase: &'a str, step: &'a str) -> BoxFuture<'a, Vec<Change>>;

    /// Reads the record again, because another process has driven the run meanwhile.
    fn refresh(&self) -> BoxFuture<'_, Flow<()>>;

    /// Tells whoever is watching.
    fn tell(&self, event: EventKind);
}

/// A step to be done once.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its phase.
    pub phase: String,
    /// The parallel branches it runs in, outermost first: `group/branch`. Empty outside of groups.
    pub branch: Vec<String>,
    /// Its name within the phase.
    pub id: String,
    /// Everything it reads and depends on.
    pub reads: Vec<Input>,
    /// Files it may rewrite in place: it sees them as they are, and does not depend on what they say.
    pub revises: Vec<String>,
    /// Whether it moves HEAD or writes outside the workspace.
    pub touches_checkout: bool,
    /// Whether it changes something outside this machine.
    pub reaches_out: bool,
    /// The agent that is asked first, if the step is a call of an agent.
    pub agent: Option<String>,
}

impl Call {
    /// Whether it can be done again at no cost: it changes nothing but the files it writes into the workspace.
    pub fn is_local(&self) -> bool {
        !self.touches_checkout && !self.reaches_out && self.agent.is_none()
    }
}

/// What is known of a step that is done.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// What it returned.
    pub value: Value,
    /// The names of what it wrote.
    pub outputs: Vec<String>,
    /// The agent that did it.
    pub agent: Option<String>,
}

/// What a step staged and was not collected yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// The lane it was staged in.
    pub lane: String,
    /// The names of the files.
    pub names: Vec<String>,
}

/// The end of a phase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhaseEnd {
    /// The phase.
    pub phase: String,
    /// The file that says what the next phase needs to know.
    pub summary: Option<String>,
    /// The names of the files it leaves to people.
    pub files: Vec<String>,
    /// Whether the run is through with it: one change instead of two.
    pub ends_run: bool,
}

/// One attempt at a step, as the journal sees it: what an agent call needs besides its inputs.
pub trait Lane: Send + Sync {
    /// Its name, unique in the run and harmless as a file name.
    fn name(&self) -> String;

    /// Which attempt, from 1.
    fn attempt(&self) -> u32;

    /// Puts on record who is about to be launched. Nothing may be launched if this fails.
    fn seat<'a>(&'a self, agent: &'a str) -> BoxFuture<'a, Result<(), String>>;

    /// Puts on record what agents changed in the tree. It must not be lost: a person will be asked about it.
    fn note_tree<'a>(&'a self, changes: &'a [Change]) -> BoxFuture<'a, Result<(), String>>;

    /// Keeps an answer that could not be used. Returns its name.
    fn keep_evidence<'a>(&'a self, agent: &'a str, text: &'a str) -> BoxFuture<'a, String>;

    /// Tells whoever is watching.
    fn tell(&self, event: EventKind);
}
