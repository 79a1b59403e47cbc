//! Failures and interruptions: every step fails once, every step runs twice, agents that fail.

use crate::stage::BINARY;
use crate::{Stage, UNDISTURBED};
use charrette_testkit::Output;
use serde_json::json;
use std::io::{BufRead as _, BufReader};

#[test]
fn every_step_failed_once_and_the_run_still_ends_the_same() {
    let undisturbed = Stage::set();
    undisturbed.rehearse();

    let stage = Stage::set();
    let marks = stage.file("marks");
    std::fs::create_dir(&marks).unwrap();
    let fail = json!({"*": {"fail_once": marks}});
    stage.script(
        &json!({"alpha": fail, "beta": {"aggregator": {"fail_once": marks}, "*": {"fail_once": marks}}}),
    );
    let run = |args: &[&str]| {
        let mut command = stage.command(args);
        command.env("REHEARSAL_FAIL_ONCE", &marks);
        Output::capture(command, b"")
    };
    let answers = stage.file("answers.yaml");
    let mut outcomes = vec![run(&["rehearse", "try", "--answers", answers.to_str().unwrap()]).code];
    while outcomes.last() == Some(&Some(1)) && outcomes.len() < 30 {
        outcomes.push(run(&["resume", "try", "--answers", answers.to_str().unwrap()]).code);
    }
    assert_eq!(outcomes.last(), Some(&Some(0)), "{outcomes:?}");
    assert!(std::fs::read_dir(&marks).unwrap().count() >= 10, "each step failed once");
    let mut expected = undisturbed.artifacts();
    // A researcher that failed was replaced by the next of its chain, which signs with its own name.
    let mut found = stage.artifacts();
    for which in ["a", "b", "c"] {
        let name = format!("research-{which}.md");
        assert!(found[&name].contains("by beta"), "{}", found[&name]);
        expected.remove(&name);
        found.remove(&name);
    }
    assert_eq!(expected.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>());
    assert_eq!(expected["survey.md"], found["survey.md"]);
}

#[test]
fn a_failed_step_keeps_its_evidence_and_is_tried_again() {
    let stage = Stage::set();
    stage.script(&json!({"beta": {"aggregator": {"answer": "no summary either"}}}));
    let failed = stage.rehearse();
    assert_eq!(failed.code, Some(1));
    assert!(
        failed.stderr.contains(
            "aggregator: broken: expected it to begin with SUMMARY (retried once; answer saved in evidence/"
        ),
        "{}",
        failed.stderr
    );
    assert!(
        failed.stderr.contains("hint: Finished steps are kept. Retry: charrette resume try"),
        "{}",
        failed.stderr
    );
    let step = &stage.document()["phases"]["gather"]["steps"]["aggregator"];
    assert_eq!(step["status"], "failed");
    assert_eq!(stage.document()["phases"]["gather"]["status"], "failed");
    assert_eq!(std::fs::read_dir(stage.artifact("evidence")).unwrap().count(), 4);
    stage.script(&json!({}));
    stage.executed();
    assert_eq!(stage.resume().code, Some(0));
    assert!(
        !stage.executed_steps().iter().any(|line| line.starts_with("researcher")),
        "what was done is not done again"
    );
}

#[test]
fn an_agent_that_ends_with_an_error_is_replaced() {
    let stage = Stage::set();
    stage.script(&json!({"alpha": {"researcher-b": {"exit": 3}}}));
    assert_eq!(stage.rehearse().code, Some(0));
    let step = &stage.document()["phases"]["gather"]["steps"]["research/b"];
    assert_eq!((&step["agent"], &step["fallback_from"]), (&json!("beta"), &json!(["alpha"])));
}

#[test]
fn one_branch_that_fails_does_not_stop_the_others() {
    let stage = Stage::set();
    stage.script(&json!({"alpha": {"researcher-b": {"exit": 3}}, "beta": {"researcher-b": {"exit": 4}}}));
    assert_eq!(stage.rehearse().code, Some(1));
    let artifacts = stage.artifacts();
    assert!(
        artifacts.contains_key("research-a.md")
            && artifacts.contains_key("research-c.md")
            && !artifacts.contains_key("research-b.md")
    );
    stage.script(&json!({}));
    stage.executed();
    assert_eq!(stage.resume().code, Some(0));
    let executed = stage.executed_steps();
    assert!(
        executed.contains(&"researcher-b alpha".to_owned())
            && !executed.contains(&"researcher-a alpha".to_owned()),
        "{executed:?}"
    );
}

