//! The user's checkout is fast-forwarded, or left alone and told why.

use crate::workshop::{RUN, Workshop};
use charrette_engine::ports::worktrees::{IntegrationBase, Landing};

const SPEC: (&str, &str) = ("specs/login/tasks.md", "- [ ] T001\n");

/// A run with one integrated task.
fn integrated(workshop: &Workshop) -> (IntegrationBase, String) {
    workshop.sandbox.write(SPEC.0, SPEC.1);
    let base = workshop.try_begin(&[SPEC]).unwrap();
    let files =
        [("src/lib.py", "def one():\n    return 10\n"), ("new.py", "x = 1\n"), (SPEC.0, "- [x] T001\n")];
    let commit = workshop.work("T001", &base.commit, &files);
    workshop.advance(&base.commit, &commit);
    (base, commit)
}

fn reason(landing: Landing) -> (String, String) {
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
    assert!(warnings[0].starts_with("specs/login/tasks.md had the approved content"), "{warnings:?}");
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
    // The person moves it, and types the command.
    fs_err::remove_file(workshop.sandbox.path(SPEC.0)).unwrap();
    workshop.sandbox.git(["merge", "-q", "--ff-only", &format!("refs/charrette/{RUN}")]);
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
    workshop.sandbox.git(["checkout", "-q", "src/lib.py"]);
    workshop.sandbox.git(["add", "file"]);
    assert!(matches!(workshop.land(&base, &commit, &[SPEC.0]), Landing::Landed { .. }));
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "M  file");
}

#[test]
fn untracked_and_ignored_files_are_not_overwritten() {
    for (path, prepare) in [("new.py", ""), ("new.py", "new.py\n")] {
        let workshop = Workshop::new();
        let (base, commit) = integrated(&workshop);
        workshop.sandbox.write(".git/info/exclude", prepare);
        workshop.sandbox.write(path, "of the user");
        let (reason, _) = reason(workshop.land(&base, &commit, &[SPEC.0]));
        assert!(reason.contains(path), "{reason}");
        assert_eq!(workshop.sandbox.read(path), "of the user");
        assert_eq!(workshop.sandbox.read(SPEC.0), SPEC.1);
        assert_eq!(workshop.sandbox.git(["rev-parse", "HEAD"]), base.head);
    }
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
        assert_eq!(command, expected_command);
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
    fs_err::remove_file(workshop.sandbox.path(SPEC.0)).unwrap();
    workshop.sandbox.git(["merge", "-q", "--no-edit", &name]);
    workshop.clean_up(&[]);
    assert_eq!(workshop.traces(), Vec::<String>::new());
}

#[test]
fn a_landing_that_was_killed_is_completed() {
    /// What the killed git had done.
    type Half = fn(&Workshop, &str);
    let halves: [(&str, Half); 4] = [
        ("some files", |workshop, commit| {
            workshop.sandbox.write("src/lib.py", "def one():\n    return 10\n");
            workshop.sandbox.write("new.py", "x = 1\n");
            workshop.sandbox.write(".git/index.lock", "torn");
            let _ = commit;
        }),
        ("all files and the index", |workshop, commit| {
            workshop.sandbox.git(["read-tree", "-u", "--reset", commit]);
        }),
        ("nothing but the archive", |workshop, _| {
            fs_err::remove_file(workshop.sandbox.path(SPEC.0)).unwrap();
        }),
        ("a lock of the branch", |workshop, _| workshop.sandbox.write(".git/refs/heads/main.lock", "")),
    ];
    for (name, half) in halves {
        let workshop = Workshop::new();
        let (base, commit) = integrated(&workshop);
        let mark = workshop.folder().join(".charrette/landing");
        fs_err::write(&mark, &commit).unwrap();
        half(&workshop, &commit);
        let landed = workshop.land(&base, &commit, &[SPEC.0]);
        assert!(matches!(landed, Landing::Landed { .. }), "{name}: {landed:?}");
        assert_eq!(workshop.sandbox.git(["rev-parse", "HEAD"]), commit, "{name}");
        assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "", "{name}");
        assert!(!mark.exists() && !workshop.sandbox.path(".git/index.lock").exists(), "{name}");
    }
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
