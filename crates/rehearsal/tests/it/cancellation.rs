//! Cancellation: agents end with their process groups, the run is resumable, and there is one driver.

use crate::Stage;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A run whose researchers sleep, started and at work.
fn sleeping(stage: &Stage) -> Child {
    let part = json!({"sleep_ms": 60_000, "child_ms": 60_000});
    stage.script(&json!({"alpha": {"researcher-a": part, "researcher-b": part, "researcher-c": part}}));
    let mut command = stage.command(&[
        "rehearse",
        "try",
        "--json",
        "--answers",
        stage.file("answers.yaml").to_str().unwrap(),
    ]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let started =
        stdout.lines().map(Result::unwrap).filter(|line| line.contains("agent.started")).take(3).count();
    assert_eq!(started, 3);
    // Wait until the agents themselves have begun.
    let until = Instant::now() + Duration::from_secs(20);
    while std::fs::read_to_string(stage.file("log")).unwrap_or_default().lines().count() < 4
        && Instant::now() < until
    {
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap()
}

/// Live processes of this run, found by its token.
fn live_processes(stage: &Stage) -> Vec<String> {
    let token = format!("CHARRETTE_RUN={}", stage.document()["run"]["id"].as_str().unwrap());
    let is_ours = |environment: &[u8]| environment.split(|&b| b == 0).any(|entry| entry == token.as_bytes());
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.bytes().all(|b| b.is_ascii_digit()))
        .filter(|pid| {
            std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| is_ours(&environment))
        })
        .collect()
}

#[test]
fn each_signal_ends_the_agents_and_leaves_a_resumable_run() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        let stage = Stage::set();
        let mut child = sleeping(&stage);
        // On a busy machine the last of them takes a moment to start.
        let until = Instant::now() + Duration::from_secs(10);
        while live_processes(&stage).len() < 6 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(live_processes(&stage).len() >= 6, "agents and their children are at work");
        kill_process(pid(&child), signal).unwrap();
        // A second one does not make it worse.
        std::thread::sleep(Duration::from_millis(30));
        let _ = kill_process(pid(&child), signal);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal:?}");
        // A killed process takes a moment to be gone.
        let until = Instant::now() + Duration::from_secs(5);
        while !live_processes(&stage).is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(live_processes(&stage), [""; 0], "{signal:?}");
        assert_eq!(stage.document()["phases"]["gather"]["steps"]["research/a"]["status"], "running");
        stage.script(&json!({}));
        let resumed = stage.resume();
        assert_eq!(resumed.code, Some(0), "{signal:?}: {resumed:?}");
    }
}

#[test]
fn there_is_one_driver_and_a_stopped_one_is_still_one() {
    let stage = Stage::set();
    let mut child = sleeping(&stage);
    kill_process(pid(&child), Signal::STOP).unwrap();
    let refused = stage.resume();
    assert_eq!(refused.code, Some(4), "{refused:?}");
    let expected = format!("start-try is being driven by process {} (charrette rehearse try", child.id());
    assert!(refused.stderr.contains(&expected), "{}", refused.stderr);
    let kept = stage.run(&["abandon", "try"]);
    assert_eq!(kept.code, Some(4), "{kept:?}");
    assert!(kept.stderr.contains(&expected), "{}", kept.stderr);
    assert!(kept.stderr.contains("or stop it: charrette stop try\n"), "{}", kept.stderr);
    assert!(
        stage.run(&["status"]).stdout.contains(&format!("process {} (charrette rehearse try", child.id()))
    );
    kill_process(pid(&child), Signal::CONT).unwrap();
    kill_process(pid(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    stage.script(&json!({}));
    assert_eq!(stage.resume().code, Some(0));
}

#[test]
fn a_checkout_in_use_is_refused_with_a_way_out() {
    let stage = Stage::set();
    stage.run(&["rehearse", "try"]);
    stage.answer("scope: {scope: \"yes\", depth: \"deep\"}");
    stage.run(&["resume", "try"]);
    stage.answer("approval: {approval: \"yes\"}");
    let lock = stage.sandbox.path(".claude/state/locks/checkout.lease");
    let other = std::fs::File::create(&lock).unwrap();
    other.lock().unwrap();
    let refused = stage.run(&["resume", "try"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(
        refused.stderr.contains("this checkout is in use") && refused.stderr.contains("charrette status"),
        "{}",
        refused.stderr
    );
    drop(other);
    assert_eq!(stage.run(&["resume", "try"]).code, Some(0));
}

#[test]
fn an_existing_run_is_not_started_again() {
    let stage = Stage::set();
    stage.rehearse();
    let again = stage.rehearse();
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("hint: Resume it: charrette resume try"), "{}", again.stderr);
}
