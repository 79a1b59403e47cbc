//! Transitions of a state document: effects and refusals.

use charrette_model::checkpoint::progress::record_branch;
use charrette_model::checkpoint::transition::{self, TransitionContext};
use charrette_model::checkpoint::{
    Checkpoint, PhaseStatus, ResumePoint, RunKey, RunRecord, TransitionError, read, resume_point,
};
use charrette_model::stamp::{Now, Stamp};
use proptest::prelude::*;
use serde_json::{Value, json};

fn at(text: &str) -> TransitionContext {
    TransitionContext {
        now: Now::real(text.parse().unwrap()),
        head: Some("a".repeat(40)),
        summary_words: 500,
    }
}

fn noon() -> TransitionContext {
    at("2026-11-15T12:00:00Z")
}

const DESIGN: RunKey<'static> = RunKey { command: "design", feature: Some("add-login") };

fn document(value: Value) -> Checkpoint {
    read(value.to_string().as_bytes()).unwrap()
}

/// A run with research done and two phases to come.
fn after_research() -> Checkpoint {
    document(json!({
        "version": 1, "command": "design", "feature": "add-login", "updated_at": "2026-11-15T10:00:00.000Z",
        "state": {"current_phase": null, "completed_phases": ["research"], "pending_phases": ["write", "validate"]},
        "phases": {"research": {"status": "complete", "context_summary": "found it"}}
    }))
}

fn updated(document: Option<Checkpoint>, phase: &str, data: Value) -> Checkpoint {
    transition::update_phase(document, DESIGN, phase, data, &noon()).unwrap()
}

fn state(document: &Checkpoint) -> Value {
    serde_json::to_value(&document.state).unwrap()
}

#[test]
fn each_status_moves_the_phase_to_its_list() {
    for (phase, status, current, completed, pending) in [
        ("write", "in_progress", json!("write"), json!(["research"]), json!(["write", "validate"])),
        ("write", "complete", json!(null), json!(["research", "write"]), json!(["validate"])),
        ("write", "failed", json!(null), json!(["research"]), json!(["validate"])),
        ("write", "skipped", json!(null), json!(["research"]), json!(["validate"])),
        ("research", "complete", json!(null), json!(["research"]), json!(["write", "validate"])),
        ("research", "in_progress", json!("research"), json!([]), json!(["write", "validate"])),
        ("research", "failed", json!(null), json!([]), json!(["write", "validate"])),
        ("research", "skipped", json!(null), json!([]), json!(["write", "validate"])),
        ("research", "pending", json!(null), json!([]), json!(["research", "write", "validate"])),
        ("ship", "pending", json!(null), json!(["research"]), json!(["write", "validate", "ship"])),
    ] {
        let result = updated(Some(after_research()), phase, json!({"status": status}));
        let expected =
            json!({"current_phase": current, "completed_phases": completed, "pending_phases": pending});
        assert_eq!(state(&result), expected, "{phase} {status}");
    }
}

#[test]
fn the_phase_at_work_is_let_go_when_it_ends() {
    for status in ["complete", "failed", "skipped", "pending"] {
        let working = updated(Some(after_research()), "write", json!({"status": "in_progress"}));
        assert_eq!(
            updated(Some(working), "write", json!({"status": status})).state.current_phase,
            None,
            "{status}"
        );
    }
    let working = updated(Some(after_research()), "write", json!({"status": "in_progress"}));
    let other = updated(Some(working), "validate", json!({"status": "failed"}));
    assert_eq!(other.state.current_phase.as_deref(), Some("write"));
}

#[test]
fn the_branch_of_a_run_is_noted_and_nothing_else_changes() {
    let mut before = after_research();
    before.run = Some(RunRecord { id: "r".to_owned(), ..RunRecord::default() });
    let noted = record_branch(before.clone(), "ada/add-login", None, &noon()).unwrap();
    let run = noted.run.clone().unwrap();
    assert_eq!((run.id.as_str(), run.branch.as_deref()), ("r", Some("ada/add-login")));
    assert!(noted.updated_at > before.updated_at);
    let again = record_branch(noted, "ada/add-login-2", None, &noon()).unwrap();
    assert_eq!(again.run.unwrap().branch.as_deref(), Some("ada/add-login-2"));
    assert_eq!((again.state, again.phases), (before.state, before.phases));
}

