//! The run as a whole: why its driver stopped, which run it was started by, which runs it started.

use super::document::Checkpoint;
use super::transition::{Circumstances, TransitionError, stamp};
use crate::stamp::Stamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How many characters of the reason are kept.
const MAX_MESSAGE: usize = 4_000;

/// Why the driver of a run stopped. It is there only if that was the last change of the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stopped {
    /// What kind of stop it was.
    pub kind: StopKind,
    /// The reason, as it was told.
    #[serde(default)]
    pub message: String,
    /// When.
    pub at: Stamp,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What kind of stop ended a driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopKind {
    /// A person has to answer first.
    Waiting,
    /// The run may not go on like this.
    Refused,
    /// Something did not work.
    Failed,
    /// Somebody asked it to end.
    Interrupted,
}

/// The run that started this one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ParentRun {
    /// Its id.
    pub id: String,
    /// Its command.
    pub command: String,
    /// The feature it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A run that this one started. Its document may be in another work tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChildRun {
    /// Its id.
    pub id: String,
    /// Its command.
    pub command: String,
    /// The feature it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// The root of the work tree its state is kept in.
    pub root: String,
    /// Its document, from that root.
    pub document: String,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The driver stops: its last change. Every other transition removes the record of it.
pub fn stop_run(
    document: Checkpoint,
    kind: StopKind,
    message: &str,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let mut document = stamp(document, previous.as_ref(), circumstances)?;
    let at = document.updated_at.clone().unwrap_or_else(|| circumstances.now.stamp());
    let message = message.chars().take(MAX_MESSAGE).collect();
    let stopped = Stopped { kind, message, at, extra: Map::new() };
    document.run.get_or_insert_default().stopped = Some(stopped);
    Ok(document)
}

/// A run is about to be started by this one, or is better known than before: children are told apart by their ids.
pub fn note_child(
    mut document: Checkpoint,
    child: ChildRun,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let children = &mut document.run.get_or_insert_default().children;
    match children.iter_mut().find(|known| known.id == child.id) {
        Some(known) => *known = child,
        None => children.push(child),
    }
    stamp(document, previous.as_ref(), circumstances)
}
