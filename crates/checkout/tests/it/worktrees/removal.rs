//! What is left when a run is done.

use crate::workshop::{RUN, Workshop, order, wait, write};
use charrette_engine::ports::worktrees::Worktrees as _;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_worktree_is_removed_whatever_is_in_it() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    write(&folder, "locked/file", "x");
    write(&folder, "deep/er/file", "x");
    std::os::unix::fs::symlink(workshop.sandbox.work(), folder.join("link")).unwrap();
    fs_err::set_permissions(folder.join("locked"), PermissionsExt::from_mode(0o500)).unwrap();
    fs_err::set_permissions(folder.join("deep/er"), PermissionsExt::from_mode(0o000)).unwrap();
    for _ in 0..2 {
        wait(workshop.worktrees.remove(RUN.to_owned(), "T001".to_owned())).unwrap();
        assert!(!folder.exists());
        assert_eq!(workshop.sandbox.git(["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
    }
    assert!(workshop.sandbox.path("file").exists());
}

#[test]
fn the_users_own_worktrees_are_left_alone() {
    let workshop = Workshop::new();
    let theirs = workshop.sandbox.outside("theirs");
    workshop.sandbox.git(["worktree", "add", "-q", "--detach", theirs.to_str().unwrap()]);
    // One whose folder is on a disk that is not there now.
    let away = workshop.sandbox.outside("away");
    workshop.sandbox.git(["worktree", "add", "-q", "--detach", away.to_str().unwrap()]);
    fs_err::rename(&away, workshop.sandbox.outside("moved")).unwrap();
    let base = workshop.begin();
    workshop.prepare("T001", &base.commit);
    workshop.clean_up(&[]);
    let listed = workshop.sandbox.git(["worktree", "list", "--porcelain"]);
    assert!(listed.contains("/theirs") && listed.contains("/away"), "{listed}");
}

#[test]
fn worktrees_that_are_kept_keep_their_commits() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let one = workshop.work("T001", &base.commit, &[("a", "a")]);
    workshop.work("T002", &base.commit, &[("b", "b")]);
    workshop.advance(&base.commit, &one);
    workshop.clean_up(&["T002"]);
    assert!(!workshop.folder().join("T001").exists() && workshop.folder().join("T002/b").exists());
    let refs = workshop.sandbox.git(["for-each-ref", "--format=%(refname)", "refs/charrette"]);
    assert_eq!(refs, format!("refs/charrette/{RUN}\nrefs/charrette/{RUN}.work/T002"));
    // It can go on there.
    assert_eq!(workshop.capture("T002", &base.commit).files.len(), 1);
    workshop.clean_up(&[]);
    assert_eq!(workshop.traces(), [format!("refs/charrette/{RUN}")]);
}

#[test]
fn runs_that_are_gone_are_found_with_their_refs() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    workshop.work("T001", &base.commit, &[("a", "a")]);
    let scratch = workshop.sandbox.outside("state/worktrees/.scratch-999999999-0");
    fs_err::create_dir(&scratch).unwrap();
    assert_eq!(workshop.worktrees.find_left_over(&[RUN.to_owned()]).unwrap(), []);
    assert!(!scratch.exists());
    let found = workshop.worktrees.find_left_over(&[]).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].run.as_str(), found[0].folder.as_ref()), (RUN, Some(&workshop.folder())));
    assert_eq!(found[0].refs.len(), 2);
    workshop.worktrees.remove_left_over(&found[0]).unwrap();
    assert_eq!(workshop.traces(), Vec::<String>::new());
    assert_eq!(workshop.worktrees.find_left_over(&[]).unwrap(), []);
}

#[test]
fn worktrees_of_another_repository_are_not_ours_unless_it_is_gone() {
    let (ours, theirs) = (Workshop::new(), Workshop::new());
    let base = theirs.begin();
    theirs.prepare("T001", &base.commit);
    // Both have the same state folder.
    fs_err::create_dir_all(ours.sandbox.outside("state")).unwrap();
    fs_err::rename(theirs.sandbox.outside("state/worktrees"), ours.sandbox.outside("state/worktrees"))
        .unwrap();
    assert_eq!(ours.worktrees.find_left_over(&[]).unwrap(), []);
    assert!(ours.try_begin(&[]).is_err());
    fs_err::remove_dir_all(theirs.sandbox.path(".git")).unwrap();
    let found = ours.worktrees.find_left_over(&[]).unwrap();
    assert!(found.len() == 1 && found[0].repository_is_gone);
    ours.worktrees.remove_left_over(&found[0]).unwrap();
    assert_eq!(ours.traces(), Vec::<String>::new());
}

#[test]
fn a_registration_made_by_half_is_removed_and_one_of_somebody_else_is_not() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    workshop.prepare("T001", &base.commit);
    let half = |name: &str, reason: &str| {
        let folder = workshop.sandbox.path(".git/worktrees").join(name);
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join("locked"), reason).unwrap();
        fs_err::write(folder.join("gitdir"), "/nowhere/.git\n").unwrap();
        fs_err::write(folder.join("HEAD"), format!("{}\n", base.commit)).unwrap();
        // As git leaves it when it is killed between creating and writing the file.
        fs_err::write(folder.join("commondir"), "").unwrap();
        folder
    };
    let own = half("check-3", &format!("charrette {RUN} check-3\n"));
    let refused = workshop.sandbox.run("git", ["worktree", "list"], b"");
    assert_ne!(refused.code, Some(0), "git works with it after all");
    workshop.begin();
    assert!(!own.exists(), "a run that begins again removes it");
    let own = half("check-4", &format!("charrette {RUN} check-4\n"));
    // Git registers a worktree with a tree.
    let tree = workshop.sandbox.git(["rev-parse", "HEAD^{tree}"]).trim().to_owned();
    workshop.prepare("T002", &tree);
    assert!(!own.exists(), "it is removed where git refuses because of it");
    let foreign = half("other", "of somebody else\n");
    let error = workshop.try_prepare(order("T003", &tree)).unwrap_err();
    assert!(format!("{error:?}").contains("worktrees/other"), "{error:?}");
    assert!(foreign.exists());
    fs_err::remove_dir_all(foreign).unwrap();
    workshop.prepare("T003", &tree);
}

#[test]
fn locks_that_a_killed_git_left_on_refs_of_the_run_do_not_stand_in_the_way() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    for task in ["T001", "T002", "T003"] {
        let commit = workshop.work(task, &base.commit, &[(&format!("{task}.py"), "x = 1\n")]);
        assert!(!commit.is_empty());
    }
    for task in ["T001", "T002", "T003"] {
        workshop.sandbox.write(&format!(".git/refs/charrette/{RUN}.work/{task}.lock"), "");
    }
    workshop.clean_up(&[]);
    assert_eq!(workshop.traces(), Vec::<String>::new());
}
