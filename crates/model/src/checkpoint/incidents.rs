//! What a driver puts on record when something happens that no flow plans for: agents change the tree, a step
//! cannot go on before a person has answered, a question answers itself.

use super::document::{Checkpoint, GateState, Step, StepStatus};
use super::progress::change_step;
use super::transition::{Circumstances, TransitionError, stamp};
use serde_json::{Map, Value};

/// The member of a step that holds what agents changed in the tree.
const TREE: &str = "tree";

/// What agents changed in the tree while they worked for a step. It stays on record, whatever becomes of the step.
/// What a change looks like is the business of whoever compares trees.
pub fn note_tree(
    document: Checkpoint,
    phase: &str,
    id: &str,
    changes: &[Value],
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    change_step(document, phase, id, circumstances, |step, _| {
        let mut all = tree(step);
        let new: Vec<Value> = changes.iter().filter(|change| !all.contains(change)).cloned().collect();
        all.extend(new);
        step.extra.insert(TREE.to_owned(), Value::from(all));
    })
}

/// What agents changed in the tree while they worked for a step, in all its attempts.
pub fn tree(step: &Step) -> Vec<Value> {
    step.extra.get(TREE).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// What a new attempt at a step inherits from the one before.
pub(super) fn kept(step: &Step) -> Map<String, Value> {
    let tree = step.extra.iter().filter(|(key, _)| *key == TREE);
    tree.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// A step cannot go on before a person has answered.
pub fn pause_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    change_step(document, phase, id, circumstances, |step, _| step.status = StepStatus::Waiting)
}

/// Questions that have answered themselves are withdrawn, unless somebody has answered them.
pub fn withdraw_gates(
    mut document: Checkpoint,
    gates: &[String],
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    document.gates.retain(|name, gate| gate.state != GateState::Pending || !gates.contains(name));
    stamp(document, previous.as_ref(), circumstances)
}
