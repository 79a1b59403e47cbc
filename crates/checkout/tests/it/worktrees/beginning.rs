//! Where a run begins, and where it cannot.

use crate::fixture::empty_repository;
use crate::workshop::{RUN, Workshop, wait};
use charrette_checkout::{PortError, TaskWorktrees, WorktreeOptions};
use charrette_engine::ports::worktrees::{BeginOrder, CommitMessage, Worktrees as _};
use charrette_testkit::Sandbox;

const SPEC: (&str, &str) = ("specs/login/tasks.md", "- [ ] T001\n");

fn refusal(workshop: &Workshop) -> String {
    match workshop.try_begin(&[SPEC]) {
        Err(PortError::Refused(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_approved_specification_is_the_first_commit() {
    let workshop = Workshop::new();
    let head = workshop.sandbox.git(["rev-parse", "HEAD"]);
    workshop.sandbox.write(SPEC.0, SPEC.1);
    let base = workshop.try_begin(&[SPEC]).unwrap();
    assert_eq!((base.head.as_str(), base.branch.as_str()), (head.as_str(), "main"));
    assert_eq!(
        workshop.sandbox.git(["show", "-s", "--format=%P %an %ae %s", &base.commit]),
        format!("{head} Ada Lovelace ada@example.com docs: approved specification")
    );
    assert_eq!(workshop.sandbox.git(["diff-tree", "-r", "--name-only", &head, &base.commit]), SPEC.0);
    // The user's branch, index and files are as before.
    assert_eq!(workshop.sandbox.git(["rev-parse", "HEAD"]), head);
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "?? specs/");
    assert_eq!(wait(workshop.worktrees.tip(RUN.to_owned())).unwrap(), base.commit);
    // Again, with the same result.
    assert_eq!(workshop.try_begin(&[SPEC]).unwrap(), base);
}

#[test]
fn a_committed_specification_needs_no_commit() {
    let workshop = Workshop::new();
    workshop.sandbox.write(SPEC.0, SPEC.1);
    workshop.sandbox.git(["add", "-A"]);
    let head = workshop.sandbox.commit("specification");
    let base = workshop.try_begin(&[SPEC]).unwrap();
    assert_eq!((base.head, base.commit), (head.clone(), head));
}

#[test]
fn a_begin_that_was_killed_before_its_ref_is_completed_with_the_same_commit() {
    let workshop = Workshop::new();
    let base = workshop.try_begin(&[SPEC]).unwrap();
    workshop.sandbox.git(["update-ref", "-d", &format!("refs/charrette/{RUN}")]);
    assert_eq!(workshop.try_begin(&[SPEC]).unwrap(), base);
    assert_eq!(wait(workshop.worktrees.tip(RUN.to_owned())).unwrap(), base.commit);
}

#[test]
fn a_lock_that_a_killed_git_left_on_our_ref_is_removed() {
    let workshop = Workshop::new();
    workshop.sandbox.write(&format!(".git/refs/charrette/{RUN}.lock"), "");
    workshop.begin();
    assert!(!workshop.sandbox.path(&format!(".git/refs/charrette/{RUN}.lock")).exists());
}

#[test]
fn a_ref_of_unknown_origin_is_not_taken_over() {
    let workshop = Workshop::new();
    workshop.sandbox.git(["update-ref", &format!("refs/charrette/{RUN}"), "HEAD"]);
    assert!(refusal(&workshop).contains("git update-ref -d refs/charrette/"));
}

#[test]
fn operations_in_progress_are_refused_with_their_commands() {
    for (file, expected) in [
        ("MERGE_HEAD", "a merge is in progress"),
        ("CHERRY_PICK_HEAD", "git cherry-pick --continue, or git cherry-pick --abort"),
        ("rebase-merge/head-name", "git rebase --continue, or git rebase --abort"),
    ] {
        let workshop = Workshop::new();
        let head = workshop.sandbox.git(["rev-parse", "HEAD"]);
        workshop.sandbox.write(&format!(".git/{file}"), format!("{head}\n"));
        let text = refusal(&workshop);
        assert!(text.contains(expected), "{text}");
        assert_eq!(workshop.sandbox.git(["for-each-ref", "refs/charrette"]), "");
    }
}

#[test]
fn without_a_commit_or_files_there_is_nothing_to_begin_at() {
    let workshop = Workshop::of(empty_repository("main"));
    assert!(refusal(&workshop).contains("no commit yet"));
    let bare = Sandbox::new();
    bare.git(["init", "-q", "--bare"]);
    assert!(refusal(&Workshop::of(bare)).contains("bare repository"));
    assert!(refusal(&Workshop::of(Sandbox::new())).contains("git init"));
}

#[test]
fn a_detached_head_and_a_shallow_clone_can_begin() {
    let workshop = Workshop::new();
    workshop.sandbox.git(["checkout", "-q", "--detach"]);
    let base = workshop.try_begin(&[SPEC]).unwrap();
    assert_eq!(base.branch, "");

    let origin = Workshop::new();
    let clone = Sandbox::new();
    let url = format!("file://{}", origin.sandbox.work().display());
    clone.git(["clone", "-q", "--depth=1", &url, "."]);
    for (key, value) in [("user.name", "Ada Lovelace"), ("user.email", "ada@example.com")] {
        clone.git(["config", key, value]);
    }
    let workshop = Workshop::of(clone);
    let base = workshop.try_begin(&[SPEC]).unwrap();
    assert!(base.warnings.iter().any(|warning| warning.contains("shallow clone")), "{:?}", base.warnings);
    let commit = workshop.work("T001", &base.commit, &[("new.py", "x = 1\n")]);
    assert_eq!(
        workshop.merge(&base.commit, &base.commit, &commit),
        charrette_engine::ports::worktrees::Merge::Clean(
            workshop.sandbox.git(["rev-parse", &format!("{commit}^{{tree}}")])
        )
    );
}

#[test]
fn uncommitted_changes_are_told() {
    let workshop = Workshop::new();
    workshop.sandbox.write("src/lib.py", "changed\n");
    workshop.sandbox.write(SPEC.0, SPEC.1);
    let base = workshop.try_begin(&[SPEC]).unwrap();
    assert_eq!(base.warnings, ["uncommitted changes are not part of the work: src/lib.py"]);
}

#[test]
fn a_linked_worktree_can_be_the_users_checkout() {
    let workshop = Workshop::new();
    let linked = workshop.sandbox.outside("linked");
    workshop.sandbox.git(["worktree", "add", "-q", "-b", "feature", linked.to_str().unwrap()]);
    let state = workshop.sandbox.outside("state");
    let worktrees = TaskWorktrees::new(WorktreeOptions { root: linked.canonicalize().unwrap(), state });
    let message = CommitMessage { title: "docs: x".to_owned(), ..CommitMessage::default() };
    let specification = vec![crate::workshop::edit(SPEC.0, SPEC.1)];
    let order = BeginOrder { run: RUN.to_owned(), specification, message };
    let base = wait(worktrees.begin(order)).unwrap();
    assert_eq!(base.branch, "feature");
    let worktree = wait(worktrees.prepare(crate::workshop::order("T001", &base.commit))).unwrap();
    assert!(std::path::Path::new(&worktree.path).join(SPEC.0).exists());
    wait(worktrees.clean_up(RUN.to_owned(), Vec::new())).unwrap();
    assert_eq!(workshop.sandbox.git(["worktree", "list", "--porcelain"]).matches("worktree ").count(), 2);
}
