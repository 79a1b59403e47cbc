//! Port: the work tree of a run, its entry gate and the branch it works on.

use super::BoxFuture;
use charrette_model::panel::cite::SourceFacts;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The work tree of a run. Every method that changes something is called inside a step, so once.
pub trait Checkout: Send + Sync {
    /// Checks the branch against the entry gate, and that main is clean and up to date where the gate requires it.
    fn enter(&self) -> BoxFuture<'static, Result<EntryReport, PortError>>;

    /// Switches to the branch of the run, creating it if ordered; otherwise stays on the current one.
    fn switch_branch(&self, order: BranchOrder) -> BoxFuture<'static, Result<BranchReport, PortError>>;

    /// True if the repository has such a file or folder. Paths come from agents: a path above the root does not exist.
    fn exists(&self, path: &str) -> bool;

    /// Writes a file to the path the user asked for, in the work tree or elsewhere.
    fn deliver(&self, delivery: Delivery) -> BoxFuture<'static, Result<(), PortError>>;

    /// Facts about the files that agents cite: those of the work tree and of HEAD, and those below the absolute folders
    /// `outside`. None if there are no files to look at.
    fn sources(&self, outside: &[String]) -> Option<Arc<dyn SourceFacts>> {
        let _ = outside;
        None
    }
}

/// A file to be written to a path the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Path from the root of the work tree, or an absolute one.
    pub path: String,
    pub text: String,
    /// SHA-256 digest of an earlier delivery, which may be replaced. Any other existing file is kept, and the delivery
    /// is refused.
    pub replaces: Option<String>,
}

/// Error of a port that acts for a run: the checkout or the worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PortError {
    /// A guard refused; the text names the cure.
    Refused(String),
    Failed(String),
    /// The run was interrupted meanwhile.
    Interrupted,
}

/// Result of the entry checks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryReport {
    /// The current branch; empty if HEAD is detached.
    pub current: String,
    /// Branch prefix of the user.
    pub user_prefix: String,
    /// Branch decision: `create`, `reuse`, `ask` or `stay`.
    pub decision: String,
    /// True if the work tree has uncommitted changes.
    pub is_dirty: bool,
    pub warnings: Vec<String>,
}

/// Order to create a branch or to stay on the current one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchOrder {
    /// Create a branch for the feature and switch to it; otherwise stay.
    pub create: bool,
    /// The current branch when the run began.
    pub from: String,
}

/// The branch that a run works on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchReport {
    /// Name of the branch; empty if HEAD is detached.
    pub name: String,
    /// True if it was created for this feature.
    pub created: bool,
    pub warnings: Vec<String>,
}
