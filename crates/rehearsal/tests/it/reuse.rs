//! Reuse: a step runs once, and again only if its inputs have changed.

use crate::{Stage, UNDISTURBED};
use serde_json::json;

#[test]
fn an_undisturbed_run_does_everything_once() {
    let stage = Stage::set();
    let output = stage.rehearse();
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(stage.executed_steps(), UNDISTURBED);
    let names: Vec<String> = stage.artifacts().into_keys().collect();
    assert_eq!(
        names,
        [
            "final.md",
            "plan.md",
            "receipt.md",
            "request.md",
            "research-a.md",
            "research-b.md",
            "research-c.md",
            "sketch-depth.md",
            "sketch-scope.md",
            "summary.md",
            "survey.md"
        ]
    );
    let document = stage.document();
    assert_eq!(
        document["state"],
        json!({"current_phase": null, "completed_phases": ["gather", "draft", "settle"], "pending_phases": []})
    );
    let aggregator = &document["phases"]["gather"]["steps"]["aggregator"];
    assert_eq!((&aggregator["agent"], &aggregator["fallback_from"]), (&json!("beta"), &json!(["broken"])));
    assert_eq!(
        document["phases"]["gather"]["checkpoint_responses"],
        json!({"scope": "yes", "depth": "deep"})
    );
    assert_eq!(document["gates"]["approval"]["by"], "unknown");
    assert_eq!(
        std::fs::read_dir(stage.artifact("evidence")).unwrap().count(),
        2,
        "both answers that did not fit"
    );
    assert_eq!(stage.sandbox.git(["status", "--porcelain"]), "");
}

#[test]
fn a_second_run_is_byte_identical() {
    let (first, second) = (Stage::with_seed("1"), Stage::with_seed("1"));
    first.rehearse();
    second.rehearse();
    assert_eq!(first.artifacts(), second.artifacts());
    assert_eq!(first.document()["run"]["id"], second.document()["run"]["id"]);
    let third = Stage::with_seed("2");
    third.rehearse();
    assert_ne!(first.document()["run"]["id"], third.document()["run"]["id"]);
}

#[test]
fn resuming_a_finished_run_does_nothing() {
    let stage = Stage::set();
    stage.rehearse();
    let before = (stage.artifacts(), stage.document());
    stage.executed();
    assert_eq!(stage.resume().code, Some(0));
    assert_eq!(stage.executed_steps(), [""; 0]);
    assert_eq!((stage.artifacts(), stage.document()), before);
}

#[test]
fn an_edit_is_kept_and_its_readers_run_again() {
    for (edited, again) in [
        (
            "survey.md",
            &[
                "aggregator beta",
                "aggregator broken",
                "aggregator broken",
                "finisher alpha",
                "plan.md local",
                "receipt.md local",
                "researcher-a alpha",
                "researcher-b alpha",
                "researcher-c alpha",
                "sketch-depth alpha",
                "sketch-scope alpha",
            ][..],
        ),
        (
            "research-b.md",
            &[
                "aggregator beta",
                "aggregator broken",
                "aggregator broken",
                "finisher alpha",
                "plan.md local",
                "receipt.md local",
                "sketch-depth alpha",
                "sketch-scope alpha",
            ],
        ),
        ("sketch-depth.md", &["finisher alpha", "plan.md local", "receipt.md local"]),
        ("plan.md", &["finisher alpha", "receipt.md local"]),
        ("final.md", &["receipt.md local"]),
        ("receipt.md", &[]),
    ] {
        let stage = Stage::set();
        stage.rehearse();
        stage.executed();
        std::fs::write(stage.artifact(edited), "edited by hand\n").unwrap();
        let output = stage.resume();
        assert_eq!(output.code, Some(0), "{edited}: {output:?}");
        assert_eq!(stage.executed_steps(), again, "{edited}");
        assert_eq!(stage.artifacts()[edited], "edited by hand\n");
    }
}

#[test]
fn the_forecast_names_the_steps_that_will_run() {
    let stage = Stage::set();
    stage.rehearse();
    std::fs::write(stage.artifact("plan.md"), "edited by hand\n").unwrap();
    std::fs::remove_file(stage.artifact("receipt.md")).unwrap();
    let forecast = stage.run(&["status", "--why", "try", "--json"]).json();
    let why: Vec<(String, String)> = forecast["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|step| !step["why"].is_null())
        .map(|step| (step["step"].as_str().unwrap().to_owned(), step["why"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(
        why,
        [
            ("finisher".to_owned(), "input plan.md changed".to_owned()),
            ("publish".to_owned(), "output receipt.md is missing".to_owned()),
        ]
    );
    let page = stage.run(&["status", "--why", "try"]).stdout;
    assert!(page.contains("> draft/finisher: will run: input plan.md changed"), "{page}");
    assert!(page.contains("  draft/merge: will be reused"), "{page}");
}

#[test]
fn a_lost_output_is_made_again() {
    let stage = Stage::set();
    stage.rehearse();
    let before = stage.artifacts();
    stage.executed();
    std::fs::remove_file(stage.artifact("research-a.md")).unwrap();
    assert_eq!(stage.resume().code, Some(0));
    assert_eq!(stage.executed_steps(), ["researcher-a alpha"], "the same output again, so nothing else");
    assert_eq!(stage.artifacts(), before);
}

#[test]
fn replaced_files_are_kept() {
    let stage = Stage::set();
    stage.rehearse();
    std::fs::write(stage.artifact("final.md"), "precious edit\n").unwrap();
    std::fs::write(stage.artifact("plan.md"), "another edit\n").unwrap();
    assert_eq!(stage.resume().code, Some(0));
    let kept: Vec<String> = std::fs::read_dir(stage.artifact("superseded"))
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(kept.contains(&"precious edit\n".to_owned()), "{kept:?}");
}

#[test]
fn events_tell_everything_and_nothing_else_is_printed() {
    let stage = Stage::set();
    let output =
        stage.run(&["rehearse", "try", "--json", "--answers", stage.file("answers.yaml").to_str().unwrap()]);
    let events: Vec<serde_json::Value> =
        output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    let count = |kind: &str| kinds.iter().filter(|found| **found == kind).count();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"run.started"), Some(&"run.finished")));
    assert_eq!(
        (count("step.started"), count("step.finished"), count("agent.started"), count("agent.finished")),
        (10, 10, 9, 9)
    );
    assert_eq!((count("phase.started"), count("phase.finished"), count("gate.answered")), (3, 3, 2));
    assert!(events.iter().all(|event| event["v"] == 1
        && event["at"] == "2026-11-15T12:00:00.000Z"
        && event["run"] == events[0]["run"]));
    assert_eq!(events.last().unwrap()["status"], "done");
}
