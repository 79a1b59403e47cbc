//! Files of a driven run in the custody of its driver: which they are, and how a foreign change is taken back.

use super::{STAGED, Workspace};
use crate::atomic::{place_all, sync_folders_of};
use crate::custody::{ForeignChange, Restoration};
use crate::layout::create_folder;
use std::io;
use std::path::{Path, PathBuf};

impl Workspace {
    /// Accepts all files of the run as they are, and from now on takes back every change that does not pass through
    /// this value. For the process that drives the run, before its first step.
    pub fn take_custody(&self) -> io::Result<()> {
        self.expect_staged();
        let mut paths = self.artifact_paths()?;
        paths.extend(self.staged_paths());
        self.custody.begin(paths, None)
    }

    /// True once custody was taken.
    pub fn is_in_custody(&self) -> bool {
        self.custody.is_active()
    }

    /// Accepts the artifacts as they are, when a person may have edited them at a gate. Staged files are not for people.
    pub fn accept_artifacts(&self) -> io::Result<()> {
        self.replay().forget_digests();
        if !self.is_in_custody() {
            return Ok(());
        }
        self.custody.begin(self.artifact_paths()?, Some(&self.staging))
    }

    /// Checks every file in custody, and returns the changes by others since the last call. They are taken back; the
    /// content found is kept under `evidence/`.
    pub fn foreign_changes(&self) -> io::Result<Vec<ForeignChange>> {
        if !self.is_in_custody() {
            return Ok(Vec::new());
        }
        let mut paths = self.custody.paths();
        paths.extend(self.artifact_paths()?);
        paths.extend(self.staged_paths());
        // Most are in both lists. Bytes are compared faster than paths.
        paths.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        paths.dedup_by(|a, b| a.as_os_str() == b.as_os_str());
        for path in &paths {
            self.take_back(path)?;
        }
        Ok(self.custody.take_foreign())
    }

    /// Paths of all files that steps may read.
    fn artifact_paths(&self) -> io::Result<Vec<PathBuf>> {
        let names = self.list()?.into_iter().filter(|name| !is_log(name));
        names.map(|name| self.path(&name)).collect()
    }

    /// Paths of staged outputs and kept answers.
    fn staged_paths(&self) -> Vec<PathBuf> {
        let entries = fs_err::read_dir(&self.staging).into_iter().flatten().flatten();
        let is_staged = |name: &str| name.contains(STAGED) && !name.starts_with('.');
        let staged = entries.filter(|entry| is_staged(&entry.file_name().to_string_lossy()));
        staged.map(|entry| entry.path()).collect()
    }

    /// Takes back a change of one file that did not pass through this value.
    fn take_back(&self, path: &Path) -> io::Result<()> {
        let Some(Restoration { change, bytes }) = self.custody.foreign_change(path)? else { return Ok(()) };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let evidence = self.folder.join("evidence");
        self.check_place(path)?;
        self.check_place(&evidence.join(&name))?;
        create_folder(&evidence)?;
        let kept =
            (1..10_000).map(|n| evidence.join(format!("foreign-{n}-{name}"))).find(|kept| !kept.exists());
        if let Some(kept) = kept.filter(|_| path.symlink_metadata().is_ok()) {
            // Moved, not copied: what is there may be a link or a folder.
            match fs_err::rename(path, &kept) {
                Err(error) if error.kind() == io::ErrorKind::CrossesDevices => fs_err::remove_file(path)?,
                other => other?,
            }
        }
        if let Some(bytes) = bytes {
            let files = [(path.to_owned(), &*bytes)];
            create_folder(path.parent().unwrap_or(&self.folder))?;
            place_all(&files)?;
            self.custody.keep(&files);
        }
        sync_folders_of([&path.to_owned()])?;
        self.custody.note(change);
        Ok(())
    }

    /// A path whose file is as the driver left it.
    pub(super) fn verified(&self, path: PathBuf, name: &str) -> io::Result<PathBuf> {
        if self.custody.is_active() && !is_log(name) {
            self.take_back(&path)?;
        }
        Ok(path)
    }
}

/// True for files that are no artifacts: logs that several parts of the program append to, and evidence. No step reads
/// them.
fn is_log(name: &str) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default();
    ["jsonl", "tsv"].iter().any(|log| extension == *log)
        || ["evidence/", "superseded/", "webhooks/"].iter().any(|folder| name.starts_with(folder))
}