#[test]
fn an_update_without_a_status_leaves_the_state_alone() {
    let before = after_research();
    let result = updated(Some(before.clone()), "research", json!({"files_created": ["a.md"]}));
    assert_eq!(result.state, before.state);
    assert_eq!(result.phases["research"].status, PhaseStatus::Complete);
    assert_eq!(result.phases["research"].context_summary.as_deref(), Some("found it"));
}

#[test]
fn tasks_are_merged_one_by_one() {
    let first = updated(
        None,
        "phase-1",
        json!({"tasks": {"T001": {"status": "complete", "description": "a"}, "T002": {"status": "pending"}}}),
    );
    let second = updated(
        Some(first),
        "phase-1",
        json!({"tasks": {"T002": {"status": "complete"}, "T003": {"status": "pending"}}}),
    );
    assert_eq!(
        serde_json::to_value(&second.phases["phase-1"].tasks).unwrap(),
        json!({"T001": {"status": "complete", "description": "a"}, "T002": {"status": "complete"}, "T003": {"status": "pending"}})
    );
    let removed = updated(Some(second), "phase-1", json!({"tasks": {"T003": null}}));
    assert_eq!(removed.phases["phase-1"].tasks.as_ref().unwrap().len(), 2);
}

#[test]
fn null_removes_what_was_there() {
    let failed = updated(None, "write", json!({"status": "failed", "error": "no space"}));
    let again = updated(Some(failed), "write", json!({"status": "in_progress", "error": null}));
    assert_eq!(again.phases["write"].error, None);
}

#[test]
fn times_are_set() {
    let begun = transition::update_phase(
        None,
        DESIGN,
        "write",
        json!({"status": "in_progress"}),
        &at("2026-11-15T12:00:00Z"),
    )
    .unwrap();
    let done = transition::update_phase(
        Some(begun),
        DESIGN,
        "write",
        json!({"status": "complete"}),
        &at("2026-11-15T12:05:00Z"),
    )
    .unwrap();
    let phase = &done.phases["write"];
    assert_eq!(phase.started_at.as_ref().unwrap().as_str(), "2026-11-15T12:00:00.000Z");
    assert_eq!(phase.updated_at.as_ref().unwrap().as_str(), "2026-11-15T12:05:00.000Z");
    assert_eq!(done.started_at.as_ref().unwrap().as_str(), "2026-11-15T12:00:00.000Z");

    let rerun = transition::update_phase(
        Some(done),
        DESIGN,
        "write",
        json!({"status": "in_progress"}),
        &at("2026-11-15T13:00:00Z"),
    )
    .unwrap();
    assert_eq!(rerun.phases["write"].started_at.as_ref().unwrap().as_str(), "2026-11-15T13:00:00.000Z");

    let at_once = updated(None, "write", json!({"status": "complete"}));
    assert_eq!(at_once.phases["write"].started_at, at_once.phases["write"].updated_at);
}

#[test]
fn the_first_update_knows_what_is_still_to_come() {
    let known = updated(None, "research", json!({"status": "complete"}));
    assert_eq!(known.state.pending_phases, ["write", "validate"]);
    let own = updated(None, "phase-1", json!({"status": "in_progress"}));
    assert_eq!(own.state.pending_phases, [""; 0]);
}

#[test]
fn a_completed_run_that_goes_on_is_open_again() {
    let completed = transition::complete(Some(after_research()), &noon()).unwrap();
    assert!(completed.completed_at.is_some() && completed.state.pending_phases.is_empty());
    assert_eq!(resume_point(&completed), ResumePoint::default());
    for (status, open) in
        [("in_progress", true), ("failed", true), ("pending", true), ("complete", false), ("skipped", false)]
    {
        let result = updated(Some(completed.clone()), "write", json!({"status": status}));
        assert_eq!(result.completed_at.is_none(), open, "{status}");
    }
    let reopened = updated(Some(completed), "write", json!({"status": "in_progress"}));
    assert_eq!(resume_point(&reopened).phase.as_deref(), Some("write"));
}