/// A step that was in flight when the process died is done again, with the same inputs, and nothing else is.
#[test]
fn every_step_done_twice_gives_the_same() {
    let stage = Stage::set();
    stage.rehearse();
    let before = stage.artifacts();
    let all: Vec<(String, String)> = stage.document()["phases"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(phase, found)| {
            found["steps"].as_object().unwrap().keys().map(move |step| (phase.clone(), step.clone()))
        })
        .collect();
    assert_eq!(all.len(), 10);
    for (phase, step) in all {
        stage.executed();
        let running = json!({"steps": {step.clone(): {"status": "running"}}}).to_string();
        let args = ["checkpoint", "update-phase", &phase, "--command", "start", "--feature", "try"];
        assert_eq!(Output::capture(stage.command(&args), running.as_bytes()).stdout, "true\n");
        assert_eq!(stage.resume().code, Some(0), "{step}");
        let executed = stage.executed_steps();
        let expected = if step == "aggregator" { 3 } else { 1 };
        assert_eq!(executed.len(), expected, "{step}: {executed:?}");
        assert_eq!(stage.artifacts(), before, "{step}");
    }
}

#[test]
fn a_checkpoint_that_cannot_be_saved_stops_before_an_agent_is_paid() {
    let stage = Stage::set();
    if stage.sandbox.command("strace").arg("-V").output().is_err() {
        return;
    }
    stage.run(&["rehearse", "try"]);
    stage.answer("scope: {scope: \"yes\", depth: \"deep\"}");
    stage.executed();
    // A disk that is full for the document alone: the driver's requests to write it fail, those of nobody else.
    let path = stage.sandbox.path(".claude/state/.start-try.json.tmp");
    let (trace, answers) = (stage.file("trace"), stage.file("answers.yaml"));
    let mut command = stage.command_of("strace");
    command
        .args(["-f", "-qq", "-o"])
        .arg(trace)
        .arg("-P")
        .arg(path)
        .args(["-e", "inject=openat:error=ENOSPC"]);
    command.args([BINARY, "resume", "try", "--answers"]).arg(answers);
    let stopped = Output::capture(command, b"");
    assert_eq!(stopped.code, Some(1), "{stopped:?}");
    assert!(stopped.stdout.contains("Warning: Failed to save checkpoint"), "{}", stopped.stdout);
    assert!(stopped.stderr.contains("was not launched: cannot record the launch"), "{}", stopped.stderr);
    assert_eq!(stage.executed_steps(), [""; 0]);
    assert_eq!(stage.resume().code, Some(0));
}

#[test]
fn a_folder_in_the_place_of_a_temporary_file_is_cleared_away() {
    let stage = Stage::set();
    stage.run(&["rehearse", "try"]);
    stage.answer("scope: {scope: \"yes\", depth: \"deep\"}");
    // Planted by an agent: every change of the document would fail.
    let path = stage.sandbox.path(".claude/state/.start-try.json.tmp");
    std::fs::create_dir_all(path.join("in-the-way")).unwrap();
    let resumed = stage.resume();
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert!(!resumed.stdout.contains("Failed to save checkpoint"), "{}", resumed.stdout);
    assert!(!path.exists());
}

/// Killed when one branch has answered and another has not: the answer is neither visible nor lost.
#[test]
fn an_answer_that_was_not_collected_yet_is_not_paid_for_again() {
    let stage = Stage::set();
    stage.script(&json!({"alpha": {"researcher-b": {"sleep_ms": 60_000}}}));
    let mut command = stage.command(&["rehearse", "try", "--json"]);
    let mut driver = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let events = BufReader::new(driver.stdout.take().unwrap());
    let finished = events
        .lines()
        .map(Result::unwrap)
        .filter(|line| line.contains("step.finished") && line.contains("research/"));
    assert_eq!(finished.take(2).count(), 2, "a and c have answered");
    assert!(!stage.artifact("research-a.md").exists(), "b could read it");
    driver.kill().unwrap();
    driver.wait().unwrap();
    let straggler = stage.document()["run"]["id"].as_str().unwrap().to_owned();

    stage.script(&json!({}));
    stage.executed();
    assert_eq!(stage.resume().code, Some(0));
    let executed = stage.executed_steps();
    assert!(executed.contains(&"researcher-b alpha".to_owned()), "{executed:?}");
    assert!(
        !executed.iter().any(|line| line.starts_with("researcher-a") || line.starts_with("researcher-c")),
        "{executed:?}"
    );
    assert!(stage.artifact("research-a.md").exists());
    end_orphans(&straggler);
}

/// Ends the orphaned agent of the killed driver; it carries the token of its run.
fn end_orphans(run: &str) {
    let token = format!("CHARRETTE_RUN={run}");
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
            .and_then(rustix::process::Pid::from_raw)
        else {
            continue;
        };
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|&b| b == 0).any(|found| found == token.as_bytes()) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

#[test]
fn a_new_run_does_not_reuse_an_abandoned_workspace() {
    let stage = Stage::set();
    stage.rehearse();
    assert_eq!(stage.run(&["abandon", "try"]).code, Some(0));
    stage.executed();
    assert_eq!(stage.rehearse().code, Some(0));
    assert_eq!(stage.executed_steps(), UNDISTURBED);
    assert_eq!(stage.document()["run"]["workspace"], ".specs/20261115-try-2");
}
