//! What the outside world provides: a journal that remembers, a launcher that runs agents, somebody to ask, a
//! clock, and somebody to tell.

use crate::artifact::{Artifacts, Input};
pub use crate::batch::Staged;
use crate::event::EventKind;
use crate::gate::{Gate, GateView, Reply, Standing};
use crate::pause::{Grant, Pause};
use crate::step::{StepContext, StepDone, StepError};
use crate::stop::Flow;
use charrette_model::checkpoint::Usage;
use charrette_model::stamp::Now;
use charrette_store::tree::Change;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::pin::Pin;

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a step does when it must be executed. It owns everything it needs.
pub type Body = Box<dyn FnOnce(StepContext) -> BoxFuture<'static, Result<StepDone, StepError>> + Send>;

/// A step to be done once.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its phase.
    pub phase: String,
    /// Its name within the phase.
    pub id: String,
    /// Everything it reads.
    pub reads: Vec<Input>,
    /// Whether it moves HEAD or writes outside the workspace.
    pub touches_checkout: bool,
    /// Whether it changes something outside this machine.
    pub reaches_out: bool,
}

/// What is known of a step that is done.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// What it returned.
    pub value: Value,
    /// What it wrote.
    pub outputs: Artifacts,
    /// The agent that did it.
    pub agent: Option<String>,
}

/// The memory of a run. It runs the bodies itself, so that it can be put on another engine later.
pub trait Journal: Send + Sync {
    /// Does a step, unless it was done before with the same inputs; returns what is recorded.
    fn once(&self, call: Call, body: Body) -> BoxFuture<'_, Flow<Recorded>>;

    /// Makes what was staged visible to all.
    fn collect(&self, staged: Vec<Staged>) -> Flow<()>;

    /// Where the artifacts are.
    fn files(&self) -> PathBuf;

    /// Where a gate stands; one that nobody answered yet is put on record as waiting.
    fn stand(&self, phase: &str, gate: &Gate) -> Flow<Standing>;

    /// Records answers.
    fn answer(&self, gate: &Gate, answers: Map<String, Value>) -> Flow<()>;

    /// A phase is through. The summary is a file, and what it says is kept with the phase, as are the names of the
    /// files it leaves to people.
    fn finish_phase(&self, phase: &str, summary: Option<&str>, files: &[String]) -> Flow<()>;

    /// The last phase is through, and the run with it: one change instead of two.
    fn finish_last_phase(&self, phase: &str, summary: Option<&str>) -> Flow<()>;

    /// The run is through, unless that is on record.
    fn finish_run(&self) -> Flow<()>;

    /// What agents changed in the tree while they worked for a step, in all its attempts.
    fn tree(&self, phase: &str, step: &str) -> Vec<Change>;

    /// Withdraws questions that have answered themselves.
    fn withdraw(&self, gates: &dyn Fn(&str) -> bool) -> Flow<()>;

    /// Reads the record again, because another process has driven the run meanwhile. Returns what waits for a person.
    fn refresh(&self) -> Flow<Vec<GateView>>;

    /// Tells whoever is watching.
    fn tell(&self, event: EventKind);
}

/// One call of an agent.
#[derive(Debug, Clone)]
pub struct LaunchOrder {
    /// Which agent.
    pub agent: String,
    /// Which seat it takes.
    pub seat: String,
    /// The phase it works in.
    pub phase: String,
    /// The step it works for.
    pub step: String,
    /// What it is asked.
    pub prompt: String,
    /// The files it may read, by name.
    pub reads: Vec<(String, PathBuf)>,
    /// A scratch folder of its own.
    pub lane: PathBuf,
    /// Identifies its processes: run and lane.
    pub token: (String, String),
    /// Where the artifacts and ledgers of the run are.
    pub workspace: PathBuf,
    /// The model to ask for, if its role has one pinned.
    pub model: Option<String>,
    /// What it may change in the tree.
    pub may_touch: Touch,
    /// What a person has decided about launches like this one.
    pub granted: Vec<Grant>,
}

/// What an agent may change in the tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Touch {
    /// Nothing: it reads.
    #[default]
    Nothing,
    /// What is under these paths.
    Under(Vec<String>),
    /// Anything.
    Anything,
}

/// What an agent answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentAnswer {
    /// The text.
    pub text: String,
    /// What it cost.
    pub usage: Option<Usage>,
    /// What changed in the tree meanwhile that it may not touch.
    pub changes: Vec<Change>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// Why an agent gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// It failed; the next agent of the chain may do better.
    #[error("{}", .0.why)]
    Failed(Box<FailedLaunch>),
    /// It was not launched: a person must decide first.
    #[error("waiting for a decision about {}", .0.about)]
    Paused(Box<Pause>),
    /// The run is coming to an end.
    #[error("interrupted")]
    Interrupted,
}

/// How a launch failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailedLaunch {
    /// Why, in one line.
    pub why: String,
    /// What it said, to be kept.
    pub evidence: Option<String>,
    /// What changed in the tree meanwhile that it may not touch.
    pub changes: Vec<Change>,
}

impl LaunchError {
    /// A launch that failed and left nothing behind.
    pub fn failed(why: impl Into<String>) -> LaunchError {
        LaunchError::Failed(Box::new(FailedLaunch { why: why.into(), ..FailedLaunch::default() }))
    }
}

/// Runs agents.
pub trait Launcher: Send + Sync {
    /// Runs one to its answer.
    fn launch(&self, order: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>>;

    /// Who may take a seat, in order, for a call that does not say.
    fn chain(&self, seat: &str) -> Vec<String> {
        let _ = seat;
        Vec::new()
    }

    /// Undoes changes in the tree, having kept them in `patch`. Returns what could not be undone, in words.
    fn undo(&self, changes: Vec<Change>, patch: PathBuf) -> BoxFuture<'static, Result<Vec<String>, String>> {
        let _ = patch;
        let count = changes.len();
        Box::pin(async move { Err(format!("this launcher cannot undo {count} changes")) })
    }
}

/// Asks a person.
pub trait Asker: Send + Sync {
    /// Asks the open questions of a gate.
    fn ask<'a>(&'a self, view: &'a GateView) -> BoxFuture<'a, Reply>;
}

/// Knows the time.
pub trait Clock: Send + Sync {
    /// The time to write into documents.
    fn now(&self) -> Now;
}
