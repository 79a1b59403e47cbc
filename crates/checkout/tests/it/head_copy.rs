//! Copies of HEAD for agents.

use crate::fixture::{empty_repository, repository, root};
use charrette_checkout::{Surroundings, TreeWatch};
use charrette_engine::ports::Tree;
use charrette_model::tree::OwnPaths;
use charrette_testkit::Sandbox;
use std::path::{Path, PathBuf};
use std::process::Command;

fn copy(sandbox: &Sandbox) -> (PathBuf, Result<(), String>) {
    let watch = TreeWatch::new(root(sandbox), OwnPaths::default(), Surroundings::default());
    let to = sandbox.outside("copies/lane-1");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let copied = runtime.block_on(Tree::copy_head(&watch, to.clone()));
    (to, copied)
}

/// Runs git as an agent would.
fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git").args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Names and sizes of all files below a folder.
fn files(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut all = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            all.extend(files(&entry.path()));
        } else {
            all.push((entry.path(), entry.metadata().unwrap().len()));
        }
    }
    all.sort();
    all
}

#[test]
fn a_copy_is_head_without_a_trace_in_the_original() {
    let sandbox = repository("main");
    sandbox.write("folder/other", "other");
    sandbox.git(["add", "-A"]);
    sandbox.commit("second");
    sandbox.write("file", "changed, not committed");
    sandbox.write("untracked", "x");
    let before = files(&sandbox.path(".git"));
    let (to, copied) = copy(&sandbox);
    copied.unwrap();
    assert_eq!(fs_err::read_to_string(to.join("file")).unwrap(), "first");
    assert_eq!(fs_err::read_to_string(to.join("folder/other")).unwrap(), "other");
    assert!(!to.join("untracked").exists());
    assert_eq!(git(&to, &["rev-parse", "HEAD"]), sandbox.git(["rev-parse", "HEAD"]));
    assert_eq!(git(&to, &["log", "--format=%s"]), "second\nfirst");
    assert_eq!(git(&to, &["status", "--porcelain"]), "");
    assert_eq!(
        (git(&to, &["branch", "--list"]).contains("main"), git(&to, &["remote"])),
        (false, String::new())
    );
    // The agent changes and commits there.
    fs_err::write(to.join("file"), "experiment").unwrap();
    git(&to, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-am", "experiment"]);
    assert_eq!(files(&sandbox.path(".git")), before);
    assert_eq!(sandbox.read("file"), "changed, not committed");
    assert_eq!(sandbox.git(["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_copy_starts_no_program_of_the_repository() {
    let sandbox = repository("main");
    let mark = sandbox.outside("it-ran");
    sandbox.git(["config", "filter.evil.smudge", &format!("touch '{}'; cat", mark.display())]);
    sandbox.write(".gitattributes", "* filter=evil\n");
    sandbox.git(["add", ".gitattributes"]);
    sandbox.commit("attributes");
    let (to, copied) = copy(&sandbox);
    copied.unwrap();
    assert!(to.join("file").exists() && !mark.exists());
}

#[test]
fn a_worktree_is_copied_with_its_own_head() {
    let sandbox = repository("main");
    let worktree = sandbox.outside("worktree");
    sandbox.git(["worktree", "add", "-q", "-b", "other", worktree.to_str().unwrap()]);
    fs_err::write(worktree.join("file"), "of the worktree").unwrap();
    git(&worktree, &["commit", "-q", "-am", "in the worktree"]);
    let watch = TreeWatch::new(worktree.clone(), OwnPaths::default(), Surroundings::default());
    let to = sandbox.outside("copy");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(watch.copy_head(to.clone())).unwrap();
    assert_eq!(fs_err::read_to_string(to.join("file")).unwrap(), "of the worktree");
}

#[test]
fn the_history_of_a_shallow_clone_can_be_read() {
    let sandbox = repository("main");
    sandbox.write("file", "second");
    sandbox.git(["commit", "-q", "-am", "second"]);
    let shallow = sandbox.outside("shallow");
    let url = format!("file://{}", root(&sandbox).display());
    git(&root(&sandbox), &["clone", "-q", "--depth", "1", &url, shallow.to_str().unwrap()]);
    let watch = TreeWatch::new(shallow, OwnPaths::default(), Surroundings::default());
    let to = sandbox.outside("copy");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(watch.copy_head(to.clone())).unwrap();
    assert_eq!(git(&to, &["log", "--format=%s"]), "second");
}

#[test]
fn without_a_commit_the_folder_is_empty_and_without_a_repository_there_is_none() {
    let sandbox = empty_repository("main");
    sandbox.write("file", "not committed");
    let (to, copied) = copy(&sandbox);
    copied.unwrap();
    assert_eq!(fs_err::read_dir(&to).unwrap().count(), 0);

    let sandbox = Sandbox::new();
    let (to, copied) = copy(&sandbox);
    assert!(copied.unwrap_err().contains("there is no git repository at"));
    assert!(!to.exists());
}
