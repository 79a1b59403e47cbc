//! Gates: waiting costs nothing, answers are inputs, an approval holds for its subject only.

use crate::Stage;
use serde_json::json;

#[test]
fn an_unanswered_gate_is_named() {
    let stage = Stage::set();
    let waiting = stage.run(&["rehearse", "try"]);
    assert_eq!(waiting.code, Some(3));
    assert!(
        waiting.stderr.contains("Waiting at scope: scope, depth\nSee the questions: charrette answer try\n"),
        "{}",
        waiting.stderr
    );
    let template = stage.run(&["answer", "try"]).stdout;
    assert_eq!(
        template,
        "scope:\n  # Is the scope right?\n  scope: \"yes\"\n  # How deep?\n  depth: \"deep\"\n"
    );

    stage.executed();
    assert_eq!(stage.run(&["resume", "try"]).code, Some(3));
    assert_eq!(stage.executed_steps(), [""; 0], "waiting costs nothing");

    assert_eq!(stage.answer("scope: {scope: wider}").stdout, "scope: still open: depth\n");
    let waiting = stage.run(&["resume", "try"]);
    assert!(waiting.stderr.contains("Waiting at scope: depth\n"), "only what is missing: {}", waiting.stderr);
    assert_eq!(stage.answer("{\"scope\": {\"depth\": \"deep\"}}").stdout, "scope: answered\n");
    assert_eq!(stage.run(&["resume"]).code, Some(3));
    assert_eq!(stage.answer("approval: {approval: \"yes\"}").stdout, "approval: approved\n");
    assert_eq!(stage.run(&["resume", "try"]).code, Some(0));
    assert_eq!(stage.run(&["answer", "try"]).stdout, "");
}

#[test]
fn a_changed_answer_reruns_only_its_readers() {
    let stage = Stage::set();
    stage.rehearse();
    stage.executed();
    assert_eq!(stage.answer("scope: {depth: shallow}").stdout, "scope: answered\n");
    assert_eq!(stage.resume().code, Some(0));
    assert_eq!(
        stage.executed_steps(),
        ["finisher alpha", "plan.md local", "receipt.md local", "sketch-depth alpha"]
    );
}

#[test]
fn editing_an_approved_file_opens_the_gate_again() {
    let stage = Stage::set();
    stage.rehearse();
    std::fs::write(stage.artifact("final.md"), "changed after approval\n").unwrap();
    let waiting = stage.run(&["resume", "try"]);
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    assert!(waiting.stderr.contains("Waiting at approval: approval"), "{}", waiting.stderr);
    assert_eq!(stage.document()["gates"]["approval"]["state"], "pending");
    stage.answer("approval: {approval: \"yes\"}");
    assert_eq!(stage.run(&["resume", "try"]).code, Some(0));
}

#[test]
fn a_revision_reruns_the_readers_of_the_feedback() {
    let stage = Stage::set();
    std::fs::write(stage.file("answers.yaml"), "scope: {scope: \"yes\", depth: \"deep\"}\n").unwrap();
    stage.rehearse();
    stage.executed();
    assert_eq!(stage.answer("approval: {approval: revise}").stdout, "approval: still open: feedback\n");
    assert_eq!(
        stage.answer("approval: {approval: revise, feedback: \"shorter\"}").stdout,
        "approval: to be revised\n"
    );
    assert_eq!(stage.run(&["resume", "try"]).code, Some(3));
    assert_eq!(stage.executed_steps(), ["finisher alpha"]);
    assert_eq!(stage.artifacts()["feedback-round1.md"], "shorter\n");
    for round in 2..=3 {
        stage.answer(&format!("approval: {{approval: revise, feedback: \"round {round}\"}}"));
        assert_eq!(stage.run(&["resume", "try"]).code, Some(3));
        assert_eq!(stage.executed_steps(), ["finisher alpha"], "round {round}");
    }
    assert_eq!(
        stage.answer("approval: {approval: revise, feedback: \"once more\"}").stdout,
        "approval: still open: approval\n"
    );
    stage.answer("approval: {approval: \"yes\"}");
    assert_eq!(stage.run(&["resume", "try"]).code, Some(0));
}

#[test]
fn a_rejection_holds_until_another_answer() {
    let stage = Stage::set();
    std::fs::write(
        stage.file("answers.yaml"),
        "scope: {scope: \"yes\", depth: \"deep\"}\napproval: {approval: \"no\"}\n",
    )
    .unwrap();
    let rejected = stage.rehearse();
    assert_eq!(
        (rejected.code, rejected.stderr.lines().next()),
        (Some(4), Some("error: not approved")),
        "{rejected:?}"
    );
    assert_eq!(stage.run(&["resume", "try"]).code, Some(4));
    assert_eq!(stage.document()["gates"]["approval"]["state"], "rejected");
    assert!(!stage.artifacts().contains_key("receipt.md"));
    stage.answer("approval: {approval: \"yes\"}");
    assert_eq!(stage.run(&["resume", "try"]).code, Some(0));
}

#[test]
fn invalid_answers_change_nothing() {
    let stage = Stage::set();
    stage.run(&["rehearse", "try"]);
    let before = stage.document();
    for (answers, code) in [
        ("scope: {scope: stop}", Some(0)),
        ("nonsense: {a: b}", Some(1)),
        ("[1, 2]", Some(1)),
        ("a: [", Some(1)),
        ("scope: yes", Some(1)),
    ] {
        assert_eq!(stage.answer(answers).code, code, "{answers}");
        assert_eq!(stage.document(), before, "{answers}");
    }
    assert_eq!(stage.run(&["answer", "no-such-feature"]).code, Some(1));
}

#[test]
fn the_answers_and_who_gave_them_are_on_record() {
    let stage = Stage::set();
    stage.run(&["rehearse", "try"]);
    stage.sandbox.git(["config", "user.name", "Ada L"]);
    stage.answer("scope: {scope: \"yes\", depth: \"deep\"}");
    let gate = &stage.document()["gates"]["scope"];
    assert_eq!(
        (&gate["state"], &gate["by"], &gate["answers"]),
        (&json!("answered"), &json!("Ada L"), &json!({"scope": "yes", "depth": "deep"}))
    );
    assert_eq!(gate["at"], "2026-11-15T12:00:00.000Z");
}
