//! Changes of a driven run's document that did not pass through its driver.
//!
//! While a run is driven, people may answer a gate that asks, and nothing else. Everything else that changed in the document
//! is put back as the driver recorded it.

use super::document::{Checkpoint, GateRecord, GateState, PhaseRecord, RunRecord};
use super::progress::PHASE;
use std::sync::Arc;

/// Puts back what others changed since the driver recorded `known`, in the document `found` on disk. Returns what was
/// changed, for people; nothing if only gates were answered.
///
/// `is_given` decides whether a person gave the answers of a gate: the document alone proves nothing, for an agent can
/// write the same bytes.
pub fn take_back(
    known: &Checkpoint,
    found: &Checkpoint,
    is_given: impl Fn(&str, &GateRecord) -> bool,
) -> (Checkpoint, Vec<String>) {
    let mut kept = known.clone();
    for (name, ours) in &known.gates {
        let given = found.gates.get(name).filter(|theirs| *theirs != ours);
        if let Some(theirs) = given.filter(|theirs| is_answer(ours, theirs) && is_given(name, theirs)) {
            take_answer(&mut kept, found, name, theirs);
        }
    }
    let changed = differences(&kept, found);
    (kept, changed)
}

/// Takes over the answers of a gate, and what changes with them.
fn take_answer(kept: &mut Checkpoint, found: &Checkpoint, name: &str, theirs: &Arc<GateRecord>) {
    kept.gates.insert(name.to_owned(), theirs.clone());
    let phase = theirs.extra.get(PHASE).and_then(|phase| phase.as_str()).unwrap_or_default();
    let responses = found.phases.get(phase).and_then(|phase| phase.checkpoint_responses.as_ref());
    // Of several gates of a phase that were answered at once, one is named there.
    if let Some(ours) = kept.phases.get_mut(phase).filter(|_| responses == Some(&theirs.answers)) {
        Arc::make_mut(ours).checkpoint_responses = responses.cloned();
    }
    // The last answer is the last change.
    if theirs.at > kept.updated_at {
        kept.updated_at.clone_from(&theirs.at);
    }
    // Whoever answers writes the commit that is checked out.
    kept.head_commit.clone_from(&found.head_commit);
    if let Some(run) = &mut kept.run {
        run.stopped = None;
    }
}

/// True if a gate that asks was answered: the question is the same, and no answer was taken away.
fn is_answer(ours: &GateRecord, theirs: &GateRecord) -> bool {
    let is_asking = match ours.state {
        GateState::Pending => {
            ours.answers.iter().all(|(key, answer)| theirs.answers.get(key) == Some(answer))
        }
        GateState::Rejected => true,
        GateState::Answered | GateState::Approved | GateState::Revise => false,
    };
    let round = |gate: &GateRecord| gate.round.unwrap_or(1);
    let same_round = if theirs.state == GateState::Revise { round(ours) + 1 } else { round(ours) };
    is_asking
        && theirs.at > ours.at
        && round(theirs) == same_round
        && (&theirs.subject, &theirs.shown, &theirs.extra) == (&ours.subject, &ours.shown, &ours.extra)
}

/// What differs between the document as it should be and as it was found, in words.
fn differences(kept: &Checkpoint, found: &Checkpoint) -> Vec<String> {
    let mut changed = Vec::new();
    if found.phases.len() != kept.phases.len()
        || kept.phases.keys().any(|phase| !found.phases.contains_key(phase))
    {
        changed.push("the list of phases".to_owned());
    }
    for (name, ours) in &kept.phases {
        match found.phases.get(name) {
            Some(theirs) if Arc::ptr_eq(theirs, ours) || theirs == ours => {}
            Some(theirs) => changed.push(phase_difference(name, ours, theirs)),
            None => {}
        }
    }
    if found.state != kept.state {
        changed.push("the position of the run".to_owned());
    }
    if found.run != kept.run {
        changed.push(run_difference(kept.run.as_ref(), found.run.as_ref()).to_owned());
    }
    if found.completed_at != kept.completed_at {
        changed.push("the end of the run".to_owned());
    }
    let planted = found.gates.keys().filter(|name| !kept.gates.contains_key(*name));
    let differing = kept.gates.iter().filter(|(name, ours)| found.gates.get(*name) != Some(ours));
    changed.extend(differing.map(|(name, _)| name).chain(planted).map(|name| format!("gate {name}")));
    if (&found.command, &found.feature, &found.started_at) != (&kept.command, &kept.feature, &kept.started_at)
    {
        changed.push("command, feature or start of the run".to_owned());
    }
    if changed.is_empty() && found != kept {
        changed.push("members beside the record of the run".to_owned());
    }
    changed
}

