//! The program `charrette-hook`, as a client starts it.

use crate::stage::{Stage, text};
use serde_json::json;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The program: an example of this crate, so cargo builds it with these tests.
fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.ancestors().nth(2).unwrap().join("examples/hook")
}

fn run(stage: &Stage, event: &str, input: &str, variables: &[(&str, &str)]) -> Output {
    let mut child = Command::new(program())
        .arg(event)
        .env_clear()
        .env("HOME", stage.sandbox.home())
        .envs(variables.iter().copied())
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn bash(stage: &Stage, command: &str) -> String {
    json!({"hook_event_name": "PreToolUse", "cwd": stage.root, "tool_name": "Bash", "tool_input": {"command": command}})
        .to_string()
}

#[test]
fn answers_are_an_exit_code_and_at_most_one_line() {
    let stage = Stage::new();
    let denied = run(&stage, "PreToolUse", &bash(&stage, "git switch main"), &[]);
    assert_eq!(denied.status.code(), Some(2));
    assert!(denied.stdout.is_empty());
    let line = String::from_utf8(denied.stderr).unwrap();
    assert!(
        line.starts_with("charrette: `git switch`") && line.ends_with('\n') && line.lines().count() == 1,
        "{line}"
    );
    assert!(line.contains("charrette stop login"), "{line}");
    let allowed = run(&stage, "PreToolUse", &bash(&stage, "git status"), &[]);
    assert_eq!((allowed.status.code(), allowed.stdout.len(), allowed.stderr.len()), (Some(0), 0, 0));
    let told = run(&stage, "SessionStart", &json!({"cwd": stage.root}).to_string(), &[]);
    assert_eq!(told.status.code(), Some(0));
    assert!(String::from_utf8(told.stdout).unwrap().starts_with("{\"hookSpecificOutput\":{"));
}

#[test]
fn lanes_are_known_by_their_environment() {
    let stage = Stage::new();
    let state = stage.root.join(".claude/state");
    let lane = [("CHARRETTE_LANE", "driver/lane"), ("CHARRETTE_STATE", text(&state))];
    let code = |command: &str, variables: &[(&str, &str)]| {
        run(&stage, "PreToolUse", &bash(&stage, command), variables).status.code()
    };
    assert_eq!(code("touch x", &lane), Some(2));
    assert_eq!(code("cat main.go", &lane), Some(0));
    let writes = [lane[0], lane[1], ("CHARRETTE_WRITES", text(&stage.root))];
    assert_eq!(code("touch x", &writes), Some(0));
    assert_eq!(code("git commit -m x", &writes), Some(2));
    assert_eq!(code("touch .claude/state/x", &writes), Some(2));
    assert_eq!(code("touch x", &[]), Some(0));
}

#[test]
fn nothing_is_written() {
    let stage = Stage::new();
    let before = listing(&stage);
    for command in ["git switch main", "rm -rf .claude", "ls", "echo x > y"] {
        run(&stage, "PreToolUse", &bash(&stage, command), &[]);
    }
    assert_eq!(listing(&stage), before);
}

fn listing(stage: &Stage) -> String {
    let output = stage
        .sandbox
        .command("find")
        .args([text(&stage.root), "-printf", "%p %s %T@ %C@\n"])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_empty_call_and_a_closed_pipe_end_well() {
    let stage = Stage::new();
    assert_eq!(run(&stage, "", "", &[]).status.code(), Some(0));
    assert_eq!(run(&stage, "PreToolUse", "", &[]).status.code(), Some(0));
    let child = Command::new(program()).stdin(Stdio::null()).output().unwrap();
    assert_eq!(child.status.code(), Some(0));
}
