//! The run as a whole: its stop record, its parent run, its child runs.

use super::document::Checkpoint;
use super::transition::{TransitionContext, TransitionError, stamp};
use crate::stamp::Stamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum length of a stop message, in characters.
const MAX_MESSAGE: usize = 4_000;

/// Reason the driver of a run stopped. Present only if the stop was the last change of the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StopRecord {
    pub kind: StopKind,
    /// The reason.
    #[serde(default)]
    pub message: String,
    /// Time of the stop.
    pub at: Stamp,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Kind of a driver's stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopKind {
    /// Waiting for a person's answer.
    Waiting,
    /// Refused: the run must not continue like this.
    Refused,
    /// Failed with an error.
    Failed,
    /// Interrupted by a person or a signal.
    Interrupted,
}

/// The run that started this one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ParentRun {
    /// UUID v7 of the run.
    pub id: String,
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A run started by this one. Its document may be in another work tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChildRun {
    /// UUID v7 of the run.
    pub id: String,
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// Root of the work tree that holds its state.
    pub root: String,
    /// Path of its document, relative to that root.
    pub document: String,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Records the driver's stop, its last change. Every other transition removes the record.
pub fn stop_run(
    document: Checkpoint,
    kind: StopKind,
    message: &str,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let mut document = stamp(document, previous.as_ref(), context)?;
    let at = document.updated_at.clone().unwrap_or_else(|| context.now.stamp());
    let message = message.chars().take(MAX_MESSAGE).collect();
    let stopped = StopRecord { kind, message, at, extra: Map::new() };
    document.run.get_or_insert_default().stopped = Some(stopped);
    Ok(document)
}

/// Adds a child run, or replaces the record with the same id.
pub fn record_child(
    mut document: Checkpoint,
    child: ChildRun,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let children = &mut document.run.get_or_insert_default().children;
    match children.iter_mut().find(|known| known.id == child.id) {
        Some(known) => *known = child,
        None => children.push(child),
    }
    stamp(document, previous.as_ref(), context)
}