#[test]
fn the_resume_point_is_the_phase_at_work_then_what_failed_then_what_is_next() {
    let point = |document: &Checkpoint| resume_point(document).phase;
    let between = after_research();
    assert_eq!(
        resume_point(&between),
        ResumePoint { phase: Some("write".to_owned()), summary: Some("found it".to_owned()) }
    );
    let working = updated(Some(between.clone()), "write", json!({"status": "in_progress"}));
    assert_eq!(point(&working).as_deref(), Some("write"));
    let failed = updated(Some(working), "write", json!({"status": "failed"}));
    assert_eq!(point(&failed).as_deref(), Some("write"));
    let skipped = updated(Some(failed), "write", json!({"status": "skipped"}));
    assert_eq!(point(&skipped).as_deref(), Some("validate"));
    let done = updated(Some(skipped), "validate", json!({"status": "complete"}));
    assert_eq!(resume_point(&done), ResumePoint { phase: None, summary: None });
}

#[test]
fn completing_needs_a_document() {
    let error = transition::complete(None, &noon()).unwrap_err();
    assert_eq!(error.to_string(), "Cannot complete checkpoint: no checkpoint found");
}

#[test]
fn saving_stamps_and_keeps_what_the_caller_gave() {
    let given = document(
        json!({"version": 1, "gate": {"ship_allowed": false, "blockers": ["x"]}, "mine": {"a": [1, null]}}),
    );
    let saved = transition::save(None, given, DESIGN, &noon()).unwrap();
    assert_eq!((saved.command.as_str(), saved.feature.as_deref()), (DESIGN.command, DESIGN.feature));
    assert_eq!(saved.head_commit, Some("a".repeat(40)));
    assert_eq!(saved.updated_at.as_ref().unwrap().as_str(), "2026-11-15T12:00:00.000Z");
    assert_eq!(saved.started_at, saved.updated_at);
    assert_eq!(saved.extra["mine"], json!({"a": [1, null]}));
}

#[test]
fn without_a_head_the_old_one_stays() {
    let unknown = TransitionContext { head: None, ..noon() };
    let mut old = after_research();
    old.head_commit = Some("b".repeat(40));
    assert_eq!(transition::save(None, old, DESIGN, &unknown).unwrap().head_commit, Some("b".repeat(40)));
}

#[test]
fn a_document_older_than_the_one_on_disk_is_refused() {
    let on_disk = after_research();
    let mut mine = on_disk.clone();
    assert!(transition::save(Some(&on_disk), mine.clone(), DESIGN, &noon()).is_ok(), "as new");
    mine.updated_at = Some(Stamp::parse("2026-11-15T09:59:59.999Z").unwrap());
    let error = transition::save(Some(&on_disk), mine.clone(), DESIGN, &noon()).unwrap_err();
    assert!(matches!(error, TransitionError::Older { .. }), "{error}");
    mine.updated_at = None;
    assert!(transition::save(Some(&on_disk), mine, DESIGN, &noon()).is_ok(), "absent counts as new");
}

#[test]
fn a_document_about_something_else_is_refused() {
    let ship = document(json!({"version": 1, "command": "ship"}));
    assert_eq!(
        transition::save(None, ship, DESIGN, &noon()).unwrap_err().to_string(),
        "Cannot save checkpoint: its command is 'ship', but 'design' was asked for"
    );
    let other = document(json!({"version": 1, "feature": "other"}));
    assert_eq!(
        transition::save(None, other.clone(), DESIGN, &noon()).unwrap_err().to_string(),
        "Cannot save checkpoint: its feature is 'other', but 'add-login' was asked for"
    );
    assert_eq!(
        transition::save(None, other, RunKey { feature: None, ..DESIGN }, &noon()).unwrap_err().to_string(),
        "Cannot save checkpoint: its feature is 'other', but no feature was asked for"
    );
    let typed = document(json!({"version": 1, "feature": "shop/cart"}));
    assert_eq!(
        transition::save(None, typed, RunKey { feature: Some("shop.cart"), ..DESIGN }, &noon())
            .unwrap()
            .feature
            .as_deref(),
        Some("shop.cart")
    );
}

