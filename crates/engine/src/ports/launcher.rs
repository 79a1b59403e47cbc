//! Port: launches agents.

use super::BoxFuture;
use crate::pause::{Pause, PauseDecision};
use charrette_model::checkpoint::Usage;
use charrette_model::ledger::CitationCounts;
use charrette_model::tree::TreeChange;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Launches agents.
pub trait Launcher: Send + Sync {
    /// Runs an agent until it answers or fails.
    fn launch(&self, order: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>>;

    /// Completes a call whose answer was kept before its process could do so: compares the tree. The agent is not
    /// launched again.
    fn complete(
        &self,
        order: LaunchOrder,
        kept: KeptAnswer,
    ) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>> {
        let _ = order;
        Box::pin(async move { Ok(kept.answer()) })
    }

    /// Fallback chain of a seat: the agents that may take it, in order. Used for calls without a chain of their own.
    fn chain(&self, seat: &str) -> Vec<String> {
        let _ = seat;
        Vec::new()
    }

    /// Forgets which agents failed, so that they are asked again.
    fn forget_failures(&self) {}

    /// Records the outcome of the check of an answer's citations. For information only: errors are ignored.
    fn record_citations(&self, citations: AnswerCitations) {
        let _ = citations;
    }
}

/// Checked citations of one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerCitations {
    /// Run id.
    pub run: String,
    pub step: String,
    pub seat: String,
    pub agent: String,
    pub counts: CitationCounts,
}

/// Launch of one agent.
#[derive(Debug, Clone)]
pub struct LaunchOrder {
    pub agent: String,
    pub seat: String,
    pub phase: String,
    pub step: String,
    /// Prompt with its inputs quoted.
    pub prompt: String,
    pub reads: Vec<PromptInput>,
    /// Run id.
    pub run: String,
    /// Lane, unique in the run: identifies its processes and its scratch folder.
    pub lane: String,
    /// Model that its role pins, if any.
    pub model: Option<String>,
    pub tree_access: TreeAccess,
    /// Folder that the agent works in.
    pub workplace: Workplace,
    /// True if the role may use the web. The user's policy may still forbid it.
    pub web: bool,
    /// Session of the same agent to continue, if its client can; otherwise the prompt stands alone.
    pub session: Option<String>,
    /// Agents of the chain that were asked before, each with the reason why its answer is missing.
    pub failed: Vec<FailedAgent>,
    /// Decisions of a person about launches like this one.
    pub decisions: Vec<PauseDecision>,
    /// Keeps the answer durably, as soon as the agent has ended.
    pub keeper: AnswerKeeper,
}

/// An agent without a usable answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAgent {
    pub agent: String,
    /// Reason in one line, with the cure if there is one.
    pub reason: String,
}

/// Keeps an answer durably, before anything else looks at it.
#[derive(Clone)]
pub struct AnswerKeeper(pub Arc<dyn Fn(KeptAnswer) -> Result<(), String> + Send + Sync>);

impl fmt::Debug for AnswerKeeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnswerKeeper")
    }
}

/// Answer of an agent that has ended, before it was compared or parsed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptAnswer {
    pub text: String,
    #[serde(default)]
    pub usage: Option<Usage>,
    #[serde(default)]
    pub session: Option<String>,
    #[serde(default)]
    pub notes: Vec<String>,
    /// The tree before the call, as the tree's own port writes it.
    #[serde(default)]
    pub tree: Value,
}

impl KeptAnswer {
    /// The answer, without changes of the tree.
    pub fn answer(self) -> AgentAnswer {
        let KeptAnswer { text, usage, session, notes, tree: _ } = self;
        AgentAnswer { text, usage, session, notes, changes: Vec::new() }
    }
}

/// Folder that an agent works in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Workplace {
    /// The work tree of the run.
    #[default]
    Checkout,
    /// A copy of HEAD of its own, where it may write and run programs; removed after the call.
    Scratch,
    /// A copy of HEAD that all such calls of a run share, one after the other, so that a prototype lives from one to the
    /// next; removed with the driver.
    Workshop,
    /// A worktree of a task that it may change: its changes there are its work and stay.
    Worktree(Arc<Path>),
    /// A worktree of a task that it only reads.
    WorktreeToRead(Arc<Path>),
}

impl Workplace {
    /// The worktree of a task, if the agent works in one.
    pub fn worktree(&self) -> Option<&Arc<Path>> {
        match self {
            Workplace::Worktree(folder) | Workplace::WorktreeToRead(folder) => Some(folder),
            Workplace::Checkout | Workplace::Scratch | Workplace::Workshop => None,
        }
    }

    /// True if the agent's folder is the same in later calls, so that sessions that belong to a folder can continue.
    pub fn is_lasting(&self) -> bool {
        !matches!(self, Workplace::Scratch | Workplace::Workshop)
    }
}

/// An input of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptInput {
    pub name: String,
    /// Heading above it; its name by default.
    pub title: Option<String>,
    /// Trust that the reader may put in it.
    pub layer: InputLayer,
    pub quotation: Quotation,
    pub text: String,
    /// Local path, if it has one.
    pub location: Option<String>,
}

impl PromptInput {
    /// A text without a file of its own.
    pub fn shown(name: &str, text: &str) -> PromptInput {
        PromptInput {
            name: name.to_owned(),
            title: None,
            layer: InputLayer::default(),
            quotation: Quotation::default(),
            text: text.to_owned(),
            location: None,
        }
    }
}

/// Form in which a prompt quotes an input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Quotation {
    /// Whole while there is room, else condensed.
    #[default]
    Condensable,
    /// Whole: the text that the seat works on.
    Whole,
    /// By its path only, if it has one.
    ByPath,
}

/// Trust that a seat may put in an input, in the order of prompts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputLayer {
    /// Words of the person: the request and every decision. They bind.
    Person,
    /// Work of other seats, to be judged.
    #[default]
    Colleagues,
    /// Facts about the repository: material.
    Repository,
}

/// Write access of an agent to the work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TreeAccess {
    #[default]
    ReadOnly,
    /// May change what is under these paths.
    Under(Vec<String>),
    Unrestricted,
}

/// Answer of an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentAnswer {
    pub text: String,
    pub usage: Option<Usage>,
    /// Session id of the vendor, to continue the session in a later call.
    pub session: Option<String>,
    /// Changes to the tree during the call that it had no access for.
    pub changes: Vec<TreeChange>,
    /// Warnings for the person.
    pub notes: Vec<String>,
}

/// Error when an agent gives no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// It failed; the next agent of the chain is asked.
    #[error("{}", .0.reason)]
    Failed(Box<FailedLaunch>),
    /// Not launched: a person must decide first.
    #[error("waiting for a decision about {}", .0.kind)]
    Paused(Box<Pause>),
    /// It cannot be said what the agent did: no further agent may be launched.
    #[error("{0}")]
    Unverified(String),
    /// The run was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// A failed launch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailedLaunch {
    /// Reason, in one line.
    pub reason: String,
    /// Output of the agent, to be kept.
    pub evidence: Option<String>,
    /// Changes to the tree during the call that it had no access for.
    pub changes: Vec<TreeChange>,
}

impl LaunchError {
    /// A failed launch without evidence or changes.
    pub fn failed(reason: impl Into<String>) -> LaunchError {
        LaunchError::Failed(Box::new(FailedLaunch { reason: reason.into(), ..FailedLaunch::default() }))
    }
}
