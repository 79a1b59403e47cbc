//! Lock files of git that a killed process left behind: which one, how old, and who has it open.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// Depth of folders below `refs` that are searched.
const MAX_DEPTH: usize = 16;

/// A lock file of git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockFile {
    pub path: PathBuf,
    /// Time since it was last written, if the system tells.
    pub age: Option<Duration>,
    /// A process that has it open. None if there is none, or the system does not tell.
    pub holder: Option<u32>,
}

impl LockFile {
    /// The lock file at that path; none if there is none.
    fn at(path: &Path) -> Option<LockFile> {
        let meta = path.symlink_metadata().ok()?;
        let age = meta.modified().ok().and_then(|modified| modified.elapsed().ok());
        Some(LockFile { path: path.to_owned(), age, holder: process_with_open_file(path) })
    }

    /// Lock files of a repository, given its folder (and that of its common files, for a linked work tree).
    pub fn find(git_dir: &Path, common_dir: &Path) -> Vec<LockFile> {
        let mut found = Vec::new();
        for folder in if git_dir == common_dir { vec![git_dir] } else { vec![git_dir, common_dir] } {
            let names = [
                "HEAD.lock",
                "index.lock",
                "ORIG_HEAD.lock",
                "config.lock",
                "packed-refs.lock",
                "shallow.lock",
            ];
            found.extend(names.iter().filter_map(|name| LockFile::at(&folder.join(name))));
            add_ref_locks(&folder.join("refs"), 0, &mut found);
        }
        found
    }

    /// Path, age and holder, and the cure.
    pub fn describe(&self) -> String {
        let path = self.path.display();
        let age = match self.age.map(|age| age.as_secs()) {
            None => String::new(),
            Some(seconds @ ..120) => format!(", {seconds} seconds old"),
            Some(seconds @ ..7200) => format!(", {} minutes old", seconds / 60),
            Some(seconds) => format!(", {} hours old", seconds / 3600),
        };
        match self.holder {
            Some(pid) => format!("{path}{age}, is held by process {pid}; wait until it has ended"),
            None => format!("{path}{age}, is held by no process; remove it: rm {path}"),
        }
    }
}

/// Explanation of a message of git about a lock file that exists; none if the message is about something else.
pub(crate) fn explain(message: &str) -> Option<String> {
    let line = message.lines().find(|line| line.contains(".lock'") && line.contains("File exists"))?;
    let path = line.split('\'').find(|part| part.ends_with(".lock"))?;
    LockFile::at(Path::new(path)).map(|lock| lock.describe())
}

fn add_ref_locks(folder: &Path, depth: usize, found: &mut Vec<LockFile>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => add_ref_locks(&path, depth + 1, found),
            Ok(_) if path.extension().is_some_and(|extension| extension == "lock") => {
                found.extend(LockFile::at(&path));
            }
            _ => {}
        }
    }
}

/// A process that has a file open, among those that we may look at.
fn process_with_open_file(path: &Path) -> Option<u32> {
    let path = path.canonicalize().ok()?;
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok()).find(|pid| {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        files.filter_map(|file| std::fs::read_link(file.path()).ok()).any(|open| open == path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_about_a_lock_is_explained_and_others_are_not() {
        let folder = std::env::temp_dir().join(format!("charrette-lock-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let lock = folder.join("index.lock");
        let file = std::fs::File::create(&lock).unwrap();
        let message = format!(
            "fatal: Unable to create '{}': File exists.\n\nAnother git process seems to be running",
            lock.display()
        );
        let held = explain(&message).unwrap();
        if cfg!(target_os = "linux") {
            assert!(held.contains(&format!("held by process {}", std::process::id())), "{held}");
        }
        drop(file);
        let left = explain(&message).unwrap();
        assert!(left.ends_with(&format!("held by no process; remove it: rm {}", lock.display())), "{left}");
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(explain(&message), None);
        assert_eq!(explain("fatal: not a git repository"), None);
    }
}
