//! The user's checkout is fast-forwarded, or left alone and told why.

use crate::workshop::{RUN, Workshop};
use charrette_engine::ports::worktrees::{IntegrationBase, Landing};

pub(super) const SPEC: (&str, &str) = ("specs/login/tasks.md", "- [ ] T001\n");

/// A run with one integrated task.
pub(super) fn integrated(workshop: &Workshop) -> (IntegrationBase, String) {
    workshop.sandbox.write(SPEC.0, SPEC.1);
    let base = workshop.try_begin(&[SPEC]).unwrap();
    let files =
        [("src/lib.py", "def one():\n    return 10\n"), ("new.py", "x = 1\n"), (SPEC.0, "- [x] T001\n")];
    let commit = workshop.work("T001", &base.commit, &files);
    workshop.advance(&base.commit, &commit);
    (base, commit)
}

pub(super) fn reason(landing: Landing) -> (String, String) {
    match landing {
        Landing::Waiting { reason, command } => (reason, command),
        Landing::Landed { .. } => panic!("{landing:?}"),
    }
}

#[test]
fn a_clean_checkout_is_fast_forwarded_and_the_specification_archived() {
    let workshop = Workshop::new();
    let (base, commit) = integrated(&workshop);
    let landed = workshop.land(&base, &commit, &[SPEC.0]);
    let Landing::Landed { branch, warnings } = &landed else { panic!("{landed:?}") };
    assert_eq!(branch, "main");
    assert!(
        warnings[0]
            .starts_with("specs/login/tasks.md had the content that the run began with and was replaced"),
        "{warnings:?}"
    );
    assert_eq!(workshop.sandbox.git(["rev-parse", "refs/heads/main"]), commit);
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "");
    assert_eq!(workshop.sandbox.read(SPEC.0), "- [x] T001\n");
    let archived = workshop.sandbox.outside("archive").join(SPEC.0);
    assert_eq!(fs_err::read_to_string(archived).unwrap(), SPEC.1);
    // Again, after a kill.
    assert!(matches!(workshop.land(&base, &commit, &[SPEC.0]), Landing::Landed { .. }));
    workshop.clean_up(&[]);
    assert_eq!(workshop.traces(), Vec::<String>::new());
}

#[test]
fn a_tracked_specification_with_the_approved_content_is_no_obstacle() {
    let workshop = Workshop::new();
    workshop.sandbox.write(SPEC.0, "draft\n");
    workshop.sandbox.git(["add", "-A"]);
    workshop.sandbox.commit("draft");
    let (base, commit) = integrated(&workshop);
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), format!(" M {}", SPEC.0));
    assert!(matches!(workshop.land(&base, &commit, &[SPEC.0]), Landing::Landed { .. }));
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "");
    assert_eq!(workshop.sandbox.read(SPEC.0), "- [x] T001\n");
}

#[test]
fn a_specification_that_was_edited_is_left_alone() {
    let workshop = Workshop::new();
    let (base, commit) = integrated(&workshop);
    workshop.sandbox.write(SPEC.0, "mine\n");
    let (reason, command) = reason(workshop.land(&base, &commit, &[SPEC.0]));
    assert!(reason.contains(SPEC.0), "{reason}");
    assert!(command.contains(&format!("git merge --ff-only refs/charrette/{RUN}")), "{command}");
    assert_eq!(workshop.sandbox.read(SPEC.0), "mine\n");
    assert!(!workshop.sandbox.outside("archive").exists());
    type_in(&workshop, &command);
    assert!(matches!(workshop.land(&base, &commit, &[SPEC.0]), Landing::Landed { .. }));
}

#[test]
fn dirty_files_count_only_where_the_work_touches_them() {
    let workshop = Workshop::new();
    let (base, commit) = integrated(&workshop);
    workshop.sandbox.write("file", "of the user");
    workshop.sandbox.write("src/lib.py", "of the user");
    let (reason, _) = reason(workshop.land(&base, &commit, &[SPEC.0]));
    assert!(reason.contains("src/lib.py") && !reason.contains("file,"), "{reason}");
    assert_eq!(workshop.sandbox.read("src/lib.py"), "of the user");
    assert_eq!(workshop.sandbox.read(SPEC.0), SPEC.1);
    assert_eq!(workshop.sandbox.git(["diff", "--cached", "--name-only"]), "");
    workshop.sandbox.git(["checkout", "-q", "src/lib.py"]);
    workshop.sandbox.git(["add", "file"]);
    assert!(matches!(workshop.land(&base, &commit, &[SPEC.0]), Landing::Landed { .. }));
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "M  file");
}

