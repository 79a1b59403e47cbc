//! Errors: allowed outside a run and by default; denied inside a run with `hooks.on_error = "closed"`.

use crate::stage::{Stage, Who, is_denied, text};
use charrette_hook::{Answer, hook};
use charrette_store::active::{HookSettings, ReactionToErrors};
use serde_json::json;

fn closed() -> HookSettings {
    HookSettings { on_error: ReactionToErrors::Closed, ..HookSettings::default() }
}

/// Inputs that cannot be judged.
fn bad_inputs() -> Vec<Vec<u8>> {
    let mut huge = br#"{"tool_name":"Bash","tool_input":{"command":""#.to_vec();
    huge.resize(9 << 20, b'x');
    vec![
        Vec::new(),
        b"\xff\xfe\x00".to_vec(),
        b"null".to_vec(),
        b"[1]".to_vec(),
        br#"{"tool_name":"Bash","tool_input":{"command":"git sw"#.to_vec(),
        huge,
    ]
}

#[test]
fn input_that_cannot_be_judged() {
    let stage = Stage::new();
    for input in bad_inputs() {
        for who in crate::stage::ALL {
            assert_eq!(hook("PreToolUse", &stage.environment(who), &input[..]), Answer::Allow);
        }
    }
    stage.drive(&closed());
    for input in bad_inputs() {
        for who in crate::stage::ALL {
            assert!(is_denied(&hook("PreToolUse", &stage.environment(who), &input[..])), "{who:?}");
            assert_eq!(hook("Stop", &stage.environment(who), &input[..]), Answer::Allow);
            assert!(!is_denied(&hook("SessionStart", &stage.environment(who), &input[..])));
        }
    }
    stage.register().remove("run-1").unwrap();
    for input in bad_inputs() {
        let session = stage.environment(Who::Session);
        assert_eq!(hook("PreToolUse", &session, &input[..]), Answer::Allow, "no run, no rule");
    }
}

#[test]
fn the_folder_comes_from_the_client_if_the_input_has_none() {
    let stage = Stage::new();
    let input = json!({"tool_name": "Bash", "tool_input": {"command": "git switch main"}}).to_string();
    let mut environment = stage.environment(Who::Session);
    environment.folder = Some("/".into());
    assert_eq!(hook("PreToolUse", &environment, input.as_bytes()), Answer::Allow);
    environment.project = Some(stage.root.join("src"));
    assert!(is_denied(&hook("PreToolUse", &environment, input.as_bytes())));
    environment.project = None;
    environment.folder = Some(stage.root.clone());
    assert!(is_denied(&hook("PreToolUse", &environment, input.as_bytes())));
}

#[test]
fn state_files_that_cannot_be_used() {
    let stage = Stage::new();
    let path = stage.root.join(".claude/state/active.json");
    let whole = fs_err::read_to_string(&path).unwrap();
    stage.drive(&closed());
    let whole_closed = fs_err::read_to_string(&path).unwrap();
    let other_version = |text: &str| text.replace("\"version\":1", "\"version\":99");
    let ask = || stage.shell(Who::Session, "git switch main");
    for (text, open) in [
        (whole[..whole.len() / 2].to_owned(), true),
        (String::new(), true),
        ("{}".to_owned(), true),
        (other_version(&whole), true),
        (whole_closed[..whole_closed.len() / 2].to_owned(), false),
        (other_version(&whole_closed), false),
    ] {
        fs_err::write(&path, &text).unwrap();
        assert_eq!(ask() == Answer::Allow, open, "{text}");
        assert!(
            is_denied(&stage.shell(Who::ReadOnlyLane, "touch x")),
            "rights of a lane are in its environment"
        );
    }
    fs_err::remove_file(&path).unwrap();
    fs_err::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    assert_eq!(ask(), Answer::Allow, "a link is not followed");
    fs_err::remove_file(&path).unwrap();
    assert_eq!(ask(), Answer::Allow);
}

#[test]
fn a_dead_driver_drives_nothing() {
    let stage = Stage::new();
    let path = stage.root.join(".claude/state/active.json");
    let text = fs_err::read_to_string(&path).unwrap();
    let mut active: serde_json::Value = serde_json::from_str(&text).unwrap();
    active["runs"][0]["driver"]["start"] = json!("12-reused");
    fs_err::write(&path, active.to_string()).unwrap();
    assert_eq!(stage.shell(Who::Session, "git switch main"), Answer::Allow);
    let run = charrette_store::active::ActiveRun { id: "run-3".to_owned(), ..stage.run() };
    stage.register().put(run, &HookSettings::default(), None).unwrap();
    let text = fs_err::read_to_string(&path).unwrap();
    assert!(!text.contains("run-1") && text.contains("run-3"), "{text}");
    assert!(
        is_denied(&stage.shell(Who::Session, "git switch master")),
        "without a main branch the usual names count"
    );
    stage.register().remove("run-3").unwrap();
    assert!(!path.exists());
}

#[test]
fn finished_runs_are_not_looked_at() {
    let stage = Stage::new();
    for number in 0..300 {
        let name = format!(".claude/state/design-old-{number}.json");
        stage.sandbox.write(&name, "not even JSON");
    }
    assert!(is_denied(&stage.shell(Who::Session, "git switch main")));
    assert_eq!(stage.shell(Who::Session, "git status"), Answer::Allow);
}

#[test]
fn outside_a_run_everything_is_allowed() {
    let stage = Stage::without_run();
    for command in ["git switch main", "rm -rf /", "git push --all", "cat .env"] {
        assert_eq!(stage.shell(Who::Session, command), Answer::Allow);
    }
    let read = json!({"file_path": ".env"});
    assert_eq!(stage.tool(Who::Session, "Read", &read), Answer::Allow);
    assert_eq!(text(&stage.root), stage.root.to_str().unwrap());
}

#[test]
fn unknown_events_and_strange_members() {
    let stage = Stage::new();
    stage.drive(&closed());
    let session = stage.environment(Who::Session);
    for event in ["", "Notification", "PostToolUse", "../../x", "PRETOOLUSE2"] {
        assert_eq!(hook(event, &session, &b"{}"[..]), Answer::Allow, "{event}");
    }
    for input in [
        json!({}),
        json!({"tool_name": 7, "tool_input": []}),
        json!({"cwd": stage.root, "tool_name": "Bash", "tool_input": {"command": 5}}),
        json!({"cwd": stage.root, "tool_name": "Bash", "tool_input": null}),
        json!({"cwd": "relative", "tool_name": "Write", "tool_input": {"file_path": ["x"]}}),
        json!({"cwd": stage.root, "tool_name": "Bash"}),
    ] {
        assert_eq!(hook("PreToolUse", &session, input.to_string().as_bytes()), Answer::Allow, "{input}");
    }
    let gone = json!({"cwd": stage.root.join("no/such/folder"), "tool_name": "Bash", "tool_input": {"command": "git switch main"}});
    assert!(is_denied(&hook("PreToolUse", &session, gone.to_string().as_bytes())));
}
