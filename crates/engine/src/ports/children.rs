//! Port: child runs.

use super::BoxFuture;
use crate::child::OpenChild;
use crate::flow::FlowSpec;

/// Opens child runs: starts one, or reopens the one that an earlier attempt started.
pub trait Children: Send + Sync {
    /// Opens the child of this order, ready to be driven. It has its own document, workspace and lease; launcher, asker,
    /// budgets and cancellation are those of the parent.
    fn open(&self, order: ChildOrder) -> BoxFuture<'static, Result<OpenChild, ChildError>>;
}

/// A run to be driven as a step of its parent.
#[derive(Debug, Clone)]
pub struct ChildOrder {
    pub flow: &'static FlowSpec,
    /// Feature path, with `.` between the segments.
    pub feature: String,
    /// The request, word for word.
    pub request: String,
    pub flags: serde_json::Map<String, serde_json::Value>,
    /// Step id in the parent.
    pub step: String,
}

/// Error when a child cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChildError {
    /// Its lease or its name is taken.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
}
