//! Moves of the checkout that git refused or gave up: nothing that a person does afterwards is taken for one.

use crate::fixture::{begin, checkout, create, diverged, enter, noted_move, record, repository, subject};
use charrette_checkout::PortError;
use charrette_testkit::Sandbox;
use std::process::Stdio;

/// Runs git where it stops half way.
fn git_stops(sandbox: &Sandbox, args: &[&str]) {
    let mut command = sandbox.command("git");
    let ended = command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(!ended.success(), "{args:?}");
}

fn refused(sandbox: &Sandbox) -> String {
    match enter(&checkout(sandbox)) {
        Err(PortError::Refused(said)) => said,
        other => panic!("not refused: {other:?}"),
    }
}

/// A repository whose rebase onto the remote's main stops at a conflict, with a run.
fn in_conflict() -> Sandbox {
    let sandbox = diverged("main");
    sandbox.write(".git/info/exclude", ".claude\n.specs\n");
    begin(&sandbox);
    sandbox
}

#[test]
fn a_rebase_that_a_person_begins_after_the_refusal_is_theirs() {
    let sandbox = in_conflict();
    assert!(refused(&sandbox).starts_with("PREFLIGHT_ERROR=Failed to rebase onto origin/main"));
    assert_eq!(noted_move(&sandbox), None);
    git_stops(&sandbox, &["rebase", "-q", "origin/main"]);
    sandbox.write("file", "resolved by the person\n");
    sandbox.git(["add", "file"]);
    let own_rebase = "PREFLIGHT_ERROR=A rebase is not finished";
    // For a new run, and for the one that is resumed.
    assert_eq!(checkout(&sandbox).check_entry(), Err(PortError::Refused(own_rebase.to_owned())));
    assert_eq!(refused(&sandbox), own_rebase);
    assert!(sandbox.path(".git/rebase-merge").exists());
    assert_eq!(sandbox.git(["diff", "--cached", "--name-only"]), "file");
    assert_eq!(sandbox.read("file"), "resolved by the person\n");
}

#[test]
fn a_switch_that_git_refuses_is_forgotten() {
    let sandbox = in_conflict();
    sandbox.git(["switch", "-q", "-c", "other", "HEAD~1"]);
    sandbox.write("file", "changed by the person\n");
    assert!(matches!(create(&checkout(&sandbox)), Err(PortError::Refused(_))));
    assert_eq!(noted_move(&sandbox), None);
    assert_eq!(
        (sandbox.read("file").as_str(), subject(&sandbox, "HEAD").as_str()),
        ("changed by the person\n", "first")
    );
}

#[test]
fn a_move_that_was_taken_back_is_forgotten() {
    let sandbox = in_conflict();
    sandbox.git(["fetch", "-q"]);
    record(&sandbox, "HEAD", "origin/main");
    git_stops(&sandbox, &["rebase", "-q", "origin/main"]);
    assert!(refused(&sandbox).starts_with("PREFLIGHT_ERROR=Failed to rebase onto origin/main"));
    assert_eq!((noted_move(&sandbox), sandbox.path(".git/rebase-merge").exists()), (None, false));
}

#[test]
fn a_resolution_that_is_only_staged_is_kept_in_the_workspace() {
    let sandbox = in_conflict();
    sandbox.git(["fetch", "-q"]);
    let document = ".claude/state/design-add-login.json";
    let with_workspace = "\"id\": \"r\", \"workspace\": \".specs/20261115-add-login\"";
    sandbox.write(document, sandbox.read(document).replace("\"id\": \"r\"", with_workspace));
    record(&sandbox, "HEAD", "origin/main");
    // As after a kill of the driver: the rebase went on.
    git_stops(&sandbox, &["rebase", "-q", "origin/main"]);
    sandbox.write("file", "resolved by the person\n");
    sandbox.git(["add", "file"]);
    refused(&sandbox);
    let kept = sandbox.read(".specs/20261115-add-login/evidence/interrupted-rebase/file");
    assert_eq!(kept, "resolved by the person\n");
}

#[test]
fn patches_that_a_person_applies_are_left() {
    let sandbox = repository("main");
    sandbox.write("file", "of the patch\n");
    sandbox.git(["commit", "-q", "-a", "-m", "patch"]);
    let patch = sandbox.outside("0001.patch");
    fs_err::write(&patch, sandbox.git(["format-patch", "-1", "--stdout"]) + "\n").unwrap();
    sandbox.git(["branch", "target"]);
    sandbox.git(["reset", "-q", "--hard", "HEAD~1"]);
    sandbox.write("file", "of the person\n");
    sandbox.git(["commit", "-q", "-a", "-m", "mine"]);
    sandbox.write(".git/info/exclude", ".claude\n");
    begin(&sandbox);
    record(&sandbox, "HEAD", "target");
    git_stops(&sandbox, &["am", "-q", patch.to_str().unwrap()]);
    assert_eq!(refused(&sandbox), "PREFLIGHT_ERROR=A rebase is not finished");
    assert!(sandbox.path(".git/rebase-apply/0001").exists());
    sandbox.git(["am", "--quit"]);
}
