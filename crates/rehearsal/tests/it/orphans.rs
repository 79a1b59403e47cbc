//! A killed driver leaves orphaned agents. The next start ends exactly those.

use crate::stage::{FAKE_AGENT, Stage};
use serde_json::json;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Eight questions at once that are never answered, one to an agent that leaves a daemon.
fn eight_at_work(stage: &Stage) -> Vec<Child> {
    stage.script(
        &json!({"alpha": {"*": {"hang": true}}, "beta": {"*": {"hang": true, "daemon_ms": 600_000}}}),
    );
    let children: Vec<Child> = (0..8)
        .map(|n| {
            let (agent, output) = (if n == 0 { "beta" } else { "alpha" }, format!("out-{n}"));
            let mut command = stage.command(&["ask", "--agent", agent, "--prompt", "x", "--output", &output]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    let until = Instant::now() + Duration::from_mins(1);
    while std::fs::read_to_string(stage.file("log")).unwrap_or_default().lines().count() < 8
        || stage.alive().len() < 9
    {
        assert!(Instant::now() < until, "eight agents and a daemon are at work: {:?}", stage.alive());
        std::thread::sleep(Duration::from_millis(20));
    }
    children
}

fn killed(children: &mut [Child]) {
    for child in children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// The same program with the same arguments, but not an agent.
fn look_alike(stage: &Stage, lane: Option<&str>) -> Child {
    let mut command = Command::new(FAKE_AGENT);
    command.args([stage.file("script.json").to_str().unwrap(), "alpha"]).env("CHARRETTE_RUN", "ask");
    if let Some(lane) = lane {
        command.env("CHARRETTE_LANE", lane);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

#[test]
fn the_next_start_ends_exactly_the_orphans() {
    let stage = Stage::set();
    let mut children = eight_at_work(&stage);
    let left = stage.alive();
    let mut look_alikes = [look_alike(&stage, None), look_alike(&stage, Some("somebody-else/ask"))];
    // One of ours is still driven: nothing of it may be touched.
    let driven = children.split_off(7);
    killed(&mut children);

    let doctor = stage.run(&["doctor", "--json"]);
    assert!(doctor.stdout.contains("charrette agents reap"), "{doctor:?}");
    let reaped = stage.run(&["agents", "reap", "--json"]).json();
    let mut ended: Vec<i64> =
        reaped["ended"].as_array().unwrap().iter().map(|stray| stray["pid"].as_i64().unwrap()).collect();
    ended.sort_unstable();
    let still: Vec<i64> = stage.alive();
    assert_eq!(still.len(), 1, "the agent that is still driven");
    let expected: Vec<i64> = left.into_iter().filter(|pid| !still.contains(pid)).collect();
    assert_eq!(ended, expected);
    for look_alike in &mut look_alikes {
        assert!(look_alike.try_wait().unwrap().is_none(), "a process without the token survives");
        look_alike.kill().unwrap();
        look_alike.wait().unwrap();
    }
    let again = stage.run(&["agents", "reap", "--json"]).json();
    assert_eq!(again["ended"], json!([]));
    let mut driven = driven;
    killed(&mut driven);

    // Any start that launches agents does the same.
    stage.script(&json!({"alpha": {"*": {"answer": "Here.\n", "hang": false}}}));
    let next = stage.run(&["ask", "--agent", "alpha", "--prompt", "x", "--output", "out"]);
    assert_eq!(next.code, Some(0), "{next:?}");
    assert!(next.stderr.contains("Ended 1 orphaned agent process of a killed run (pid "), "{next:?}");
    assert_eq!(stage.alive(), [0; 0]);
}

#[test]
fn a_run_that_is_killed_is_resumed_without_its_old_agents() {
    let stage = Stage::set();
    let part = json!({"hang": true, "daemon_ms": 600_000});
    stage.script(&json!({"alpha": {"researcher-a": part, "researcher-b": part, "researcher-c": part}}));
    let answers = stage.file("answers.yaml");
    let mut command = stage.command(&["rehearse", "try", "--answers", answers.to_str().unwrap()]);
    let mut driver = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while stage.alive().len() < 6 {
        assert!(Instant::now() < until, "three agents and their daemons are at work");
        std::thread::sleep(Duration::from_millis(20));
    }
    driver.kill().unwrap();
    driver.wait().unwrap();
    stage.script(&json!({"alpha": {"researcher-a": null, "researcher-b": null, "researcher-c": null}}));
    let resumed = stage.resume();
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert!(resumed.stderr.contains("Ended 6 orphaned agent processes of killed runs (pids "), "{resumed:?}");
    assert_eq!(stage.alive(), [0; 0]);
}