fn phase_difference(name: &str, ours: &PhaseRecord, theirs: &PhaseRecord) -> String {
    if theirs.steps == ours.steps { format!("phase {name}") } else { format!("steps of phase {name}") }
}

fn run_difference(ours: Option<&RunRecord>, theirs: Option<&RunRecord>) -> &'static str {
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return "the record of the run" };
    let with_branch = RunRecord { branch: ours.branch.clone(), base: ours.base.clone(), ..theirs.clone() };
    if with_branch == *ours {
        "branch of the run"
    } else if (RunRecord { children: ours.children.clone(), ..theirs.clone() }) == *ours {
        "children of the run"
    } else {
        "identity or flags of the run"
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
            "gates": {"open": {"state": "pending", "subject": "s", "phase": "write", "questions": []}, "done": {"state": "approved", "subject": "s"}},
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
        answered["gates"]["open"]["at"] = json!("2026-01-02T00:00:00.000Z");
        answered["updated_at"] = json!("2026-01-02T00:00:00.000Z");
        answered["phases"]["write"]["checkpoint_responses"] = json!({"scope": "yes"});
        let found = parse(&answered);
        assert_eq!(take_back(&known, &found, |_, _| true), (found.clone(), Vec::new()));
        // The same bytes, but nobody has given that answer.
        let (restored, changed) = take_back(&known, &found, |_, _| false);
        assert_eq!(
            (restored, changed),
            (known.clone(), ["phase write", "gate open"].map(str::to_owned).to_vec())
        );
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
            ("/run/branch", json!("main")),
            ("/run/base", json!("0000")),
            ("/run/charrette", json!("9.9.9")),
            ("/run/children", json!([{"id": "x", "command": "design", "root": "/", "document": "x"}])),
            ("/run/other", json!(1)),
            ("/completed_at", json!("2026-01-01T00:00:00.000Z")),
            ("/feature", json!("y")),
            ("/command", json!("implement")),
            ("/started_at", json!("1999-01-01T00:00:00.000Z")),
            ("/updated_at", json!("2099-01-01T00:00:00.000Z")),
            ("/spec_path", json!("../../x")),
            ("/other", json!(1)),
        ] {
            let mut forged = document();
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            forged.pointer_mut(parent).unwrap()[key] = value;
            let (restored, changed) = take_back(&known, &parse(&forged), |_, _| true);
            assert_eq!(changed.len(), 1, "{pointer}: {changed:?}");
            assert_eq!(restored, known, "{pointer}");
        }
        for gone in ["gates", "phases", "run"] {
            let mut forged = document();
            forged.as_object_mut().unwrap().remove(gone);
            assert_eq!(take_back(&known, &parse(&forged), |_, _| true).0, known, "{gone}");
        }
    }

    #[test]
    fn a_rejection_is_answered_anew_by_a_later_answer_to_the_same_question_only() {
        let mut rejected = document();
        rejected["gates"]["open"]["state"] = json!("rejected");
        rejected["gates"]["open"]["at"] = json!("2026-01-02T00:00:00.000Z");
        let known = parse(&rejected);
        let approved = |at: &str, member: &str, value: Value| {
            let mut approved = rejected.clone();
            approved["gates"]["open"]["state"] = json!("approved");
            approved["gates"]["open"]["at"] = json!(at);
            approved["gates"]["open"][member] = value;
            approved["updated_at"] = json!(at);
            parse(&approved)
        };
        let later = "2026-01-03T00:00:00.000Z";
        let fine = approved(later, "by", json!("Ada"));
        assert_eq!(take_back(&known, &fine, |_, _| true), (fine.clone(), Vec::new()));
        for forged in [
            approved("2026-01-01T00:00:00.000Z", "by", json!("Ada")),
            approved(later, "subject", json!("another")),
            approved(later, "questions", json!([{"key": "x", "text": "Another?"}])),
            approved(later, "shown", json!("another")),
            approved(later, "round", json!(7)),
        ] {
            let (restored, changed) = take_back(&known, &forged, |_, _| true);
            assert_eq!(restored, known);
            assert!(changed.contains(&"gate open".to_owned()), "{changed:?}");
        }
    }
}
