//! Port: the issue tracker.

use super::BoxFuture;
use charrette_model::spec::record::LinearIssue;

/// Issue tracker of the repository.
pub trait Tracker: Send + Sync {
    /// State of its configuration.
    fn state(&self) -> TrackerState;

    /// Creates an issue, or finds the one that was created for this order before.
    fn create(&self, order: IssueOrder) -> BoxFuture<'static, Result<LinearIssue, TrackerError>>;
}

/// Configuration state of a tracker. Its `Debug` text is a recorded input of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrackerState {
    /// The repository has no tracker configuration.
    NotConfigured,
    Off,
    On,
    /// The configuration is invalid; the text names the cure.
    Unusable(String),
}

/// An issue to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueOrder {
    pub run: String,
    /// Step id. Together with the run id it identifies the order, however often it is repeated.
    pub step: String,
    pub title: String,
    /// Markdown.
    pub description: String,
}

/// Error when an issue cannot be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrackerError {
    Failed(String),
    /// The run was interrupted meanwhile.
    Interrupted,
}
