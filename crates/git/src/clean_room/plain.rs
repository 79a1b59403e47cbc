//! A quick look at the configuration of a submodule: most name no program, and git need not be asked about them.

use super::folders::{Folders, MAX_CONFIGURATION};
use crate::process::GitError;
use crate::regular::read_regular;
use std::io;

/// Words of which one stands in every setting that names a program, a file with more settings, or another work tree.
const TELLING_WORDS: [&str; 18] = [
    "clean",
    "smudge",
    "process",
    "helper",
    "askpass",
    "gitproxy",
    "command",
    "driver",
    "textconv",
    "external",
    "program",
    "uploadpack",
    "receivepack",
    "cmd",
    "customtransfer",
    "recentobjectshook",
    "include",
    "worktreeconfig",
];

/// True if the configuration of a submodule certainly names no program, includes nothing, and its work tree is where it
/// was found. Names of settings cannot be written in another way, so that a search for the words suffices.
pub(super) fn names_no_program(folders: &Folders) -> Result<bool, GitError> {
    for file in [folders.common_dir.join("config"), folders.git_dir.join("config.worktree")] {
        match read_regular(&file, MAX_CONFIGURATION) {
            Ok(bytes) if is_plain(&String::from_utf8_lossy(&bytes), folders) => {}
            Ok(_) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(GitError::unreadable(&error)),
        }
    }
    Ok(true)
}

fn is_plain(text: &str, folders: &Folders) -> bool {
    let lower = text.to_ascii_lowercase();
    if TELLING_WORDS.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let count = lower.matches("worktree").count();
    let work_tree = text.lines().find_map(|line| line.trim().strip_prefix("worktree = "));
    match (count, work_tree) {
        (0, _) => true,
        (1, Some(path)) => {
            let named = folders.git_dir.join(path).canonicalize();
            matches!((named, folders.work_tree.canonicalize()), (Ok(named), Ok(real)) if named == real)
        }
        // The path has the word in it, too.
        _ => false,
    }
}
