//! The work tree a run stands in: whether it may begin there, and the branch it works on.

use super::BoxFuture;
use serde::{Deserialize, Serialize};

/// The work tree a run stands in. Everything here is done inside a step, so it is done once.
pub trait Checkout: Send + Sync {
    /// Looks at the branch, passes the entry gate, and makes sure that main is clean and up to date where the gate
    /// asks for that.
    fn enter(&self) -> BoxFuture<'static, Result<Entrance, Refusal>>;

    /// Goes to the branch that the run works on, or stays.
    fn branch(&self, order: BranchOrder) -> BoxFuture<'static, Result<Branched, Refusal>>;

    /// Whether the repository has such a file or folder. Paths come from agents: none above the root is there.
    fn is_there(&self, path: &str) -> bool;

    /// Puts a file where the user wants it, in the work tree or elsewhere.
    fn deliver(&self, delivery: Delivery) -> BoxFuture<'static, Result<(), Refusal>>;

    /// How many lines a file of the repository has; none if there is no such file, or it is not text.
    fn lines(&self, path: &str) -> Option<usize>;
}

/// A file that the user wants somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Where: a path from the top of the work tree, or an absolute one.
    pub path: String,
    /// What it says.
    pub text: String,
    /// The SHA-256 of what may be replaced there: what an earlier attempt delivered. Anything else that is there is kept,
    /// and the delivery is refused.
    pub replaces: Option<String>,
}

/// Why a run may not begin here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// A guard says no; the text says what to do about it.
    Refused(String),
    /// Something did not work.
    Failed(String),
    /// The run was asked to end meanwhile.
    Interrupted,
}

/// How a run found the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrance {
    /// The branch that is checked out; empty if HEAD is detached.
    pub current: String,
    /// What the branches of this user start with.
    pub user_prefix: String,
    /// What to do about the branch: `create`, `reuse`, `ask` or `stay`.
    pub decision: String,
    /// The work tree has changes of its own.
    pub is_dirty: bool,
    /// What people should know, in the order it was found.
    pub warnings: Vec<String>,
}

/// What to do about the branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchOrder {
    /// Make one for this feature and go there; otherwise stay.
    pub create: bool,
    /// The branch that was checked out when the run began.
    pub from: String,
}

/// Where a run works.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branched {
    /// The branch; empty if HEAD is detached.
    pub name: String,
    /// Whether it was made for this feature.
    pub created: bool,
    /// What people should know.
    pub warnings: Vec<String>,
}
