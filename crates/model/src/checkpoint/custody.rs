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
    }
    if found.state != known.state {
        changed.push("the position of the run".to_owned());
        found.state.clone_from(&known.state);
    }
    if let (Some(ours), Some(theirs)) = (&known.run, &mut found.run) {
        let is_same = (&theirs.id, &theirs.workspace, &theirs.flags, &theirs.parent, &theirs.request)
            == (&ours.id, &ours.workspace, &ours.flags, &ours.parent, &ours.request);
        if !is_same {
            changed.push("identity or flags of the run".to_owned());
            theirs.id.clone_from(&ours.id);
            theirs.workspace.clone_from(&ours.workspace);
            theirs.flags.clone_from(&ours.flags);
            theirs.parent.clone_from(&ours.parent);
            theirs.request.clone_from(&ours.request);
        }
    } else if known.run.is_some() {
        changed.push("the record of the run".to_owned());
        found.run.clone_from(&known.run);
    }
    if found.completed_at != known.completed_at {
        changed.push("the end of the run".to_owned());
        found.completed_at.clone_from(&known.completed_at);
    }
    let is_allowed = |(name, gate): (&String, &Arc<GateRecord>)| {
        known
            .gates
            .get(name)
            .is_some_and(|ours| Arc::ptr_eq(ours, gate) || ours == gate || is_answer(ours, gate))
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

/// True if nothing but waiting gates was changed by others.
pub fn is_untouched(known: &Checkpoint, found: &Checkpoint) -> bool {
    take_back(known, found.clone()).1.is_empty()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::read;
    use serde_json::{Value, json};

    fn document() -> Value {
        json!({
            "version": 1, "command": "design", "feature": "x",
            "state": {"current_phase": "write", "completed_phases": [], "pending_phases": ["validate"]},
            "run": {"id": "r", "workspace": ".specs/x", "flags": {"auto": true}},
            "gates": {"open": {"state": "pending", "subject": "s", "questions": []}, "done": {"state": "approved", "subject": "s"}},
            "phases": {"write": {"status": "in_progress", "steps": {"planner": {"status": "running"}}}}
        })
    }

    fn parse(value: &Value) -> Checkpoint {
        read(value.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn answers_to_waiting_gates_pass_and_nothing_else() {
        let known = parse(&document());
        let mut answered = document();
        answered["gates"]["open"]["state"] = json!("answered");
        answered["gates"]["open"]["answers"] = json!({"scope": "yes"});
        assert!(is_untouched(&known, &parse(&answered)));
        for (pointer, value) in [
            ("/gates/done/state", json!("rejected")),
            ("/gates/open/subject", json!("other")),
            ("/gates/planted", json!({"state": "approved"})),
            ("/phases/write/steps/planner/status", json!("done")),
            ("/phases/write/steps/reviewer", json!({"status": "done"})),
            ("/phases/write/status", json!("complete")),
            ("/phases/planted", json!({"status": "complete"})),
            ("/state/current_phase", json!("validate")),
            ("/run/flags/auto", json!(false)),
            ("/run/workspace", json!(".specs/y")),
            ("/completed_at", json!("2026-01-01T00:00:00.000Z")),
        ] {
            let mut forged = document();
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            forged.pointer_mut(parent).unwrap()[key] = value;
            let (restored, changed) = take_back(&known, parse(&forged));
            assert_eq!(changed.len(), 1, "{pointer}: {changed:?}");
            assert_eq!(restored, known, "{pointer}");
        }
        for gone in ["gates", "phases", "run"] {
            let mut forged = document();
            forged.as_object_mut().unwrap().remove(gone);
            assert_eq!(take_back(&known, parse(&forged)).0, known, "{gone}");
        }
    }
}
