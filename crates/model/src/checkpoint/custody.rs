//! Changes of a driven run's document that did not pass through its driver.
//!
//! While a run is driven, people may answer a gate that asks, and nothing else. Their answers are recorded here from what they
//! are known to have given, each by itself: an answer that somebody else wrote beside them does not count. Everything else
//! that changed in the document is put back as the driver recorded it.

use super::document::{Checkpoint, GateState, PhaseRecord, RunRecord};
use super::given::GivenAnswers;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Puts back what others changed since the driver recorded `known`, in the document `found` on disk. Returns what was
/// changed, for people; nothing if only gates were answered.
///
/// `given` are the answers that people gave since then, in their order: the document alone proves nothing, for an agent can
/// write the same bytes, or those from before an answer.
pub fn take_back(
    known: &Checkpoint,
    found: &Checkpoint,
    given: &[GivenAnswers],
) -> (Checkpoint, Vec<String>) {
    let mut kept = known.clone();
    let asks = |answers: &&GivenAnswers| {
        let gate = known.gates.get(&answers.gate);
        gate.is_some_and(|gate| matches!(gate.state, GateState::Pending | GateState::Rejected))
    };
    let given: Vec<&GivenAnswers> = given.iter().filter(asks).collect();
    record_answers(&mut kept, found, &given);
    let changed = differences(&kept, found);
    (kept, changed)
}

/// Records answers that people gave, as far as they are in the document on disk. Of several to one question the last counts;
/// if that is not there, none does, and the question is open again.
fn record_answers(kept: &mut Checkpoint, found: &Checkpoint, given: &[&GivenAnswers]) {
    let mut last: HashMap<(&str, &str), &Value> = HashMap::new();
    for answers in given {
        let gate = answers.gate.as_str();
        last.extend(answers.answers.iter().map(|(key, answer)| ((gate, key.as_str()), answer)));
    }
    last.retain(|(gate, key), answer| {
        let is_there = found.gates.get(*gate).and_then(|gate| gate.answers.get(*key)) == Some(*answer);
        if let Some(gate) =
            kept.gates.get_mut(*gate).filter(|gate| !is_there && gate.state == GateState::Pending)
        {
            Arc::make_mut(gate).answers.remove(*key);
        }
        is_there
    });
    for answers in given {
        let gate = answers.gate.as_str();
        answers.record(kept, |key, answer| last.get(&(gate, key)) == Some(&answer));
    }
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
    use crate::checkpoint::gate::{AnswerChannel, Respondent};
    use crate::checkpoint::given::give_answers;
    use crate::checkpoint::read;
    use crate::checkpoint::transition::TransitionContext;
    use crate::stamp::Now;
    use serde_json::json;

    fn document() -> Value {
        let questions =
            json!([{"key": "scope", "text": "?"}, {"key": "approval", "text": "Good?", "approval": true}]);
        json!({
            "version": 1, "command": "design", "feature": "x",
            "started_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-01T00:00:00.000Z",
            "state": {"current_phase": "write", "completed_phases": [], "pending_phases": ["validate"]},
            "run": {"id": "r", "workspace": ".specs/x", "flags": {"auto": true}},
            "gates": {
                "open": {"state": "pending", "subject": "s", "phase": "write", "questions": questions},
                "done": {"state": "approved", "subject": "s"}
            },
            "phases": {"write": {"status": "in_progress", "steps": {"planner": {"status": "running"}}}}
        })
    }

    fn parse(value: &Value) -> Checkpoint {
        read(value.to_string().as_bytes()).unwrap()
    }

    /// The document with answers of a person to a gate, and their proof.
    fn give(document: &Checkpoint, gate: &str, answers: &Value) -> (Checkpoint, Vec<GivenAnswers>) {
        let by =
            Respondent { by: "Ada".to_owned(), through: AnswerChannel::File, client: None, version: None };
        let now = Now::real("2026-01-02T00:00:00Z".parse().unwrap());
        let context = TransitionContext { now, head: Some("c0ffee".to_owned()), summary_words: 500 };
        let answers = (gate.to_owned(), answers.as_object().unwrap().clone());
        give_answers(document.clone(), &[answers], &by, &context).unwrap()
    }

    #[test]
    fn answers_that_people_gave_pass_and_nothing_else() {
        let known = parse(&document());
        let (found, given) = give(&known, "open", &json!({"scope": "all", "approval": "yes"}));
        assert_eq!(found.gates["open"].state, GateState::Approved);
        assert_eq!(take_back(&known, &found, &given), (found.clone(), Vec::new()));
        // The same bytes, but nobody has given that answer.
        let (restored, changed) = take_back(&known, &found, &[]);
        let expected = ["phase write", "gate open", "members beside the record of the run"];
        assert_eq!(restored, known);
        assert_eq!(changed, expected[..changed.len()]);
        // Somebody gave it, and it was changed since.
        let mut changed = serde_json::to_value(&found).unwrap();
        changed["gates"]["open"]["answers"]["scope"] = json!("half");
        let (restored, told) = take_back(&known, &parse(&changed), &given);
        assert_eq!(restored.gates["open"].answers.get("scope"), None);
        assert_eq!(restored.gates["open"].state, GateState::Pending);
        assert!(told.contains(&"gate open".to_owned()), "{told:?}");
    }

    #[test]
    fn everything_else_is_put_back() {
        let known = parse(&document());
        let (_, given) = give(&known, "open", &json!({"scope": "all", "approval": "yes"}));
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
            // That a person gave an answer, which is not there, makes no other change an honest one.
            for given in [&given[..], &[]] {
                let (restored, changed) = take_back(&known, &parse(&forged), given);
                assert_eq!(changed.len(), 1, "{pointer}: {changed:?}");
                assert_eq!(restored, known, "{pointer}");
            }
        }
        for gone in ["gates", "phases", "run"] {
            let mut forged = document();
            forged.as_object_mut().unwrap().remove(gone);
            assert_eq!(take_back(&known, &parse(&forged), &given).0, known, "{gone}");
        }
    }

    #[test]
    fn a_rejection_is_answered_anew_and_what_is_decided_is_not() {
        let yes = json!({"scope": "all", "approval": "yes"});
        let (rejected, _) = give(&parse(&document()), "open", &json!({"scope": "all", "approval": "no"}));
        assert_eq!(rejected.gates["open"].state, GateState::Rejected);
        let (fine, given) = give(&rejected, "open", &yes);
        assert_eq!(take_back(&rejected, &fine, &given), (fine.clone(), Vec::new()));
        // The driver has asked something else since.
        for (member, value) in [
            ("subject", json!("another")),
            ("shown", json!("another")),
            ("round", json!(7)),
            ("questions", json!([{"key": "x", "text": "Another?"}])),
        ] {
            let mut asked = serde_json::to_value(&rejected).unwrap();
            asked["gates"]["open"][member] = value;
            let asked = parse(&asked);
            let (restored, changed) = take_back(&asked, &fine, &given);
            assert_eq!(restored, asked, "{member}");
            assert!(changed.contains(&"gate open".to_owned()), "{changed:?}");
        }
        // Nobody asks any more.
        let (again, given) = give(&fine, "open", &json!({"approval": "no"}));
        assert_eq!(take_back(&fine, &again, &given).0, fine);
    }
}
