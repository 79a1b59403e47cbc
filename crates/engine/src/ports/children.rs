//! Runs inside a run.

use super::BoxFuture;
use crate::child::ChildRun;
use crate::flow::FlowSpec;

/// Opens child runs: begins one, or reopens the one that an earlier attempt began.
pub trait Children: Send + Sync {
    /// The child of this order, ready to be driven. It has a document, a workspace and a lease of its own; launcher,
    /// asker, budgets and the request to end are those of the parent.
    fn open(&self, order: ChildOrder) -> BoxFuture<'static, Result<ChildRun, ChildError>>;
}

/// A run to be driven as a step of another.
#[derive(Debug, Clone)]
pub struct ChildOrder {
    /// The flow it goes through.
    pub flow: &'static FlowSpec,
    /// The feature it works on, with `.` between the parts of a nested one.
    pub feature: String,
    /// What is asked for, word for word.
    pub request: String,
    /// The flags it goes by.
    pub flags: serde_json::Map<String, serde_json::Value>,
    /// The step of the parent that it is.
    pub step: String,
}

/// Why a child cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChildError {
    /// Something else has its lease, or its name.
    #[error("{0}")]
    Refused(String),
    /// Something did not work.
    #[error("{0}")]
    Failed(String),
}
