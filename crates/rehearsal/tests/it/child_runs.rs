//! Child runs: driven by either side, waiting through their parent, done once. And a flow of the registry as a command.

use crate::stage::Stage;
use charrette_testkit::Output;
use serde_json::{Value, json};

const ANSWERS: &str = "scope: {scope: \"yes\", depth: \"deep\"}\napproval: {approval: \"yes\"}\n";

fn document(stage: &Stage, stem: &str) -> Value {
    serde_json::from_str(&stage.sandbox.read(&format!(".claude/state/{stem}.json"))).unwrap()
}

#[test]
fn a_child_waits_through_its_parent_and_is_done_once() {
    let stage = Stage::set();
    let waiting = stage.run(&["run-errand", "try"]);
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let (parent, child) = (document(&stage, "ship-try"), document(&stage, "start-try-inside"));
    assert_eq!(child["gates"]["scope"]["state"], "pending");
    assert_eq!(child["run"]["parent"]["id"], parent["run"]["id"]);
    assert_eq!(parent["run"]["children"][0]["document"], ".claude/state/start-try-inside.json");
    assert_eq!(parent["phases"]["errand"]["steps"]["rehearsal"]["status"], "waiting");
    assert_ne!(child["run"]["workspace"], parent["run"]["workspace"]);
    let before = stage.executed_steps();

    // The child is answered and resumed by itself.
    let answered = stage.run_with(&["answer", "try-inside", "--file", "-"], ANSWERS);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let alone = stage.run(&["resume", "try-inside"]);
    assert_eq!(alone.code, Some(3), "the approval is still to be given: {alone:?}");
    let answered = stage.run_with(&["answer", "try-inside", "--file", "-"], ANSWERS);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let alone = stage.run(&["resume", "try-inside"]);
    assert_eq!(alone.code, Some(0), "{alone:?}");
    assert!(document(&stage, "start-try-inside")["completed_at"].is_string());
    let inside = stage.executed_steps();
    assert!(!inside.iter().any(|step| before.contains(step)), "{inside:?} after {before:?}");

    // The parent finds it done.
    let done = stage.run(&["resume", "try"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(stage.executed_steps(), Vec::<String>::new(), "nothing of the child is done again");
    let parent = document(&stage, "ship-try");
    assert_eq!(parent["phases"]["errand"]["steps"]["rehearsal"]["status"], "done");
    let outcome = &parent["phases"]["errand"]["steps"]["rehearsal"]["value"];
    assert_eq!(outcome["document"], "start-try-inside");
    assert!(outcome["files"]["receipt.md"].is_string(), "{outcome}");
}

#[test]
fn a_child_of_another_is_not_taken_over() {
    let stage = Stage::set();
    let first = stage.run(&["rehearse", "try-inside"]);
    assert_eq!(first.code, Some(3), "{first:?}");
    let refused = stage.run(&["run-errand", "try"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("does not belong to ship-try"), "{refused:?}");
    assert_eq!(document(&stage, "start-try-inside")["run"]["parent"], json!(null));
}

#[test]
fn a_flow_of_the_registry_is_a_command() {
    let stage = Stage::set();
    let help = stage.run(&["--help"]);
    assert!(help.stdout.contains("  reconcile "), "{help:?}");
    let done = stage.run(&["reconcile", "go as wide as you can", "--name", "wide"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("wide is rehearsed."), "{done:?}");
    assert_eq!(document(&stage, "reconcile-wide")["state"]["completed_phases"], json!(["wide"]));
}

#[test]
fn scripted_answers_are_found_by_step() {
    let stage = Stage::set();
    let script = stage.file("answers-by-step");
    std::fs::create_dir(&script).unwrap();
    for step in ["research.a", "research.b", "research.c", "sketch.scope", "sketch.depth", "finisher"] {
        std::fs::write(script.join(format!("{step}.txt")), format!("{step}, as the script says\n")).unwrap();
    }
    std::fs::write(script.join("aggregator.txt"), "SUMMARY: all of it\n").unwrap();
    let answers = stage.file("answers.yaml");
    let mut command = stage.command(&["rehearse", "try", "--answers", answers.to_str().unwrap()]);
    command.env("REHEARSAL_SCRIPT", &script);
    let output = Output::capture(command, b"");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(stage.artifacts()["sketch-scope.md"], "sketch.scope, as the script says\n");
    assert!(stage.executed_steps().contains(&"sketch/scope alpha".to_owned()));
}