#[test]
fn the_command_that_is_told_takes_the_work_and_keeps_what_is_in_its_way() {
    let workshop = Workshop::new();
    let (base, commit) = integrated(&workshop);
    workshop.sandbox.write("src/lib.py", "mine\n");
    let (_, command) = reason(workshop.land(&base, &commit, &[SPEC.0]));
    type_in(&workshop, &command);
    assert_eq!(workshop.sandbox.git(["rev-parse", "HEAD"]), commit);
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "");
    // The newest stash is the person's own.
    assert_eq!(workshop.sandbox.git(["show", "stash@{0}:src/lib.py"]), "mine");
    assert_eq!(workshop.sandbox.git(["show", "stash@{1}^3:specs/login/tasks.md"]), SPEC.1.trim_end());
}

#[test]
fn a_specification_that_git_ignores_is_replaced() {
    let workshop = Workshop::new();
    workshop.sandbox.write(".git/info/exclude", "specs/\n");
    let (base, commit) = integrated(&workshop);
    assert!(matches!(workshop.land(&base, &commit, &[SPEC.0]), Landing::Landed { .. }));
    assert_eq!(workshop.sandbox.read(SPEC.0), "- [x] T001\n");
}

#[test]
fn untracked_and_ignored_files_are_not_overwritten() {
    // The last one might have been written by a git that was killed.
    for (text, prepare) in [("of the user", ""), ("of the user", "new.py\n"), ("x", "new.py\n")] {
        let (path, workshop) = ("new.py", Workshop::new());
        let (base, commit) = integrated(&workshop);
        workshop.sandbox.write(".git/info/exclude", prepare);
        workshop.sandbox.write(path, text);
        let (reason, _) = reason(workshop.land(&base, &commit, &[SPEC.0]));
        assert!(reason.contains(path), "{reason}");
        assert_eq!(workshop.sandbox.read(path), text);
        assert_eq!(workshop.sandbox.read(SPEC.0), SPEC.1);
        assert_eq!(workshop.sandbox.git(["rev-parse", "HEAD"]), base.head);
    }
}

/// Puts the untracked specification out of the way of the work.
const STASH: &str = "git stash push --include-untracked -m 'the specification before it was implemented' -- specs/login/tasks.md && ";

/// Types a command that was told.
fn type_in(workshop: &Workshop, command: &str) {
    let output = workshop.sandbox.run("sh", ["-c", command], b"");
    assert_eq!(output.code, Some(0), "{command}: {output:?}");
}

#[test]
fn a_moved_switched_or_detached_head_waits_with_the_command() {
    let name = format!("refs/charrette/{RUN}");
    let workshop = Workshop::new();
    let (base, commit) = integrated(&workshop);
    let waits = |expected_reason: &str, expected_command: &str| {
        let before = workshop.sandbox.git(["rev-parse", "HEAD"]);
        let (reason, command) = reason(workshop.land(&base, &commit, &[SPEC.0]));
        assert!(reason.contains(expected_reason), "{reason}");
        assert_eq!(command, format!("{STASH}{expected_command}"));
        assert_eq!(workshop.sandbox.git(["rev-parse", "HEAD"]), before);
    };
    workshop.sandbox.git(["checkout", "-q", "--detach"]);
    waits("HEAD is detached", &format!("git switch main && git merge --ff-only {name}"));
    workshop.sandbox.git(["switch", "-q", "-c", "other"]);
    waits(
        "the work began on main, and other is checked out now",
        &format!("git switch main && git merge --ff-only {name}"),
    );
    workshop.sandbox.git(["switch", "-q", "main"]);
    workshop.sandbox.commit("of the user");
    waits("main has moved", &format!("git merge {name}"));
    workshop.sandbox.write(".git/MERGE_HEAD", format!("{commit}\n"));
    waits(
        "a merge is in progress; finish it first: git merge --continue, or git merge --abort",
        &format!("git merge --ff-only {name}"),
    );
    // The work is kept.
    fs_err::remove_file(workshop.sandbox.path(".git/MERGE_HEAD")).unwrap();
    workshop.clean_up(&[]);
    assert_eq!(workshop.traces(), std::slice::from_ref(&name));
    type_in(&workshop, &format!("{STASH}git merge -q --no-edit {name}"));
    workshop.clean_up(&[]);
    assert_eq!(workshop.traces(), Vec::<String>::new());
}

#[test]
fn a_lock_of_somebody_else_is_told() {
    let workshop = Workshop::new();
    let (base, commit) = integrated(&workshop);
    workshop.sandbox.write(".git/index.lock", "");
    let (reason, _) = reason(workshop.land(&base, &commit, &[SPEC.0]));
    assert!(reason.contains("index.lock") && reason.contains("remove it: rm"), "{reason}");
    assert_eq!(workshop.sandbox.read(SPEC.0), SPEC.1);
}
