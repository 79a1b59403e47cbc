//! Holes and false alarms of an earlier set of hooks, each closed.

use crate::stage::{Stage, Who, is_denied};
use charrette_hook::Answer;
use serde_json::json;

#[test]
fn commits_in_lanes_are_denied_without_any_further_state() {
    let stage = Stage::new();
    assert!(is_denied(&stage.shell(Who::WriteLane, "git commit -m x")));
    assert!(is_denied(&stage.shell(Who::WriteLane, "git commit-tree HEAD^{tree} -m x && git commit -m x")));
    assert_eq!(stage.shell(Who::WriteLane, "echo \"git commit\""), Answer::Allow);
    assert_eq!(stage.shell(Who::WriteLane, "git log --grep=commit"), Answer::Allow);
}

#[test]
fn reading_phases_have_no_way_around() {
    let stage = Stage::new();
    for command in ["echo x > src/lib.rs", "sed -i s/a/b/ src/lib.rs", "cat x >> .specs/20261117-login/x"] {
        assert!(is_denied(&stage.shell(Who::ReadOnlyLane, command)), "{command}");
    }
    for tool in ["Edit", "Write", "MultiEdit", "NotebookEdit"] {
        let workspace = stage.root.join(".specs/20261117-login");
        for path in [
            workspace.join("../../src/x"),
            workspace.with_file_name("20261117-login-evil").join("x"),
            stage.root.join("src/x"),
        ] {
            let input = json!({"file_path": path, "notebook_path": path});
            assert!(is_denied(&stage.tool(Who::ReadOnlyLane, tool, &input)), "{tool} {path:?}");
        }
    }
}

#[test]
fn the_main_branch_is_told_from_what_looks_like_it() {
    let stage = Stage::new();
    for honest in [
        "git checkout -- main.go",
        "git diff main-fix",
        "git show feature/main",
        "git log main",
        "git merge x && git log main",
    ] {
        assert_eq!(stage.shell(Who::Session, honest), Answer::Allow, "{honest}");
    }
    for denied in [
        "git checkout \"main\"",
        "bash -c 'git checkout main'",
        "git reset --hard origin/main",
        "git push origin HEAD:main",
        "git branch -f main",
    ] {
        assert!(is_denied(&stage.shell(Who::Session, denied)), "{denied}");
    }
}

#[test]
fn a_session_that_drives_nothing_is_never_kept_from_stopping() {
    let stage = Stage::new();
    for active in [true, false] {
        let input = json!({"cwd": stage.root, "hook_event_name": "Stop", "stop_hook_active": active});
        let answer =
            charrette_hook::hook("Stop", &stage.environment(Who::Session), input.to_string().as_bytes());
        assert_eq!(answer, Answer::Allow);
    }
}

#[test]
fn deletions_and_secrets_that_patterns_on_text_missed() {
    let stage = Stage::new();
    for command in [
        "rm -rf /*",
        "rm -r -f /",
        "rm -rf -- /",
        "rm -rf \"$HOME\"",
        "rm -rf ${HOME}",
        "rm -rf ../..",
        "rm -rf /etc",
        "mkfs -t ext4 /dev/sda",
        "chmod -R 0777 /",
    ] {
        assert!(is_denied(&stage.shell(Who::Session, command)), "{command}");
    }
    assert_eq!(stage.shell(Who::Session, "git commit -m 'rm -rf /'"), Answer::Allow);
    assert_eq!(stage.shell(Who::Session, "xrm -rf /"), Answer::Allow);
    for file in [".env.prod.local", "prod.env", ".envrc", "aws/credentials", ".env.test"] {
        for tool in ["Write", "Edit", "Read", "NotebookEdit"] {
            let input = json!({"file_path": file});
            assert!(is_denied(&stage.tool(Who::Session, tool, &input)), "{tool} {file}");
        }
    }
}
