//! Git as a user would use it, and edits on our own behalf.

use crate::{marking_program, repository, script};
use charrette_git::Git;

#[test]
fn hooks_of_the_repository_run_neither_when_git_acts_nor_when_it_edits() {
    let sandbox = repository();
    let (program, mark) = marking_program(&sandbox);
    script(&sandbox.path(".git/hooks/post-checkout"), &format!("exec '{}' hook", program.display()));
    let folder = sandbox.work();
    let git = Git::new(&folder);
    sandbox.write("a.txt", "changed\n");
    git.edit(&["restore", "--pathspec-from-file=-", "--pathspec-file-nul"], b"a.txt\0").unwrap();
    git.act(&["switch", "-q", "-c", "other"]).unwrap();
    assert_eq!(sandbox.read("a.txt"), "one\n");
    assert_eq!((sandbox.git(["branch", "--show-current"]).as_str(), mark.exists()), ("other", false));
    sandbox.git(["switch", "-q", "-"]);
    assert!(mark.exists(), "a plain git must run the hook, or nothing is proven");
}

#[test]
fn the_whole_message_of_git_is_reported() {
    let sandbox = repository();
    sandbox.git(["switch", "-q", "-c", "other"]);
    sandbox.write("a.txt", "two\n");
    sandbox.git(["commit", "-qam", "two"]);
    sandbox.git(["switch", "-q", "-"]);
    sandbox.write("a.txt", "three\n");
    let error = Git::new(&sandbox.work()).act(&["switch", "-q", "other"]).unwrap_err();
    let reason = error.reason();
    assert!(reason.contains("would be overwritten") && reason.contains("a.txt"), "{reason}");
}

#[test]
fn a_lock_that_was_left_behind_is_named_with_its_cure() {
    let sandbox = repository();
    sandbox.write(".git/HEAD.lock", "");
    let error = Git::new(&sandbox.work()).act(&["switch", "-q", "-c", "other"]).unwrap_err();
    let reason = error.reason();
    assert!(
        reason.contains("is held by no process; remove it: rm ") && reason.contains("HEAD.lock"),
        "{reason}"
    );
}

#[test]
fn no_editor_is_opened() {
    let sandbox = repository();
    let (program, mark) = marking_program(&sandbox);
    sandbox.git(["config", "core.editor", program.to_str().unwrap()]);
    sandbox.git(["config", "sequence.editor", program.to_str().unwrap()]);
    let folder = sandbox.work();
    let git = Git::new(&folder);
    git.act(&["commit", "--amend", "--allow-empty"]).unwrap();
    git.act(&["rebase", "--interactive", "--root"]).unwrap();
    assert!(!mark.exists());
}

#[test]
fn an_index_of_its_own_leaves_the_repositorys_alone() {
    let sandbox = repository();
    sandbox.write("new", "new");
    let (folder, index) = (sandbox.work(), sandbox.outside("index"));
    let git = Git::new(&folder).with_index(&index);
    git.edit(&["add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"], b"new\0").unwrap();
    assert_eq!(git.text(&["ls-files"]).unwrap(), "new");
    assert_eq!(sandbox.git(["ls-files"]), "a.txt");
}
