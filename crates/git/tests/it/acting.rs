//! Git as a user would use it, and edits on our own behalf.

use crate::{marking_program, repository, script};
use charrette_git::Git;
use std::process::Command;

#[test]
fn hooks_run_when_git_acts_and_not_when_it_edits() {
    let sandbox = repository();
    let (program, mark) = marking_program(&sandbox);
    let hook = format!("git rev-parse --abbrev-ref HEAD >/dev/null && exec '{}' hook", program.display());
    script(&sandbox.path(".git/hooks/post-checkout"), &hook);
    let folder = sandbox.work();
    let git = Git::new(&folder);
    sandbox.write("a.txt", "changed\n");
    git.edit(&["restore", "--pathspec-from-file=-", "--pathspec-file-nul"], b"a.txt\0").unwrap();
    assert_eq!((sandbox.read("a.txt").as_str(), mark.exists()), ("one\n", false));
    git.act(&["switch", "-q", "-c", "other"]).unwrap();
    assert_eq!((sandbox.git(["branch", "--show-current"]).as_str(), mark.exists()), ("other", true));
}

#[test]
fn hooks_see_the_locale_and_the_pathspecs_of_the_user() {
    let sandbox = repository();
    let seen = sandbox.outside("seen");
    let hook = format!("echo \"${{LC_ALL-none}} $(git ls-files '*.txt')\" > '{}'", seen.display());
    script(&sandbox.path(".git/hooks/post-checkout"), &hook);
    let ours = Command::new("sh").args(["-c", "echo ${LC_ALL-none}"]).output().unwrap().stdout;
    Git::new(&sandbox.work()).act(&["switch", "-q", "-c", "other"]).unwrap();
    let expected = format!("{} a.txt\n", String::from_utf8(ours).unwrap().trim_end());
    assert_eq!(fs_err::read_to_string(&seen).unwrap(), expected);
}

#[test]
fn a_failing_hook_is_reported_with_its_message() {
    let sandbox = repository();
    script(&sandbox.path(".git/hooks/pre-commit"), "echo not today >&2; exit 1");
    let error = Git::new(&sandbox.work()).act(&["commit", "--allow-empty", "-m", "x"]).unwrap_err();
    assert_eq!((error.reason().as_str(), error.to_string().as_str()), ("not today", "git commit: not today"));
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
