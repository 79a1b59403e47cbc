//! Runs whose document or workspace somebody deleted: what is said, and the ways out.

use crate::BINARY;
use crate::workshop::{Workshop, document_path, tree};
use charrette_testkit::panel::{FEATURE, SeatFault};

/// A run that waits at its last gate, its agents paid.
fn waiting() -> Workshop {
    let workshop = Workshop::regular();
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.write_gate_answers(answers.split("post-design:").next().unwrap());
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    workshop.calls();
    workshop.write_gate_answers(&answers);
    workshop
}

#[test]
fn a_deleted_document_is_named_and_rebuilt_from_its_history() {
    let workshop = waiting();
    let before = workshop.document();
    fs_err::remove_file(workshop.sandbox.path(&document_path(FEATURE))).unwrap();

    let hint = format!("charrette resume {FEATURE} --rebuild");
    for args in [vec!["resume", FEATURE], vec!["answer", FEATURE], vec!["log", FEATURE], vec!["resume"]] {
        let output = workshop.run(BINARY, &args);
        assert_eq!(output.code, Some(1), "{args:?}: {output:?}");
        assert!(output.stderr.contains(&document_path(FEATURE)), "{args:?}: {output:?}");
        assert!(output.stderr.contains(&hint), "{args:?}: {output:?}");
        assert!(output.stderr.contains(&format!("charrette abandon {FEATURE}")), "{args:?}: {output:?}");
    }
    let status = workshop.run(BINARY, ["status"]);
    assert!(status.stdout.contains(&hint), "{status:?}");
    // The same request is not paid a second time unasked.
    let refused = workshop.start(&[]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains(&hint), "{refused:?}");
    // Garbage collection keeps what the run is rebuilt from.
    assert_eq!(workshop.run(BINARY, ["checkpoint", "gc"]).code, Some(0));

    let answers = workshop.answers();
    let output =
        workshop.run(BINARY, ["resume", FEATURE, "--rebuild", "--answers", answers.to_str().unwrap()]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), ["validator codex"], "only what was still to be done");
    let after = workshop.document();
    assert_eq!(after["run"]["id"], before["run"]["id"]);
    assert_eq!(after["phases"]["research"]["steps"], before["phases"]["research"]["steps"]);

    // Nothing replaces a document that exists.
    let output = workshop.run(BINARY, ["resume", FEATURE, "--rebuild"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert_eq!(workshop.document(), after);
}

#[test]
fn the_run_that_was_rebuilt_is_the_one_that_is_resumed() {
    let workshop = Workshop::brief();
    assert_eq!(workshop.start(&[]).code, Some(0));
    // Another run of the same name, which is newer and not complete.
    workshop.set_fault("research/structure", SeatFault::Fails);
    let other = workshop.run(BINARY, ["research", "how it is done", "--name", FEATURE]);
    assert_eq!(other.code, Some(3), "{other:?}");
    workshop.calls();
    for args in [vec!["resume", FEATURE, "--rebuild"], vec!["resume", "--rebuild"]] {
        fs_err::remove_file(workshop.sandbox.path(&document_path(FEATURE))).unwrap();
        let output = workshop.run(BINARY, &args);
        assert_eq!(output.code, Some(0), "{args:?}: {output:?}");
        assert!(output.stdout.contains(&format!("{FEATURE} is designed")), "{args:?}: {output:?}");
        assert_eq!(workshop.calls(), [""; 0], "{args:?}");
    }
}

#[test]
fn what_is_left_of_a_deleted_run_is_abandoned() {
    let workshop = waiting();
    fs_err::remove_file(workshop.sandbox.path(&document_path(FEATURE))).unwrap();
    let output = workshop.run(BINARY, ["abandon", FEATURE]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let archived: Vec<String> = tree(&workshop.sandbox.path(".claude/state/archive")).into_keys().collect();
    assert!(archived.iter().any(|name| name.ends_with(".history.jsonl.zst")), "{archived:?}");
    let gone = workshop.run(BINARY, ["resume", FEATURE]);
    assert!(gone.stderr.contains("No checkpoint found"), "{gone:?}");
    let again = workshop.run(BINARY, ["abandon", FEATURE]);
    assert_eq!(again.code, Some(1), "{again:?}");
}

#[test]
fn a_deleted_workspace_is_said_before_anything_is_recorded() {
    let workshop = waiting();
    fs_err::remove_dir_all(workshop.artifact("request.md").parent().unwrap()).unwrap();
    let before = workshop.document();
    let answers = workshop.answers();
    for args in [
        vec!["answer", FEATURE, "--file", answers.to_str().unwrap()],
        vec!["log", FEATURE],
        vec!["resume", FEATURE],
    ] {
        let output = workshop.run(BINARY, &args);
        assert_eq!(output.code, Some(1), "{args:?}: {output:?}");
        assert!(output.stderr.contains("the workspace of this run is gone"), "{args:?}: {output:?}");
        assert!(output.stderr.contains(&format!("charrette abandon {FEATURE}")), "{args:?}: {output:?}");
    }
    assert_eq!(workshop.document(), before);
    assert_eq!(workshop.run(BINARY, ["abandon", FEATURE]).code, Some(0));
}

#[test]
fn a_deleted_file_of_an_approved_specification_is_approved_again_as_it_was() {
    let workshop = Workshop::brief();
    assert_eq!(workshop.start(&[]).code, Some(0));
    workshop.calls();
    let specs = workshop.spec("");
    let before = tree(&specs);
    assert!(workshop.sandbox.read(&format!("specs/{FEATURE}/spec.json")).contains("\"approved\""));
    for gone in ["design.md", "spec.json"] {
        fs_err::remove_file(workshop.spec(gone)).unwrap();
        let output = workshop.resume(&[]);
        assert_eq!(output.code, Some(0), "{gone}: {output:?}");
        assert_eq!(tree(&specs), before, "{gone}");
        assert_eq!(workshop.calls(), [""; 0], "{gone}");
    }
}
