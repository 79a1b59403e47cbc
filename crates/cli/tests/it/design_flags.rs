//! Flags of `charrette design` and its refusals: exit codes, exact texts, agent calls.

use crate::BINARY;
use crate::workshop::{REGULAR, Workshop, document_path, regular_calls, regular_calls_except, tree};
use charrette_testkit::panel::{FEATURE, REQUEST};
use serde_json::json;

/// Agent calls of the first phase.
const RESEARCH: [&str; 4] = ["research/", "aggregator", "clarifier", "scoper"];

#[test]
fn phases_can_be_run_one_by_one() {
    let workshop = Workshop::regular();
    let output = workshop.start(&["--phase=research"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), regular_calls(&RESEARCH));
    let statuses = || {
        let document = workshop.document();
        ["research", "write", "validate"]
            .map(|phase| document["phases"][phase]["status"].as_str().unwrap_or("pending").to_owned())
    };
    assert_eq!(statuses(), ["complete", "pending", "pending"]);
    assert!(!workshop.spec("").exists());

    let output = workshop.design(&[FEATURE, "--phase=validate"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("Spec files must exist before validation."), "{output:?}");
    let output = workshop.resume(&["--phase=research"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    let done =
        format!("Phase research of \"{FEATURE}\" is already complete. Run without --resume to do it again.");
    assert!(output.stderr.contains(&done), "{output:?}");

    let answers = workshop.answers();
    let again =
        |args: &[&str]| workshop.design(&[&[FEATURE, "--answers", answers.to_str().unwrap()], args].concat());
    assert_eq!(again(&["--phase=write"]).code, Some(0));
    assert_eq!(workshop.calls(), regular_calls_except(&[&RESEARCH[..], &["validator"]].concat()));
    assert_eq!(statuses(), ["complete", "complete", "pending"]);
    assert_eq!(again(&["--phase=validate"]).code, Some(0));
    assert_eq!(workshop.calls(), ["validator codex"]);
    assert_eq!(statuses(), ["complete", "complete", "complete"]);

    let why = workshop.run(crate::BINARY, ["status", "--why", FEATURE]);
    assert!(!why.stdout.contains("will run"), "{}", why.stdout);
    let output = workshop.resume(&[]);
    let complete =
        format!("Design for \"{FEATURE}\" is already complete. Run without --resume to start fresh.");
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains(&complete), "{output:?}");
    assert_eq!(workshop.calls(), [""; 0]);

    // What the panel said is kept; everything from the writer on is done again.
    assert_eq!(again(&["--phase=write"]).code, Some(0));
    assert_eq!(workshop.calls(), ["writer claude"]);
    assert_eq!(again(&["--phase=write", "--fresh"]).code, Some(0));
    assert_eq!(workshop.calls(), regular_calls_except(&[&RESEARCH[..], &["validator"]].concat()));
}

#[test]
fn a_research_is_resumed_to_the_end() {
    let workshop = Workshop::brief();
    assert_eq!(workshop.start(&["--phase=research"]).code, Some(0));
    workshop.calls();
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(workshop.calls().iter().all(|call| !regular_calls(&RESEARCH).contains(&call.as_str())));
    assert_eq!(workshop.document()["phases"]["validate"]["status"], "complete");
}

#[test]
fn quick_and_auto_call_fewer_and_ask_less() {
    let workshop = Workshop::regular();
    let output = workshop.start(&["--quick", "--auto"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let mut expected = regular_calls_except(&[
        "sketch/",
        "debate/2",
        "inquirer",
        "investigate/",
        "clarifier",
        "scoper",
        "discusser",
        "finisher",
    ]);
    expected.extend(["sketch/codex-generic codex", "sketch/cursor-generic cursor"]);
    expected.sort_unstable();
    assert_eq!(workshop.calls(), expected);
    let document = workshop.document();
    let gates: Vec<&str> = document["gates"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(gates, ["pre-design", "post-design"]);
    assert_eq!(document["run"]["flags"], json!({"auto": true, "quick": true, "no-checkpoint": false}));
    for name in ["cursor-sketch-generic-output.txt", "codex-sketch-generic-output.txt"] {
        assert!(workshop.artifact(name).exists(), "{name}");
    }
    assert_eq!(workshop.read("plan.txt"), workshop.read("plan-walked.txt"));
    for name in ["discussion-round1.md", "discussion-round2.md", "questions-clarify.md"] {
        assert!(!workshop.artifact(name).exists(), "{name}");
    }
}

#[test]
fn without_checkpoints_nothing_is_approved() {
    let workshop = Workshop::regular();
    let output = workshop.start(&["--no-checkpoint"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), REGULAR);
    let document = workshop.document();
    let gates: Vec<&str> = document["gates"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(gates, ["clarify", "discussion-1", "discussion-2"]);
    assert!(document["phases"]["write"]["checkpoint_responses"]["approval"].is_null());
    assert!(document["completed_at"].is_string());
    assert!(workshop.spec("design.md").exists());
}

#[test]
fn a_dry_run_changes_nothing_anywhere() {
    let workshop = Workshop::regular();
    let everything = || tree(workshop.sandbox.work().parent().unwrap());
    for (args, code) in [
        (vec![REQUEST, "--dry-run"], 0),
        (vec![REQUEST, "--dry-run", "--quick", "--auto", "--yes", "--no-checkpoint"], 0),
        (vec![REQUEST, "--dry-run", "--phase=research"], 0),
        (vec![REQUEST, "--dry-run", "--phase=write"], 1),
        (vec![REQUEST, "--dry-run", "--resume"], 1),
    ] {
        let before = everything();
        let output = workshop.design(&args);
        assert_eq!(output.code, Some(code), "{output:?}");
        assert_eq!(output.stdout.contains("Dry run complete. No changes made."), code == 0, "{output:?}");
        let after = everything();
        assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>(), "{args:?}");
        assert!(before == after, "{args:?} changed a file");
    }
    // Neither does it where there is a run.
    assert_eq!(workshop.start(&["--phase=research", "--auto"]).code, Some(0));
    workshop.calls();
    let before = everything();
    for args in [
        vec![REQUEST, "--dry-run"],
        vec![FEATURE, "--dry-run", "--resume"],
        vec![FEATURE, "--dry-run", "--phase=write"],
    ] {
        let output = workshop.design(&args);
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(output.stdout.contains("Dry run complete. No changes made."), "{output:?}");
    }
    let after = everything();
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    assert!(before == after, "a dry run changed a file");
}

#[test]
fn invalid_flag_combinations_are_refused_before_the_run() {
    let workshop = Workshop::regular();
    for (args, code, text) in [
        (vec![REQUEST, "--phase=foo"], 2, "Invalid phase \"foo\". Valid values: research, write, validate"),
        (vec![REQUEST, "--phase"], 2, "--phase"),
        (
            vec!["my-feature", "--resume"],
            1,
            "No checkpoint found for \"my-feature\". Run without --resume to start fresh.",
        ),
        (vec![REQUEST, "--phase=write"], 1, "Research phase must complete before write."),
        (vec![REQUEST, "--phase=validate"], 1, "Spec files must exist before validation."),
        (
            vec![REQUEST, "--name", "Bad Name!"],
            2,
            "Invalid spec name 'Bad Name!'. Use lowercase-kebab-case format. Example: 'my-feature-name'",
        ),
        (vec![REQUEST, "--name", "templates"], 2, "Reserved spec name 'templates'. Reserved names: "),
        (vec![], 2, "say what you want to design"),
        (vec!["   \n "], 2, "say what you want to design"),
        (vec![REQUEST, "another request"], 2, "another request"),
        (vec![REQUEST, "--answers", "/nonexistent/answers.yaml"], 1, "/nonexistent/answers.yaml"),
        (vec![REQUEST, "--unknown"], 2, "--unknown"),
    ] {
        let output = workshop.design(&args);
        assert_eq!(output.code, Some(code), "{args:?}: {output:?}");
        assert!(output.stderr.contains(text), "{args:?}: {output:?}");
    }
    assert_eq!(workshop.calls(), [""; 0]);
    for name in [".claude", ".specs", "specs"] {
        assert!(!workshop.sandbox.path(name).exists(), "{name}");
    }
    assert_eq!(workshop.sandbox.git(["branch", "--show-current"]), "main");
}

#[test]
fn a_validation_needs_an_approval() {
    let workshop = Workshop::brief();
    workshop.replace_gate_answer("approval: \"yes\"", "approval: \"no\"");
    let output = workshop.start(&["--auto"]);
    assert_eq!(output.code, Some(4), "{output:?}");
    let output = workshop.design(&[FEATURE, "--phase=validate"]);
    assert_eq!(output.code, Some(4), "{output:?}");
    assert!(output.stderr.contains("not approved"), "{output:?}");
    assert!(output.stderr.contains(&format!("charrette design {FEATURE} --resume")), "{output:?}");
}

#[test]
fn a_feature_can_be_given_its_name() {
    let workshop = Workshop::regular();
    let output =
        workshop.design(&[REQUEST, "--name", "limits", "--phase=research", "--auto", "--no-checkpoint"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let document = workshop.sandbox.read(&document_path("limits"));
    assert!(document.contains("\".specs/20261115-limits\""), "{document}");
    assert_eq!(workshop.sandbox.read(".specs/20261115-limits/request.md"), format!("{REQUEST}\n"));
    assert_eq!(workshop.sandbox.git(["branch", "--show-current"]), "ada-l/limits");
}

#[test]
fn the_same_request_again_is_begun_afresh_and_the_old_run_archived() {
    let workshop = Workshop::brief();
    assert_eq!(workshop.start(&["--auto", "--no-checkpoint"]).code, Some(0));
    let first = workshop.calls();
    let old = workshop.document();
    std::fs::write(workshop.spec("design.md"), "# Mine\n").unwrap();
    let output = workshop.start(&["--auto", "--no-checkpoint"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), first, "all of it again");
    assert_ne!(workshop.document()["run"]["workspace"], old["run"]["workspace"]);
    let archives: Vec<String> = tree(&workshop.sandbox.path(".claude/state/archive")).into_keys().collect();
    assert!(archives.iter().any(|name| name.starts_with(&format!("design-{FEATURE}-"))), "{archives:?}");
    assert!(workshop.sandbox.path(old["run"]["workspace"].as_str().unwrap()).join("plan.txt").exists());
    // What a person changed in the specification is not lost.
    let kept: Vec<Vec<u8>> = tree(&workshop.sandbox.path(".claude/state/archive")).into_values().collect();
    assert!(kept.iter().any(|text| text == b"# Mine\n"), "{archives:?}");
    assert!(output.stderr.contains("design.md"), "{output:?}");
}

#[test]
fn a_design_without_checkpoints_is_approved_later() {
    let workshop = Workshop::regular();
    assert_eq!(workshop.start(&["--auto", "--no-checkpoint"]).code, Some(0));
    workshop.calls();
    let refused = workshop.run(BINARY, ["implement", FEATURE]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    let hint = format!("charrette design {FEATURE} --approve");
    assert!(refused.stderr.contains(&hint), "{refused:?}");
    // A person fills in something before approving.
    let edited = std::fs::read_to_string(workshop.spec("design.md")).unwrap() + "\nOne more sentence.\n";
    std::fs::write(workshop.spec("design.md"), &edited).unwrap();

    let waiting = workshop.design(&[FEATURE, "--approve"]);
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    assert_eq!(workshop.gate("post-design"), "pending");
    assert_eq!(workshop.gate("pre-design"), "", "its answers would change the sketches");
    // The hint leads to the same gate again.
    assert_eq!(workshop.design(&[FEATURE, "--approve"]).code, Some(3));
    assert_eq!(workshop.calls(), [""; 0], "nothing before the gate is paid again");

    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), regular_calls(&["validator"]), "what was approved is validated");
    assert_eq!(workshop.gate("post-design"), "approved");
    let design = std::fs::read_to_string(workshop.spec("design.md")).unwrap();
    assert!(design.contains("One more sentence."), "{design}");
    let record: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(workshop.spec("spec.json")).unwrap()).unwrap();
    assert!(record["approved"]["digest"].is_string(), "{record}");
    let refused = workshop.run(BINARY, ["implement", FEATURE]);
    assert!(!refused.stderr.contains("not approved"), "{refused:?}");
}

#[test]
fn the_approval_cannot_be_asked_for_and_skipped_at_once() {
    let workshop = Workshop::regular();
    let output = workshop.design(&[FEATURE, "--approve", "--no-checkpoint"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    let output = workshop.design(&[FEATURE, "--approve"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("No checkpoint found"), "{output:?}");
}
