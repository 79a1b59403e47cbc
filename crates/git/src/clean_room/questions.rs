//! What git itself is asked before a call: its settings, its folders, the entries of an index that only it can read. None of
//! these questions starts a program. Where git gives no answer there is none, and the call is not made.

use super::folders::Folders;
use crate::command::{Purpose, base_command};
use crate::index_file::LIST_INDEX;
use crate::process::{Call, GitError, run};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Words of git where an index is damaged, so that no call can look at what it lists.
const DAMAGED_INDEX: [&str; 2] = ["index file corrupt", "index file smaller than expected"];

/// Has a command name a repository, so that it looks for none.
pub(super) fn name_repository(command: &mut Command, git_dir: &Path, work_tree: &Path) {
    command.env("GIT_DIR", git_dir).env("GIT_WORK_TREE", work_tree);
    command.env_remove("GIT_COMMON_DIR").env_remove("GIT_INDEX_FILE");
}

/// All settings that count for a command, with scope and origin.
pub(super) fn list_settings(mut command: Command) -> Result<Vec<u8>, GitError> {
    command.args(["config", "--list", "--show-scope", "--show-origin", "-z"]);
    ask(command, "config").map_err(|error| unknown("the settings that count here", &error))
}

/// Settings of one file, with their origin.
pub(super) fn list_settings_of(file: &Path, folder: &Path) -> Result<Vec<u8>, GitError> {
    let mut command = base_command(folder, Purpose::Reading);
    command.args(["config", "--list", "--show-origin", "-z", "--file"]).arg(file);
    ask(command, "config").map_err(|error| unknown(&file.display().to_string(), &error))
}

/// A path as git understands it, which may begin with the home folder of any user, or with that of git.
pub(super) fn expand_path(path: &Path, folder: &Path) -> Result<PathBuf, GitError> {
    let written = path.as_os_str().as_bytes();
    if !written.starts_with(b"~") && !written.starts_with(b"%(prefix)/") {
        return Ok(path.to_owned());
    }
    let mut command = base_command(folder, Purpose::Reading);
    // As the value of a setting that nobody makes.
    command.args(["config", "--file", "/dev/null", "-z", "--type=path", "--default"]).arg(path);
    command.args(["--get", "charrette.path"]);
    let printed = ask(command, "config")
        .map_err(|error| unknown(&format!("the included file {}", path.display()), &error))?;
    Ok(PathBuf::from(OsStr::from_bytes(printed.strip_suffix(b"\0").unwrap_or(&printed))))
}

/// The folders of the repository that git works in; none if there is none.
pub(super) fn ask_for_folders(folder: &Path) -> Result<Option<Folders>, GitError> {
    let path = |what: &str, none: &str| {
        let mut command = base_command(folder, Purpose::Reading);
        command.args(["rev-parse", "--path-format=absolute", what]);
        match ask(command, "rev-parse") {
            Ok(mut printed) => {
                printed.pop_if(|last| *last == b'\n');
                Ok(Some(PathBuf::from(OsStr::from_bytes(&printed))))
            }
            Err(GitError::Failed { reason, is_killed: false, .. }) if reason.contains(none) => Ok(None),
            Err(error) => Err(unknown("the folders of the repository", &error)),
        }
    };
    let Some(git_dir) = path("--git-dir", "not a git repository")? else { return Ok(None) };
    let common_dir = path("--git-common-dir", "not a git repository")?.unwrap_or_else(|| git_dir.clone());
    let work_tree =
        path("--show-toplevel", "must be run in a work tree")?.unwrap_or_else(|| folder.to_owned());
    Ok(Some(Folders { git_dir, common_dir, work_tree }))
}

/// Entries of an index; none if it is damaged.
pub(super) fn list_index(folders: &Folders, index: &Path) -> Result<Vec<u8>, GitError> {
    if !folders.work_tree.is_dir() {
        return Ok(Vec::new());
    }
    let mut command = base_command(&folders.work_tree, Purpose::Reading);
    name_repository(&mut command, &folders.git_dir, &folders.work_tree);
    command.env("GIT_INDEX_FILE", index).args(LIST_INDEX);
    match ask(command, "ls-files") {
        Err(GitError::Failed { reason, is_killed: false, .. })
            if DAMAGED_INDEX.iter().any(|words| reason.contains(words)) =>
        {
            Ok(Vec::new())
        }
        listed => listed.map_err(|error| unknown(&format!("the entries of {}", index.display()), &error)),
    }
}

fn ask(mut command: Command, subcommand: &str) -> Result<Vec<u8>, GitError> {
    command.stdout(Stdio::piped());
    run(Call::unguarded(command, subcommand), b"")
}

/// Without an answer nothing tells which programs git would start.
fn unknown(what: &str, error: &GitError) -> GitError {
    match error {
        GitError::NotRun(_) | GitError::TimedOut { .. } | GitError::Interrupted { .. } => error.clone(),
        GitError::Failed { .. } | GitError::ConfigurationChanged { .. } => {
            GitError::NotRun(format!("{what} cannot be read: {}", error.reason()))
        }
    }
}
