//! Running agents.

use super::BoxFuture;
use crate::pause::{Grant, Pause};
use charrette_model::checkpoint::Usage;
use charrette_model::tree::Change;

/// Runs agents.
pub trait Launcher: Send + Sync {
    /// Runs one to its answer.
    fn launch(&self, order: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>>;

    /// Who may take a seat, in order, for a call that does not say.
    fn chain(&self, seat: &str) -> Vec<String> {
        let _ = seat;
        Vec::new()
    }
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
    /// What it is asked, with what it reads quoted.
    pub prompt: String,
    /// What it reads.
    pub reads: Vec<Readable>,
    /// The id of the run.
    pub run: String,
    /// The lane it works in, unique in the run: it identifies its processes and its scratch folder.
    pub lane: String,
    /// The model to ask for, if its role has one pinned.
    pub model: Option<String>,
    /// What it may change in the tree.
    pub may_touch: Touch,
    /// What a person has decided about launches like this one.
    pub granted: Vec<Grant>,
}

/// Something an agent reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// Its name.
    pub name: String,
    /// What it says.
    pub text: String,
    /// How a program on this machine can open it, if it can.
    pub location: Option<String>,
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
