//! The runner of git, tried on real repositories with the real git.

#![allow(clippy::unwrap_used, reason = "tests")]

mod acting;
mod calling;
mod endless;
mod includes;
mod pipes;
mod programs;
mod reading;
mod silence;
mod submodules;
mod traps;

use charrette_git::{Git, GitError};
use charrette_testkit::Sandbox;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// A repository with a committed file, whose users have names of their own.
fn repository() -> Sandbox {
    let sandbox = Sandbox::repository();
    for (key, value) in
        [("user.name", "Ada L"), ("user.email", "ada@example.com"), ("commit.gpgSign", "false")]
    {
        sandbox.git(["config", key, value]);
    }
    sandbox.write("a.txt", "one\n");
    sandbox.git(["add", "a.txt"]);
    sandbox.commit("a file");
    sandbox
}

/// Makes a file that can be executed.
fn script(path: &Path, text: &str) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs_err::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

/// A program that leaves a mark when it is started, and where the mark will be.
fn marking_program(sandbox: &Sandbox) -> (PathBuf, PathBuf) {
    let (program, mark) = (sandbox.outside("program"), sandbox.outside("it-ran"));
    script(&program, &format!("echo \"$0 $*\" >> '{}'", mark.display()));
    (program, mark)
}

/// The question that has git look at every file, those of submodules included.
const STATUS: [&str; 3] = ["status", "--porcelain", "--ignore-submodules=none"];

/// Answer to [`STATUS`] in a folder, from a thread of its own: one that never comes fails the test.
fn status_in_time(folder: &Path, what: &str) -> Result<Vec<u8>, GitError> {
    let (answered, answer) = mpsc::channel();
    let folder = folder.to_owned();
    std::thread::spawn(move || answered.send(Git::new(&folder).bytes(&STATUS)));
    answer.recv_timeout(Duration::from_mins(1)).unwrap_or_else(|_| panic!("{what}: no answer"))
}

/// Waits until a further change of a file shows in its metadata, so that what is read now may be kept.
fn settle() {
    std::thread::sleep(Duration::from_millis(150));
}

/// Makes git look at a file anew.
fn touch(file: &Path) {
    fs_err::File::open(file).unwrap().file().set_modified(std::time::UNIX_EPOCH).unwrap();
}
