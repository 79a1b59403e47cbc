//! The runner of git, tried on real repositories with the real git.

#![allow(clippy::unwrap_used, reason = "tests")]

mod acting;
mod calling;
mod programs;
mod reading;
mod submodules;
mod traps;

use charrette_testkit::Sandbox;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

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
