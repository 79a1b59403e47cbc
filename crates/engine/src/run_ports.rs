//! The ports of a run in one value, and ports that always fail for runs that need few.

use crate::ports::checkout::{BranchOrder, BranchReport, Checkout, Delivery, EntryReport, PortError};
use crate::ports::children::{ChildError, ChildOrder, Children};
use crate::ports::diagram_renderer::DiagramRenderer;
use crate::ports::survey::{SurveyTexts, Surveyor};
use crate::ports::tracker::{IssueOrder, Tracker, TrackerError, TrackerState};
use crate::ports::tree::{Tree, TreeSnapshot};
use crate::ports::verifier::{CommandOrder, CommandReport, Verifier};
use crate::ports::worktrees::{
    AdvanceOrder, BeginOrder, CaptureOrder, CommitOrder, FileEdit, LandOrder, MergeOrder, ObjectId,
    WorktreeOrder, WorktreeResult, Worktrees,
};
use crate::ports::{Asker, BoxFuture, Caller, Launcher, Worker, worktrees};
use charrette_model::spec::record::LinearIssue;
use charrette_model::tree::TreeChange;
use std::path::PathBuf;
use std::sync::Arc;

/// The ports of a run: everything the outside world provides to it.
#[derive(Clone)]
pub struct Ports {
    pub launcher: Arc<dyn Launcher>,
    pub asker: Arc<dyn Asker>,
    pub checkout: Arc<dyn Checkout>,
    /// Compares the work tree before and after an agent.
    pub tree: Arc<dyn Tree>,
    pub surveyor: Arc<dyn Surveyor>,
    pub diagrams: Arc<dyn DiagramRenderer>,
    pub tracker: Arc<dyn Tracker>,
    /// Opens child runs.
    pub children: Arc<dyn Children>,
    /// Worktrees of tasks.
    pub worktrees: Arc<dyn Worktrees>,
    /// Runs verify commands and proofs.
    pub verifier: Arc<dyn Verifier>,
    /// The run that called this one.
    pub caller: Option<Arc<dyn Caller>>,
    pub process_role: ProcessRole,
}

/// Role of this process in a run whose heavy part can be delegated to a worker process.
#[derive(Clone, Default)]
pub enum ProcessRole {
    /// Runs everything itself.
    #[default]
    Sole,
    /// Delegates the heavy part to this worker.
    Delegator(Arc<dyn Worker>),
    /// Runs the heavy part only, as the worker of another process.
    Worker,
}

impl Ports {
    /// Ports with a launcher and an asker; every other port fails.
    pub fn minimal(launcher: Arc<dyn Launcher>, asker: Arc<dyn Asker>) -> Ports {
        let absent = Arc::new(AbsentPort);
        Ports {
            launcher,
            asker,
            checkout: absent.clone(),
            tree: absent.clone(),
            surveyor: absent.clone(),
            diagrams: absent.clone(),
            tracker: absent.clone(),
            children: absent.clone(),
            worktrees: absent.clone(),
            verifier: absent,
            caller: None,
            process_role: ProcessRole::default(),
        }
    }

    /// True if this process is the worker of another.
    pub fn is_worker(&self) -> bool {
        matches!(self.process_role, ProcessRole::Worker)
    }
}

impl std::fmt::Debug for Ports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ports")
    }
}

/// Implementation of every port that always fails.
#[derive(Debug, Clone, Copy)]
pub struct AbsentPort;

fn absent_port(port: &str) -> String {
    format!("the {port} port is not available in this run")
}

fn absent<T: Send + 'static>(port: &'static str) -> BoxFuture<'static, Result<T, String>> {
    Box::pin(async move { Err(absent_port(port)) })
}

impl Checkout for AbsentPort {
    fn enter(&self) -> BoxFuture<'static, Result<EntryReport, PortError>> {
        Box::pin(async { Err(PortError::Failed(absent_port("checkout"))) })
    }

    fn switch_branch(&self, _: BranchOrder) -> BoxFuture<'static, Result<BranchReport, PortError>> {
        Box::pin(async { Err(PortError::Failed(absent_port("checkout"))) })
    }

    fn deliver(&self, _: Delivery) -> BoxFuture<'static, Result<(), PortError>> {
        Box::pin(async { Err(PortError::Failed(absent_port("checkout"))) })
    }

    fn exists(&self, _: &str) -> bool {
        false
    }
}

