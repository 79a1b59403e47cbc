//! Refs of runs, below `refs/charrette`. Only the driver of a run moves them.

use super::error::Result;
use super::places::Places;
use super::ref_files::{Expected, move_ref};
use super::removal::remove_if_there;
use charrette_engine::ports::worktrees::ObjectId;
use charrette_git::{GitError, LockFile};
use charrette_store::head;
use std::time::Duration;

/// How long the lock of a ref may belong to a living process that we cannot see, such as `git pack-refs`.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);
/// How often a lock is looked at, in twice that time.
const LOCK_CHECKS: u32 = 40;
/// How often a change is attempted while locks that a killed git left are in its way.
const MAX_ATTEMPTS: u32 = 4;

/// A change of one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RefChange<'a> {
    /// The ref must not exist.
    Create { name: &'a str, to: &'a str },
    /// The ref must be at `from`, if that is given.
    Move { name: &'a str, to: &'a str, from: Option<&'a str> },
    /// The ref must be there.
    Delete { name: &'a str, from: &'a str },
}

impl RefChange<'_> {
    fn command(&self) -> String {
        match self {
            RefChange::Create { name, to } => format!("create {name}\0{to}\0"),
            RefChange::Move { name, to, from } => format!("update {name}\0{to}\0{}\0", from.unwrap_or("")),
            RefChange::Delete { name, from } => format!("delete {name}\0{from}\0"),
        }
    }
}

impl Places {
    /// Commit that a ref points to; none if there is no such ref.
    pub(super) fn find_ref(&self, name: &str) -> Result<Option<ObjectId>> {
        match head::find_ref(self.repository()?, name) {
            Err(error) if error.kind() == std::io::ErrorKind::Unsupported => {
                Ok(self.list_refs(name)?.into_iter().find_map(|(found, id)| (found == name).then_some(id)))
            }
            found => Ok(found?),
        }
    }

    /// Refs at or below a name, with their commits.
    pub(super) fn list_refs(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>> {
        let listed = self.git().text(&["for-each-ref", "--format=%(refname) %(objectname)", prefix])?;
        let refs = listed.lines().filter_map(|line| line.split_once(' '));
        Ok(refs.map(|(name, id)| (name.to_owned(), id.to_owned())).collect())
    }

    /// Changes refs of a run, all or none. Locks that a killed git left behind are removed.
    pub(super) fn change_refs(&self, changes: &[RefChange<'_>]) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        if let [change] = changes
            && self.change_in_file(change)?
        {
            return Ok(());
        }
        let input: String = changes.iter().map(RefChange::command).collect();
        let mut attempts = 1;
        loop {
            match self.git().edit(&["update-ref", "--no-deref", "-z", "--stdin"], input.as_bytes()) {
                Err(error) if attempts < MAX_ATTEMPTS && self.remove_left_locks_of_refs(&error)? => {
                    attempts += 1;
                }
                other => return Ok(other?),
            }
        }
    }

    /// Makes or moves a ref in its file; false if that is left to git.
    fn change_in_file(&self, change: &RefChange<'_>) -> Result<bool> {
        let (name, to, expected) = match change {
            RefChange::Create { name, to } => (name, to, Expected::Nowhere),
            RefChange::Move { name, to, from } => (name, to, from.map_or(Expected::Anywhere, Expected::At)),
            RefChange::Delete { .. } => return Ok(false),
        };
        move_ref(self.repository()?, name, to, expected)
    }

    /// If git failed because of the lock of one of our refs: removes all locks of our refs that no process holds. True if
    /// git may try again.
    fn remove_left_locks_of_refs(&self, error: &GitError) -> Result<bool> {
        let reason = error.reason();
        let Some(path) = locked_ref(&reason) else { return Ok(false) };
        let common = self.common_dir()?;
        let Ok(path) = fs_err::canonicalize(self.root.join(path)) else { return Ok(true) };
        let own = common.join("refs/charrette");
        if !path.starts_with(&own) {
            return Ok(false);
        }
        for _ in 0..LOCK_CHECKS {
            let mut locks = LockFile::find(common, common);
            locks.retain(|lock| lock.path.starts_with(&own));
            let is_left =
                |lock: &LockFile| lock.holder.is_none() && lock.age.is_some_and(|age| age >= LOCK_PATIENCE);
            for lock in locks.iter().filter(|lock| is_left(lock)) {
                remove_if_there(&lock.path)?;
            }
            if locks.iter().all(|lock| lock.path != path || is_left(lock)) {
                return Ok(true);
            }
            std::thread::sleep(2 * LOCK_PATIENCE / LOCK_CHECKS);
        }
        Ok(false)
    }
}

/// Path of the lock file that a message of git is about.
fn locked_ref(message: &str) -> Option<&str> {
    let line = message.lines().find(|line| line.contains(".lock'") && line.contains("File exists"))?;
    line.split('\'').find(|part| part.ends_with(".lock"))
}
