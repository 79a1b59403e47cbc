//! Removal of worktrees: folders, registrations, private files and refs.

use super::error::Result;
use super::places::{Places, RunPlace, WorktreePlace};
use super::record::{RunRecord, WorktreeRecord};
use super::refs::RefChange;
use super::registration::find_registration;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

impl Places {
    /// Removes a worktree, whatever is in it, and also one that was made by half.
    pub(super) fn remove(&self, run: &str, name: &str) -> Result<()> {
        self.remove_worktree(&self.run(run)?.worktree(name)?)
    }

    pub(super) fn remove_worktree(&self, place: &WorktreePlace) -> Result<()> {
        let recorded = WorktreeRecord::load(place)?.map(|record| record.git_dir);
        WorktreeRecord::remove(place)?;
        remove_folder(&place.folder)?;
        let common = self.common_dir()?;
        let held = self.registration.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(git_dir) = find_registration(common, place)? {
            remove_folder(&git_dir)?;
        }
        // An agent may have changed where the registration leads to.
        if let Some(git_dir) = recorded.filter(|folder| folder.parent() == Some(&common.join("worktrees"))) {
            remove_folder(&git_dir)?;
        }
        // Git removes the folder of registrations with the last one; others may be in it.
        let _ = fs_err::remove_dir(common.join("worktrees"));
        drop(held);
        Ok(remove_folder(&place.private)?)
    }

    /// Removes all worktrees of a run except those named, and what the run needs no more. The integration ref stays if a
    /// branch does not contain its work.
    pub(super) fn clean_up(&self, run: &str, keep: &[String]) -> Result<()> {
        let place = self.run(run)?;
        self.take_back_landing(&place)?;
        for name in place.worktree_names()? {
            if !keep.contains(&name) {
                self.remove_worktree(&place.worktree(&name)?)?;
            }
        }
        let work = place.work_refs();
        let mut refs = self.list_refs(work.trim_end_matches('/'))?;
        refs.retain(|(name, _)| !keep.iter().any(|kept| name.strip_prefix(&work) == Some(kept)));
        if let Some(tip) = self.find_ref(&place.integration_ref())?
            && self.is_done(&place, &tip)?
        {
            refs.push((place.integration_ref(), tip));
        }
        let changes: Vec<RefChange<'_>> =
            refs.iter().map(|(name, from)| RefChange::Delete { name, from }).collect();
        self.change_refs(&changes)?;
        if keep.is_empty() {
            remove_folder(place.folder())?;
        }
        self.remove_dead_scratch()
    }

    /// True if nothing was integrated, or a branch or HEAD contains the work.
    fn is_done(&self, place: &RunPlace, tip: &str) -> Result<bool> {
        let began = RunRecord::load(place)?.and_then(|record| record.base).map(|base| base.commit);
        if began.as_deref() == Some(tip) || self.is_ancestor(tip, "HEAD") {
            return Ok(true);
        }
        let contains = format!("--contains={tip}");
        Ok(self.git().find(&["for-each-ref", "--count=1", &contains, "refs/heads"]).is_some())
    }

    /// True if a commit is another one or an ancestor of it.
    pub(super) fn is_ancestor(&self, commit: &str, of: &str) -> bool {
        self.git().succeeds(&["merge-base", "--is-ancestor", commit, of])
    }
}

/// How long a process that its killed driver left may go on writing into a folder.
const WRITER_PATIENCE: Duration = Duration::from_secs(5);

/// Removes a folder with everything in it, read-only folders too. Links are not followed. A git of a killed driver may
/// still be laying out files in it, until it finds that its folder is gone.
pub(super) fn remove_folder(path: &Path) -> io::Result<()> {
    let deadline = Instant::now() + WRITER_PATIENCE;
    loop {
        match remove_once(path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return other,
        }
    }
}

/// Removes a file, which may be gone.
pub(super) fn remove_if_there(file: &Path) -> io::Result<()> {
    match fs_err::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn remove_once(path: &Path) -> io::Result<()> {
    match fs_err::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => fs_err::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_writable(path)?;
            fs_err::remove_dir_all(path)
        }
        other => other,
    }
}

/// Lets the owner change this folder and those in it.
fn make_writable(folder: &Path) -> io::Result<()> {
    fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_still_written_to_is_removed_when_its_writer_has_ended() {
        let sandbox = charrette_testkit::Sandbox::new();
        let folder = sandbox.path("check-1");
        fs_err::create_dir(&folder).unwrap();
        let end = Instant::now() + Duration::from_millis(300);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0_u64.. {
                    let written = fs_err::write(folder.join(number.to_string()), "x");
                    if Instant::now() > end || (written.is_err() && !folder.exists()) {
                        break;
                    }
                }
            });
            while !folder.join("0").exists() {
                std::thread::yield_now();
            }
            remove_folder(&folder).unwrap();
        });
        assert!(!folder.exists());
    }
}
