//! Lock files that a killed landing left in the user's repository.

use super::super::error::Result;
use super::super::places::{Places, RunPlace};
use super::super::removal::remove_if_there;
use super::mark::LandingMark;
use charrette_git::{LockFile, git_at_work};
use std::time::{Duration, Instant, SystemTime};

/// How long a git of a killed driver may go on landing.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a lock of somebody else may be in the way.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
/// How often that is looked at.
const INTERVAL: Duration = Duration::from_millis(50);

impl Places {
    /// Removes lock files that the merge of a landing left: ours, made since it began, held by no process, while no git is at
    /// work in any work tree of the repository. A git that still is at work is waited for.
    pub(super) fn remove_left_locks(&self, place: &RunPlace, mark: &LandingMark) -> Result<()> {
        let began = fs_err::metadata(LandingMark::file(place))?.modified()?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut locks = self.locks_of_merge(&mark.branch)?;
            locks.retain(|lock| lock.is_own() && is_since(lock, began));
            let is_held = |lock: &LockFile| lock.holder.is_some();
            if !locks.is_empty() && (locks.iter().any(is_held) || self.is_git_at_work()?) {
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

    /// Lock files that a fast-forward of a branch takes. Those of other work, such as `packed-refs.lock`, are none of them.
    fn locks_of_merge(&self, branch: &str) -> Result<Vec<LockFile>> {
        let repository = self.repository()?;
        let own = ["index.lock", "HEAD.lock", "ORIG_HEAD.lock"].map(|name| repository.git_dir().join(name));
        let branch = repository.common_dir().join(format!("refs/heads/{branch}.lock"));
        let mut locks = LockFile::find(repository.git_dir(), repository.common_dir());
        locks.retain(|lock| own.contains(&lock.path) || lock.path == branch);
        Ok(locks)
    }

    /// Why git cannot move the branch now: a lock, with its cure. One that is held, or new, is waited for a little.
    pub(super) fn find_lock(&self, branch: &str) -> Result<Option<String>> {
        let deadline = Instant::now() + LOCK_PATIENCE;
        loop {
            let locks = self.locks_of_merge(branch)?;
            let Some(lock) = locks.into_iter().next() else { return Ok(None) };
            if Instant::now() > deadline {
                return Ok(Some(lock.describe()));
            }
            std::thread::sleep(INTERVAL);
        }
    }

    /// True if a git works in the repository, or the system does not tell.
    fn is_git_at_work(&self) -> Result<bool> {
        Ok(!matches!(git_at_work(self.common_dir()?, &self.root), Ok(None)))
    }
}

fn is_since(lock: &LockFile, began: SystemTime) -> bool {
    lock.path.symlink_metadata().and_then(|meta| meta.modified()).is_ok_and(|at| at >= began)
}