#[test]
fn every_summary_is_measured_before_anything_else_happens() {
    let long = vec!["w"; 501].join(" ");
    let in_phase = document(
        json!({"version": 1, "phases": {"research": {"status": "complete", "context_summary": long}}}),
    );
    assert_eq!(
        transition::save(None, in_phase, DESIGN, &noon()).unwrap_err().to_string(),
        "Phase \"research\" Context summary exceeds 500 token limit (actual: 501 tokens)"
    );
    let in_state = document(json!({"version": 1, "state": {"context_summary": long}}));
    assert_eq!(
        transition::save(None, in_state, DESIGN, &noon()).unwrap_err().to_string(),
        "State Context summary exceeds 500 token limit (actual: 501 tokens)"
    );
    assert!(
        transition::update_phase(None, DESIGN, "write", json!({"context_summary": long}), &noon()).is_err()
    );
    let short = TransitionContext { summary_words: 2, ..noon() };
    assert!(
        transition::update_phase(None, DESIGN, "write", json!({"context_summary": "a b c"}), &short).is_err()
    );
}

#[test]
fn phases_with_impossible_names_are_refused_wherever_they_stand() {
    for value in [
        json!({"version": 1, "phases": {"__proto__": {"status": "pending"}}}),
        json!({"version": 1, "state": {"completed_phases": ["../x"]}}),
        json!({"version": 1, "state": {"pending_phases": [""]}}),
        json!({"version": 1, "state": {"current_phase": "a b"}}),
    ] {
        let error = transition::save(None, document(value.clone()), DESIGN, &noon()).unwrap_err();
        assert!(matches!(error, TransitionError::PhaseName(_)), "{value}: {error}");
    }
    assert!(transition::update_phase(None, DESIGN, "__proto__", json!({}), &noon()).is_err());
}

#[test]
fn phase_data_must_fit() {
    for (data, message) in [
        (json!([]), "Invalid data for phase \"write\": expected a JSON object"),
        (json!({"status": "done"}), "Invalid data for phase \"write\": status: unknown variant `done`"),
        (json!({"tasks": []}), "Invalid data for phase \"write\": tasks: "),
        (
            json!({"started_at": "now"}),
            "Invalid data for phase \"write\": started_at: 'now' is not an ISO 8601 time",
        ),
    ] {
        let error = transition::update_phase(None, DESIGN, "write", data, &noon()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

fn any_update() -> impl Strategy<Value = (String, Value)> {
    let phase = prop::sample::select(vec!["research", "write", "validate", "other"]);
    let status = prop::sample::select(vec!["pending", "in_progress", "complete", "failed", "skipped"]);
    (phase, prop::option::of(status)).prop_map(|(phase, status)| {
        (phase.to_owned(), status.map_or_else(|| json!({"note": 1}), |status| json!({"status": status})))
    })
}

proptest! {
    #[test]
    fn lists_and_statuses_agree_after_any_updates(updates in prop::collection::vec(any_update(), 1..30)) {
        let mut document = None;
        for (phase, data) in updates {
            let before = document.as_ref().and_then(|d: &Checkpoint| d.updated_at.clone());
            let after = transition::update_phase(document, DESIGN, &phase, data, &noon()).unwrap();
            prop_assert!(before.is_none_or(|before| before < *after.updated_at.as_ref().unwrap()));
            let state = &after.state;
            for (name, phase) in &after.phases {
                let count = |list: &[String]| list.iter().filter(|listed| *listed == name).count();
                prop_assert_eq!(count(&state.completed_phases), usize::from(phase.status == PhaseStatus::Complete));
                let pending = count(&state.pending_phases);
                match phase.status {
                    PhaseStatus::Pending => prop_assert_eq!(pending, 1),
                    PhaseStatus::InProgress => prop_assert!(pending <= 1),
                    _ => prop_assert_eq!(pending, 0),
                }
            }
            if let Some(current) = &state.current_phase {
                prop_assert_eq!(after.phases[current].status, PhaseStatus::InProgress);
            }
            document = Some(after);
        }
    }
}
