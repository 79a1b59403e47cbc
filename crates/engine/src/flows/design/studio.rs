//! What a design needs of the place it works in, besides files, agents and people: git, a survey, a drawing.

use crate::ports::BoxFuture;
use serde::{Deserialize, Serialize};

/// The place a design is made in. Everything here is done inside a step, so it is done once.
pub trait Studio: Send + Sync {
    /// Looks at the branch, passes the entry gate, and makes sure that main is clean and up to date where the gate
    /// asks for that.
    fn enter(&self) -> BoxFuture<'static, Result<Entrance, Refusal>>;

    /// Goes to the branch that the design is made on, or stays.
    fn branch(&self, order: BranchOrder) -> BoxFuture<'static, Result<Branched, Refusal>>;

    /// What the repository says about the request, as JSON.
    fn survey(&self, request: String) -> BoxFuture<'static, Result<String, String>>;

    /// Really parses a Mermaid diagram and draws it. The error says what is wrong, without the diagram's text.
    fn draw(&self, diagram: String) -> BoxFuture<'static, Result<String, String>>;
}

/// Why a design may not begin here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// A guard says no; the text says what to do about it.
    Refused(String),
    /// Something did not work.
    Failed(String),
    /// The run was asked to end meanwhile.
    Interrupted,
}

/// How a design found the repository.
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
    /// The branch that was checked out when the design began.
    pub from: String,
}

/// Where a design is made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branched {
    /// The branch; empty if HEAD is detached.
    pub name: String,
    /// Whether it was made for this feature.
    pub created: bool,
    /// What people should know.
    pub warnings: Vec<String>,
}
