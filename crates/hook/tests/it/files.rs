//! Paths of file tools: relative, with `..`, through links, in other work trees.

use crate::stage::{Stage, Who, is_denied, text};
use charrette_hook::Answer;
use serde_json::json;

fn write(stage: &Stage, who: Who, path: &str) -> Answer {
    stage.tool(who, "Write", &json!({"file_path": path, "content": "x"}))
}

#[test]
fn a_session_writes_anything_but_the_files_of_a_run() {
    let stage = Stage::new();
    fs_err::os::unix::fs::symlink(stage.root.join(".claude"), stage.root.join("link")).unwrap();
    fs_err::os::unix::fs::symlink(".specs/20261117-login/plan.txt", stage.root.join("plan")).unwrap();
    fs_err::os::unix::fs::symlink(stage.root.join(".claude/state/new.json"), stage.root.join("nowhere"))
        .unwrap();
    let root = text(&stage.root);
    for path in [
        ".claude/state/design-login.json",
        "./.claude/state/locks/design-login.lock",
        "src/../.claude/state/x",
        ".claude/../.claude/state/x",
        "link/state/x",
        "plan",
        "nowhere",
        ".specs/20261117-login/plan.txt",
        ".specs/20261117-login/new/file",
        &format!("{root}/.claude/state/x"),
        &format!("{root}/src/../../work/.claude/state/x"),
        ".git/hooks/pre-commit",
    ] {
        assert!(is_denied(&write(&stage, Who::Session, path)), "{path}");
    }
    for path in [
        "src/lib.rs",
        "docs/new.md",
        ".claude/settings.json",
        ".claude/statement.md",
        ".specs/other/x",
        "../elsewhere/x",
        ".specs/20261117-login-evil/x",
        "/tmp/x",
        ".gitignore",
    ] {
        assert_eq!(write(&stage, Who::Session, path), Answer::Allow, "{path}");
    }
}

#[test]
fn a_write_lane_writes_inside_its_work_tree() {
    let stage = Stage::new();
    fs_err::os::unix::fs::symlink(&stage.root, stage.lane_tree.join("out")).unwrap();
    for path in ["../work/src/lib.rs", "out/src/lib.rs", "/etc/hosts", ".git", ".env", "src/../../x", "~/x"] {
        assert!(is_denied(&write(&stage, Who::WriteLane, path)), "{path}");
    }
    for path in ["src/lib.rs", "new/deep/file.rs", ".env.example", text(&stage.lane_tree.join("x"))] {
        assert_eq!(write(&stage, Who::WriteLane, path), Answer::Allow, "{path}");
    }
}

#[test]
fn a_task_changes_its_own_worktree_even_among_the_state_of_runs_and_no_other() {
    let stage = Stage::new();
    let worktrees = stage.root.join(".claude/state/worktrees/run-1");
    let (own, other) = (worktrees.join("T001"), worktrees.join("T002"));
    for folder in [&own, &other] {
        fs_err::create_dir_all(folder.join("src")).unwrap();
    }
    let mut environment = stage.environment(Who::WriteLane);
    environment.folder = Some(own.clone());
    environment.writes = Some(vec![own.clone()]);
    let ask = |tool: &str, input: serde_json::Value| {
        let input =
            json!({"hook_event_name": "PreToolUse", "cwd": own, "tool_name": tool, "tool_input": input});
        charrette_hook::hook("PreToolUse", &environment, input.to_string().as_bytes())
    };
    let write = |path: &str| ask("Write", json!({"file_path": path, "content": "x"}));
    let shell = |command: &str| ask("Bash", json!({"command": command}));
    let state = stage.root.join(".claude/state/design-login.json");
    for path in ["src/lib.rs", text(&own.join("x"))] {
        assert_eq!(write(path), Answer::Allow, "{path}");
    }
    for path in
        ["../T002/src/lib.rs", text(&other), text(&state), text(&stage.root.join("README.md")), ".git"]
    {
        assert!(is_denied(&write(path)), "{path}");
    }
    for command in
        ["touch src/*", "rm -rf src", "git restore .", "git checkout -- src", "git diff", "cargo test"]
    {
        assert_eq!(shell(command), Answer::Allow, "{command}");
    }
    let root = text(&stage.root);
    for command in [
        "touch ../T002/x",
        "rm -rf ..",
        "rm -rf ../T002/src",
        "git -C ../T002 restore .",
        "git add . && git commit -m x",
        "git stash",
        "git worktree remove ../T002",
        "git update-ref refs/charrette/run-1 HEAD",
        &format!("cd {root} && git checkout -- ."),
        &format!("git -C {root} restore ."),
        &format!("git --git-dir {root}/.git config core.fsmonitor x"),
        &format!("echo x > {}", state.display()),
    ] {
        assert!(is_denied(&shell(command)), "{command}");
    }
}

#[test]
fn secrets_can_be_switched_off_for_sessions_but_not_for_lanes() {
    let stage = Stage::new();
    let read = |who| stage.tool(who, "Read", &json!({"file_path": ".env"}));
    assert!(is_denied(&read(Who::Session)) && is_denied(&read(Who::ReadOnlyLane)));
    stage.drive(&charrette_store::active::HookSettings {
        secrets: false,
        danger: false,
        ..Default::default()
    });
    assert_eq!(read(Who::Session), Answer::Allow);
    assert!(is_denied(&read(Who::ReadOnlyLane)) && is_denied(&read(Who::WriteLane)));
    assert_eq!(stage.shell(Who::Session, "rm -rf /etc"), Answer::Allow);
    assert!(is_denied(&stage.shell(Who::WriteLane, "rm -rf /etc")));
    assert!(is_denied(&stage.shell(Who::Session, "git switch main")), "the other rules stay");
}

#[test]
fn a_linked_work_tree_has_its_own_session() {
    let stage = Stage::new();
    let mut environment = stage.environment(Who::Session);
    environment.folder = Some(stage.lane_tree.clone());
    let input = |command: &str| {
        json!({"cwd": stage.lane_tree, "tool_name": "Bash", "tool_input": {"command": command}}).to_string()
    };
    let answer = |command: &str| charrette_hook::hook("PreToolUse", &environment, input(command).as_bytes());
    assert_eq!(answer("git switch other"), Answer::Allow, "the run is driven in another work tree");

    let run = charrette_store::active::ActiveRun {
        id: "run-2".to_owned(),
        root: stage.lane_tree.clone(),
        ..stage.run()
    };
    stage.register().put(run, &charrette_store::active::HookSettings::default(), Some("main")).unwrap();
    assert!(is_denied(&answer("git switch other")), "active.json is found in the main checkout");
    assert!(is_denied(&stage.shell(Who::Session, "git switch other")), "both runs are driven");
}
