//! Lock files that a killed landing left in the user's repository.

use super::super::error::Result;
use super::super::places::Places;
use super::super::removal::remove_if_there;
use charrette_git::LockFile;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// How long a git of a killed driver may go on landing.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a lock of somebody else may be in the way.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
/// How often that is looked at.
const INTERVAL: Duration = Duration::from_millis(50);

impl Places {
    /// Removes lock files that a landing left: made since it began, held by no process, while no git runs here. A git that
    /// is still at work is waited for.
    pub(super) fn remove_left_locks(&self, mark: &Path) -> Result<()> {
        let began = fs_err::metadata(mark)?.modified()?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let locks = self.locks_since(began)?;
            let is_held = |lock: &LockFile| lock.holder.is_some();
            if !locks.is_empty() && (locks.iter().any(is_held) || self.does_git_run_here()) {
                if Instant::now() < deadline {
                    std::thread::sleep(INTERVAL);
                    continue;
                }
                return Ok(());
            }
            for lock in locks {
                remove_if_there(&lock.path)?;
            }
            return Ok(());
        }
    }

    fn locks_since(&self, began: SystemTime) -> Result<Vec<LockFile>> {
        let repository = self.repository()?;
        let mut locks = LockFile::find(repository.git_dir(), repository.common_dir());
        locks.retain(|lock| {
            lock.path.symlink_metadata().and_then(|meta| meta.modified()).is_ok_and(|at| at >= began)
        });
        Ok(locks)
    }

    /// Why git cannot move the branch now: a lock, with its cure. One that is held, or new, is waited for a little.
    pub(super) fn find_lock(&self, branch: &str) -> Result<Option<String>> {
        let repository = self.repository()?;
        let branch = format!("refs/heads/{branch}.lock");
        let is_in_the_way = |lock: &LockFile| {
            ["HEAD.lock", "index.lock"].iter().any(|name| lock.path == repository.git_dir().join(name))
                || lock.path == repository.common_dir().join(&branch)
        };
        let deadline = Instant::now() + LOCK_PATIENCE;
        loop {
            let locks = LockFile::find(repository.git_dir(), repository.common_dir());
            let Some(lock) = locks.into_iter().find(|lock| is_in_the_way(lock)) else { return Ok(None) };
            if Instant::now() > deadline {
                return Ok(Some(lock.describe()));
            }
            std::thread::sleep(INTERVAL);
        }
    }

    /// True if a git process works in the user's work tree, or the system does not tell.
    fn does_git_run_here(&self) -> bool {
        let (Ok(root), Ok(processes)) = (fs_err::canonicalize(&self.root), fs_err::read_dir("/proc")) else {
            return true;
        };
        processes.flatten().any(|process| {
            let is_git =
                fs_err::read_to_string(process.path().join("comm")).is_ok_and(|name| name.trim() == "git");
            is_git
                && fs_err::read_link(process.path().join("cwd")).is_ok_and(|folder| folder.starts_with(&root))
        })
    }
}
