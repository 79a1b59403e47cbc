//! A killed driver leaves orphaned agents. The next start ends exactly those.

use crate::stage::{BINARY, FAKE_AGENT, Stage};
use charrette_testkit::{Output, Pty};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
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

/// An agent at work that has started a daemon without an environment, which writes its id to `file`.
fn hidden_at_work(stage: &Stage, file: &str) -> (Child, Pid) {
    let path = stage.file(file);
    let daemon = format!("echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600", path.display());
    let shell = format!("setsid -f env -i PATH=/usr/bin:/bin sh -c '{daemon}' > /dev/null 2>&1");
    stage.script(&json!({"alpha": {"*": {"shell": shell, "hang": true}}}));
    let mut command = stage.command(&["ask", "--agent", "alpha", "--prompt", "x", "--output", file]);
    let driver = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while !path.exists() {
        assert!(Instant::now() < until, "the agent is at work");
        std::thread::sleep(Duration::from_millis(20));
    }
    let daemon = std::fs::read_to_string(&path).unwrap().trim().parse().unwrap();
    (driver, Pid::from_raw(daemon).unwrap())
}

/// True if a process runs; one that has ended and waits for its parent does not.
fn runs(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
}

#[test]
fn a_process_of_a_killed_driver_is_ended_without_its_environment_too() {
    let stage = Stage::set();
    let (mut killed_driver, hidden) = hidden_at_work(&stage, "first");
    let (mut driver, other) = hidden_at_work(&stage, "second");
    killed(std::slice::from_mut(&mut killed_driver));
    let doctor = stage.run(&["doctor", "--json"]);
    assert!(doctor.stdout.contains("charrette agents reap"), "{doctor:?}");
    let reaped = stage.run(&["agents", "reap", "--json"]).json();
    let ended: Vec<i64> =
        reaped["ended"].as_array().unwrap().iter().map(|stray| stray["pid"].as_i64().unwrap()).collect();
    assert!(ended.contains(&i64::from(hidden.as_raw_nonzero().get())), "{reaped}");
    assert!(!runs(hidden), "{reaped}");
    assert!(runs(other), "of a driver that lives: {reaped}");
    killed(std::slice::from_mut(&mut driver));
    let reaped = stage.run(&["agents", "reap", "--json"]).json();
    assert!(!runs(other), "{reaped}");
}

/// A field of a file of the kernel about a process.
fn field(pid: Pid, file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/{file}", pid.as_raw_nonzero())).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

#[test]
fn a_process_of_the_user_does_not_end_by_a_mark_that_an_agent_gave_it() {
    let stage = Stage::set();
    let mut editor = Command::new("setpriv").args(["--no-new-privs", "sleep", "600"]).spawn().unwrap();
    let user = Pid::from_child(&editor);
    let until = Instant::now() + Duration::from_mins(1);
    while field(user, "status", "NoNewPrivs:") != Some(1) {
        assert!(Instant::now() < until, "the process of the user can gain no privileges");
        std::thread::sleep(Duration::from_millis(20));
    }
    let (mut driver, hidden) = hidden_at_work(&stage, "first");
    let mark = field(hidden, "limits", "Max file locks");
    assert!(mark.is_some(), "an agent is marked");
    // Any process of the same user can do that.
    prlimit(Some(user), Resource::Locks, Rlimit { current: mark, maximum: mark }).unwrap();
    killed(std::slice::from_mut(&mut driver));
    let reaped = stage.run(&["agents", "reap", "--json"]).json();
    let was_spared = runs(user);
    editor.kill().unwrap();
    editor.wait().unwrap();
    assert!(!runs(hidden), "{reaped}");
    let is_user = |ended: &serde_json::Value| ended["pid"] == json!(user.as_raw_nonzero().get());
    assert!(was_spared && !reaped["ended"].as_array().unwrap().iter().any(is_user), "{reaped}");
}

#[test]
fn what_an_editor_leaves_at_a_gate_is_not_ended() {
    for end in ["stop\r", "\u{3}"] {
        let stage = Stage::set();
        let (daemon, job) = (stage.file("daemon"), stage.file("job"));
        let editor = stage.file("editor.sh");
        // One in a session of its own, and one in the group of the driver.
        let script = format!(
            "setsid -f sh -c 'echo $$ > {0}; exec sleep 600' < /dev/null > /dev/null 2>&1\n\
             sh -c 'trap \"\" HUP INT; echo $$ > {1}; exec sleep 600' < /dev/null > /dev/null 2>&1 &\n\
             while [ ! -s {0} ] || [ ! -s {1} ]; do sleep 0.02; done\necho fine > \"$1\"\n",
            daemon.display(),
            job.display()
        );
        std::fs::write(&editor, script).unwrap();
        let mut command = stage.command(&["rehearse", "try"]);
        command.env("EDITOR", format!("sh '{}'", editor.display())).env("VISUAL", "");
        let mut pty = Pty::start(command, 80);
        pty.answer("[yes] > ", "e\r");
        pty.answer("[deep] > ", end);
        let code = pty.wait_for_exit();
        let left = [daemon, job].map(|file| {
            let pid = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
            let pid = Pid::from_raw(pid).unwrap();
            let was_left = runs(pid);
            let _ = kill_process(pid, Signal::KILL);
            was_left
        });
        assert!(matches!(code, Some(3 | 130)), "{code:?}: {}", pty.screen());
        assert_eq!(left, [true, true], "{end:?}: {}", pty.screen());
    }
}

/// The limit by which the processes of a lane are marked, of a program below launchers with these marks.
fn mark_below(stage: &Stage, marks: &[u64]) -> String {
    let launch = |mark: &u64| {
        [
            BINARY.to_owned(),
            "box".to_owned(),
            "--abi".to_owned(),
            "0".to_owned(),
            "--lane".to_owned(),
            mark.to_string(),
            "--".to_owned(),
        ]
    };
    let words: Vec<String> = marks.iter().flat_map(launch).collect();
    let mut command = stage.command_of(&words[0]);
    command.args(&words[1..]).args(["grep", "Max file locks", "/proc/self/limits"]);
    let output = Output::capture(command, b"");
    assert_eq!(output.code, Some(0), "{output:?}");
    output.stdout.split_whitespace().nth(4).unwrap().to_owned()
}

#[test]
fn a_lane_inside_a_lane_keeps_the_mark_of_the_outer_one() {
    let stage = Stage::set();
    let (low, high) = (0x6c61_0000_0000_0001, 0x6c61_ffff_ffff_fffe);
    for (outer, inner) in [(low, high), (high, low)] {
        assert_eq!(mark_below(&stage, &[outer, inner]), outer.to_string());
    }
}
