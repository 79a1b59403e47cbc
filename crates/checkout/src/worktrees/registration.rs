//! Registration of worktrees in the repository.

use super::error::{Result, WorktreeError};
use super::places::{Places, RunPlace, WorktreePlace};
use super::removal::remove_folder;
use charrette_engine::ports::worktrees::ObjectId;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

/// A registered worktree.
#[derive(Debug)]
pub(super) struct Registration {
    /// Folder of its own files in the repository.
    pub(super) git_dir: PathBuf,
    /// Commit of its HEAD.
    pub(super) head: ObjectId,
}

impl Places {
    /// Registers an empty worktree. A tree is not a commit: then its HEAD is the tip of the run.
    pub(super) fn register(
        &self,
        run: &RunPlace,
        place: &WorktreePlace,
        content: &str,
    ) -> Result<Registration> {
        let _held = self.registration.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(git_dir) = self.register_in_files(place, content)? {
            return Ok(Registration { git_dir, head: content.to_owned() });
        }
        let head = self.register_with_git(run, place, content)?;
        let git_dir = find_registration(self.common_dir()?, place)?.ok_or_else(|| {
            WorktreeError::Failed(format!("git did not register {}", place.folder.display()))
        })?;
        Ok(Registration { git_dir, head })
    }

    /// Registers a worktree at a commit by writing the files that git would write; none if that is left to git. The
    /// registration appears at once, so that no killed process leaves half of one.
    fn register_in_files(&self, place: &WorktreePlace, commit: &str) -> Result<Option<PathBuf>> {
        let common = self.common_dir()?;
        let registrations = common.join("worktrees");
        let Some(name) = place.folder.file_name() else { return Ok(None) };
        let git_dir = registrations.join(name);
        let is_plain = self.is_known_commit(commit)
            && registrations.is_dir()
            && git_dir.symlink_metadata().is_err()
            && ["reftable", "config.worktree"].iter().all(|other| !common.join(other).exists());
        if !is_plain {
            return Ok(None);
        }
        let link = place.folder.join(".git");
        let made = place.private.join("registration");
        remove_folder(&made)?;
        fs_err::create_dir(&made)?;
        fs_err::write(made.join("locked"), format!("{}\n", place.reason))?;
        fs_err::write(made.join("gitdir"), [link.as_os_str().as_bytes(), b"\n"].concat())?;
        fs_err::write(made.join("HEAD"), format!("{commit}\n"))?;
        fs_err::write(made.join("commondir"), "../..\n")?;
        if fs_err::rename(&made, &git_dir).is_err() {
            // The state folder is on another disk, or another process was faster.
            remove_folder(&made)?;
            return Ok(None);
        }
        fs_err::create_dir(&place.folder)?;
        fs_err::write(link, [b"gitdir: ", git_dir.as_os_str().as_bytes(), b"\n"].concat())?;
        Ok(Some(git_dir))
    }

    fn register_with_git(&self, run: &RunPlace, place: &WorktreePlace, content: &str) -> Result<ObjectId> {
        let add = |commit: &str| {
            let args = [
                "worktree",
                "add",
                "--quiet",
                "--detach",
                "--no-checkout",
                "--lock",
                "--reason",
                &place.reason,
            ];
            let args = args.map(OsStr::new).into_iter().chain([place.folder.as_os_str(), OsStr::new(commit)]);
            self.git().edit(&args.collect::<Vec<_>>(), b"")
        };
        let mut added = add(content);
        if added.is_err() && self.remove_half_made(run)? {
            added = add(content);
        }
        let Err(error) = added else { return Ok(content.to_owned()) };
        if self.git().find(&["cat-file", "-t", content]).as_deref() != Some("tree") {
            return Err(error.into());
        }
        let tip = match self.find_ref(&run.integration_ref())? {
            Some(tip) => tip,
            None => self.git().text(&["rev-parse", "--verify", "HEAD^{commit}"])?,
        };
        add(&tip)?;
        Ok(tip)
    }

    /// Removes registrations of a run that a killed git made by half, because git refuses to work with any worktree while
    /// there is one.
    pub(super) fn remove_half_made_registrations(&self, run: &RunPlace) -> Result<()> {
        let _held = self.registration.lock().unwrap_or_else(PoisonError::into_inner);
        self.remove_half_made(run)?;
        Ok(())
    }

    /// The same while the registration lock is held; true if there was one.
    fn remove_half_made(&self, run: &RunPlace) -> Result<bool> {
        let mut has_removed = false;
        for entry in fs_err::read_dir(self.common_dir()?.join("worktrees")).into_iter().flatten() {
            let folder = entry?.path();
            let is_whole = fs_err::read(folder.join("commondir")).is_ok_and(|target| !target.is_empty());
            // Git writes the reason of the lock first.
            let reason = fs_err::read_to_string(folder.join("locked")).unwrap_or_default();
            if !is_whole && reason.starts_with(&run.reason_prefix()) {
                remove_folder(&folder)?;
                has_removed = true;
            }
        }
        Ok(has_removed)
    }
}

/// Folder of a worktree's own files in the repository, also if it was registered by half; none if it is not registered.
pub(super) fn find_registration(common_dir: &Path, place: &WorktreePlace) -> Result<Option<PathBuf>> {
    let entries = match fs_err::read_dir(common_dir.join("worktrees")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let link = place.folder.join(".git");
    for entry in entries {
        let folder = entry?.path();
        // Git writes the reason of the lock first.
        let is_ours = match fs_err::read(folder.join("gitdir")) {
            Ok(target) if !target.is_empty() => target.trim_ascii_end() == link.as_os_str().as_bytes(),
            _ => {
                let reason = fs_err::read(folder.join("locked")).unwrap_or_default();
                reason.trim_ascii_end() == place.reason.as_bytes()
            }
        };
        if is_ours {
            return Ok(Some(folder));
        }
    }
    Ok(None)
}
