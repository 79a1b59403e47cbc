//! What a run must not leave behind: worktrees, refs, branches, locks and processes.

use crate::Sandbox;
use std::path::Path;

/// Everything that a run left in a sandbox whose branches are `branches`; one line each.
pub fn find(sandbox: &Sandbox, branches: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let worktrees = sandbox.git(["worktree", "list", "--porcelain"]);
    found.extend(lines(&worktrees, "worktree ").skip(1).map(|path| format!("worktree {path}")));
    let refs = sandbox.git(["for-each-ref", "--format=%(refname)"]);
    let is_kept = |name: &str| {
        name.starts_with("refs/remotes/")
            || name.strip_prefix("refs/heads/").is_some_and(|branch| branches.contains(&branch))
    };
    found.extend(refs.lines().filter(|name| !is_kept(name)).map(|name| format!("ref {name}")));
    let folder = sandbox.home().join(".local/state/charrette/worktrees");
    found.extend(files(&folder, &|_| true).map(|path| format!("file {path}")));
    found.extend(
        files(&sandbox.path(".git"), &|name| name.ends_with(".lock")).map(|path| format!("lock {path}")),
    );
    found.extend(processes(sandbox));
    found
}

/// Processes with the home folder of the sandbox in their environment.
pub fn processes(sandbox: &Sandbox) -> Vec<String> {
    let home = format!("HOME={}\0", sandbox.home().display()).into_bytes();
    let mut found = Vec::new();
    for entry in fs_err::read_dir("/proc").into_iter().flatten().flatten() {
        let read = |name: &str| fs_err::read(entry.path().join(name)).unwrap_or_default();
        if !read("environ").windows(home.len()).any(|bytes| bytes == home) {
            continue;
        }
        let command = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        // A process that has ended but was not waited for has no command line.
        if !command.is_empty() {
            found.push(format!("process {} {command}", entry.file_name().to_string_lossy()));
        }
    }
    found
}

fn lines<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| line.strip_prefix(start))
}

/// Paths of the files below a folder whose names fit.
fn files(folder: &Path, fits: &dyn Fn(&str) -> bool) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(files(&path, fits));
        } else if fits(&entry.file_name().to_string_lossy()) {
            found.push(path.display().to_string());
        }
    }
    found.into_iter()
}
