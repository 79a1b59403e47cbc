//! Changes of a driven run's document that did not pass through its driver.
//!
//! While a run is driven, others may answer a gate that waits, and nothing else. Step records, phases and gates that
//! changed in another way are put back as the driver recorded them.

use super::document::{Checkpoint, GateRecord, GateState, PhaseRecord};
use std::sync::Arc;

/// Puts back what others changed since the driver recorded `known`, in the document `found` on disk. Returns what was
/// changed, for people; nothing if only waiting gates were answered.
pub fn take_back(known: &Checkpoint, mut found: Checkpoint) -> (Checkpoint, Vec<String>) {
    let mut changed = Vec::new();
    if found.phases.len() != known.phases.len()
        || known.phases.keys().any(|phase| !found.phases.contains_key(phase))
    {
        changed.push("the list of phases".to_owned());
    }
    for (name, ours) in &known.phases {
        let Some(theirs) = found.phases.get(name).filter(|theirs| !Arc::ptr_eq(theirs, ours)) else {
            continue;
        };
        if theirs.steps != ours.steps {
            changed.push(format!("steps of phase {name}"));
        } else if !is_same_but_answers(theirs, ours) {
            changed.push(format!("phase {name}"));
        }
    }
    if !changed.is_empty() {
        found.phases.clone_from(&known.phases);
        found.state.clone_from(&known.state);
    }
    if found.completed_at != known.completed_at {
        changed.push("the end of the run".to_owned());
        found.completed_at.clone_from(&known.completed_at);
    }
    let is_allowed = |(name, gate): (&String, &GateRecord)| {
        known.gates.get(name).is_some_and(|ours| ours == gate || is_answer(ours, gate))
    };
    let foreign: Vec<String> =
        found.gates.iter().filter(|gate| !is_allowed(*gate)).map(|(name, _)| name.clone()).collect();
    let removed = known.gates.keys().filter(|name| !found.gates.contains_key(*name)).cloned();
    let removed: Vec<String> = removed.collect();
    for name in foreign.into_iter().chain(removed) {
        match known.gates.get(&name) {
            Some(ours) => drop(found.gates.insert(name.clone(), ours.clone())),
            None => drop(found.gates.shift_remove(&name)),
        }
        changed.push(format!("gate {name}"));
    }
    (found, changed)
}

/// True if the phases differ at most in the answers of people and the time of the last change.
fn is_same_but_answers(theirs: &PhaseRecord, ours: &PhaseRecord) -> bool {
    let mut theirs = theirs.clone();
    theirs.checkpoint_responses.clone_from(&ours.checkpoint_responses);
    theirs.updated_at.clone_from(&ours.updated_at);
    theirs == *ours
}

/// True if a gate that waited was answered: the question is the same, and no answer was taken away.
fn is_answer(ours: &GateRecord, theirs: &GateRecord) -> bool {
    let keeps = || ours.answers.iter().all(|(key, answer)| theirs.answers.get(key) == Some(answer));
    theirs.subject == ours.subject
        && theirs.extra.get("questions") == ours.extra.get("questions")
        && match ours.state {
            GateState::Pending => keeps(),
            // It may be answered anew.
            GateState::Rejected => true,
            _ => false,
        }
}
