//! The tracker in which approved work gets an issue.

use super::BoxFuture;
use charrette_model::spec::record::LinearIssue;

/// The tracker of this repository.
pub trait Tracker: Send + Sync {
    /// Whether there is one.
    fn state(&self) -> TrackerState;

    /// Makes an issue, or finds the one that was made for this order before.
    fn create(&self, order: IssueOrder) -> BoxFuture<'static, Result<LinearIssue, TrackerError>>;
}

/// Whether issues are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrackerState {
    /// The repository has no configuration for a tracker.
    NotConfigured,
    /// It is switched off.
    Off,
    /// It is switched on.
    On,
    /// The configuration cannot be understood; the text says what to do.
    Unusable(String),
}

/// An issue to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueOrder {
    /// The run it is made for.
    pub run: String,
    /// The step of it. With the run, it tells this order from all others, however often it is given.
    pub step: String,
    /// The title.
    pub title: String,
    /// The description, as Markdown.
    pub description: String,
}

/// Why there is no issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrackerError {
    /// Something did not work.
    Failed(String),
    /// The run was asked to end meanwhile.
    Interrupted,
}
