//! Unplanned changes a driver records: agents changed the tree, a step waits for a person's answer, a
//! question is moot.

use super::document::{Checkpoint, GateState, StepRecord, StepStatus};
use super::progress::change_step;
use super::transition::{TransitionContext, TransitionError, stamp};
use serde_json::{Map, Value};

/// The member of a step that holds the tree changes of its agents.
const TREE: &str = "tree";

/// Records tree changes made by a step's agents. They stay on record whatever the step's outcome. The format
/// of a change is up to the tree comparison.
pub fn record_tree_changes(
    document: Checkpoint,
    phase: &str,
    id: &str,
    changes: &[Value],
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    change_step(document, phase, id, context, |step, _| {
        let mut all = tree_changes(step);
        let new: Vec<Value> = changes.iter().filter(|change| !all.contains(change)).cloned().collect();
        all.extend(new);
        step.extra.insert(TREE.to_owned(), Value::from(all));
    })
}

/// Recorded tree changes of all attempts at a step.
pub fn tree_changes(step: &StepRecord) -> Vec<Value> {
    step.extra.get(TREE).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Members that a new attempt at a step inherits from the previous one.
pub(super) fn inherited_members(step: &StepRecord) -> Map<String, Value> {
    let tree = step.extra.iter().filter(|(key, _)| *key == TREE);
    tree.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Marks a step as waiting for a person's answer.
pub fn pause_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    change_step(document, phase, id, context, |step, _| step.status = StepStatus::Waiting)
}

/// Removes pending gates that are moot. Answered ones stay.
pub fn withdraw_gates(
    mut document: Checkpoint,
    gates: &[String],
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    document.gates.retain(|name, gate| gate.state != GateState::Pending || !gates.contains(name));
    stamp(document, previous.as_ref(), context)
}
