//! Everything the outside world provides to a run, in one value; and the absence of it, for runs that need little.

use crate::ports::checkout::{BranchOrder, Branched, Checkout, Delivery, Entrance, Refusal};
use crate::ports::children::{ChildError, ChildOrder, Children};
use crate::ports::drawing::Drawing;
use crate::ports::survey::Surveyor;
use crate::ports::tracker::{IssueOrder, Tracker, TrackerError, TrackerState};
use crate::ports::tree::{Tree, TreeState};
use crate::ports::{Asker, BoxFuture, Caller, Launcher, Worker};
use charrette_model::spec::record::LinearIssue;
use charrette_model::tree::Change;
use std::sync::Arc;

/// What the outside world provides to a run.
#[derive(Clone)]
pub struct Ports {
    /// Runs agents.
    pub launcher: Arc<dyn Launcher>,
    /// Asks a person.
    pub asker: Arc<dyn Asker>,
    /// The work tree the run stands in.
    pub checkout: Arc<dyn Checkout>,
    /// What agents change in it.
    pub tree: Arc<dyn Tree>,
    /// What the repository says for itself.
    pub surveyor: Arc<dyn Surveyor>,
    /// Draws diagrams.
    pub drawing: Arc<dyn Drawing>,
    /// Makes issues.
    pub tracker: Arc<dyn Tracker>,
    /// Opens runs inside this run.
    pub children: Arc<dyn Children>,
    /// The run that called this one.
    pub caller: Option<Arc<dyn Caller>>,
    /// Who does the part of the run that can be handed over.
    pub part: Part,
}

/// Who does the part of a run that can be handed to a worker.
#[derive(Clone, Default)]
pub enum Part {
    /// This process, like everything else.
    #[default]
    Whole,
    /// A worker in another process.
    HandedOver(Arc<dyn Worker>),
    /// This process, and nothing after it: it is the worker.
    OnlyThat,
}

impl Ports {
    /// A launcher and a person to ask, and nothing else: every other port refuses.
    pub fn bare(launcher: Arc<dyn Launcher>, asker: Arc<dyn Asker>) -> Ports {
        let absent = Arc::new(Absent);
        Ports {
            launcher,
            asker,
            checkout: absent.clone(),
            tree: absent.clone(),
            surveyor: absent.clone(),
            drawing: absent.clone(),
            tracker: absent.clone(),
            children: absent,
            caller: None,
            part: Part::default(),
        }
    }

    /// Whether this process is the worker of another.
    pub fn is_worker(&self) -> bool {
        matches!(self.part, Part::OnlyThat)
    }
}

impl std::fmt::Debug for Ports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ports")
    }
}

/// Ports that are not there.
#[derive(Debug, Clone, Copy)]
pub struct Absent;

const ABSENT: &str = "this run was given no such port";

fn refused<T: Send + 'static>() -> BoxFuture<'static, Result<T, String>> {
    Box::pin(async { Err(ABSENT.to_owned()) })
}

impl Checkout for Absent {
    fn enter(&self) -> BoxFuture<'static, Result<Entrance, Refusal>> {
        Box::pin(async { Err(Refusal::Failed(ABSENT.to_owned())) })
    }

    fn branch(&self, _: BranchOrder) -> BoxFuture<'static, Result<Branched, Refusal>> {
        Box::pin(async { Err(Refusal::Failed(ABSENT.to_owned())) })
    }

    fn deliver(&self, _: Delivery) -> BoxFuture<'static, Result<(), Refusal>> {
        Box::pin(async { Err(Refusal::Failed(ABSENT.to_owned())) })
    }

    fn is_there(&self, _: &str) -> bool {
        false
    }

    fn lines(&self, _: &str) -> Option<usize> {
        None
    }
}

impl Tree for Absent {
    fn look(&self) -> BoxFuture<'static, Result<TreeState, String>> {
        refused()
    }

    fn changes(&self, _: &TreeState, _: &TreeState) -> Vec<Change> {
        Vec::new()
    }

    fn patch(&self, _: Vec<Change>) -> BoxFuture<'static, Result<Vec<u8>, String>> {
        refused()
    }

    fn undo(&self, _: Vec<Change>) -> BoxFuture<'static, Result<Vec<String>, String>> {
        refused()
    }
}

impl Surveyor for Absent {
    fn survey(&self, _: String) -> BoxFuture<'static, Result<String, String>> {
        refused()
    }
}

impl Drawing for Absent {
    fn draw(&self, _: String) -> BoxFuture<'static, Result<String, String>> {
        refused()
    }
}

impl Tracker for Absent {
    fn state(&self) -> TrackerState {
        TrackerState::NotConfigured
    }

    fn create(&self, _: IssueOrder) -> BoxFuture<'static, Result<LinearIssue, TrackerError>> {
        Box::pin(async { Err(TrackerError::Failed(ABSENT.to_owned())) })
    }
}

impl Children for Absent {
    fn open(&self, _: ChildOrder) -> BoxFuture<'static, Result<crate::child::ChildRun, ChildError>> {
        Box::pin(async { Err(ChildError::Failed(ABSENT.to_owned())) })
    }
}