impl Tree for AbsentPort {
    fn snapshot(&self) -> BoxFuture<'static, Result<TreeSnapshot, String>> {
        absent("tree")
    }

    fn changes(
        &self,
        _: TreeSnapshot,
        _: TreeSnapshot,
    ) -> BoxFuture<'static, Result<Vec<TreeChange>, String>> {
        absent("tree")
    }

    fn patch(&self, _: Vec<TreeChange>) -> BoxFuture<'static, Result<Vec<u8>, String>> {
        absent("tree")
    }

    fn undo(&self, _: Vec<TreeChange>) -> BoxFuture<'static, Result<Vec<String>, String>> {
        absent("tree")
    }

    fn copy_head(&self, _: PathBuf) -> BoxFuture<'static, Result<(), String>> {
        absent("tree")
    }
}

impl Surveyor for AbsentPort {
    fn survey(&self, _: String) -> BoxFuture<'static, Result<SurveyTexts, String>> {
        absent("surveyor")
    }
}

impl DiagramRenderer for AbsentPort {
    fn render(&self, _: String) -> BoxFuture<'static, Result<Option<String>, String>> {
        absent("diagrams")
    }
}

impl Tracker for AbsentPort {
    fn state(&self) -> TrackerState {
        TrackerState::NotConfigured
    }

    fn create(&self, _: IssueOrder) -> BoxFuture<'static, Result<LinearIssue, TrackerError>> {
        Box::pin(async { Err(TrackerError::Failed(absent_port("tracker"))) })
    }
}

impl Children for AbsentPort {
    fn open(&self, _: ChildOrder) -> BoxFuture<'static, Result<crate::child::OpenChild, ChildError>> {
        Box::pin(async { Err(ChildError::Failed(absent_port("children"))) })
    }
}

fn absent_worktrees<T: Send + 'static>() -> WorktreeResult<T> {
    Box::pin(async { Err(PortError::Failed(absent_port("worktrees"))) })
}

impl Worktrees for AbsentPort {
    fn begin(&self, _: BeginOrder) -> WorktreeResult<worktrees::IntegrationBase> {
        absent_worktrees()
    }

    fn tip(&self, _: String) -> WorktreeResult<ObjectId> {
        absent_worktrees()
    }

    fn prepare(&self, _: WorktreeOrder) -> WorktreeResult<worktrees::Worktree> {
        absent_worktrees()
    }

    fn capture(&self, _: CaptureOrder) -> WorktreeResult<worktrees::Change> {
        absent_worktrees()
    }

    fn commit(&self, _: CommitOrder) -> WorktreeResult<ObjectId> {
        absent_worktrees()
    }

    fn merge(&self, _: MergeOrder) -> WorktreeResult<worktrees::Merge> {
        absent_worktrees()
    }

    fn advance(&self, _: AdvanceOrder) -> WorktreeResult<worktrees::Advance> {
        absent_worktrees()
    }

    fn land(&self, _: LandOrder) -> WorktreeResult<worktrees::Landing> {
        absent_worktrees()
    }

    fn diff(&self, _: ObjectId, _: ObjectId, _: usize) -> WorktreeResult<worktrees::DiffText> {
        absent_worktrees()
    }

    fn read(&self, _: Vec<worktrees::FileAt>) -> WorktreeResult<Vec<Option<String>>> {
        absent_worktrees()
    }

    fn trailers(&self, _: ObjectId, _: ObjectId, _: String) -> WorktreeResult<Vec<String>> {
        absent_worktrees()
    }

    fn mentions(
        &self,
        _: ObjectId,
        _: Vec<String>,
    ) -> WorktreeResult<Vec<Vec<crate::ports::worktrees::Mention>>> {
        absent_worktrees()
    }

    fn edit_tree(&self, _: ObjectId, _: Vec<FileEdit>) -> WorktreeResult<ObjectId> {
        absent_worktrees()
    }

    fn remove(&self, _: String, _: String) -> WorktreeResult<()> {
        absent_worktrees()
    }

    fn clean_up(&self, _: String, _: Vec<String>) -> WorktreeResult<()> {
        absent_worktrees()
    }
}

impl Verifier for AbsentPort {
    fn run(&self, _: CommandOrder) -> BoxFuture<'static, Result<CommandReport, PortError>> {
        Box::pin(async { Err(PortError::Failed(absent_port("verifier"))) })
    }
}
