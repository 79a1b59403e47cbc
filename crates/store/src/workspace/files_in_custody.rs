//! Files of a driven run in the custody of its driver: which they are, and how a foreign change is taken back.

use super::{STAGED, Workspace};
use crate::atomic::{place_all, sync_folders_of};
use crate::custody::{Checked, ForeignChange, Restoration};
use crate::evidence::{clear_way, keep_copy, links_on_the_way, own_tree, put_aside};
use crate::plain_file::PlainFileError;
use crate::signature::{Found, Signature};
use charrette_model::spec::check::issue::FILES as SPEC_FILES;
use std::io;
use std::path::{Path, PathBuf};

/// Result of a check of all files.
#[derive(Debug, Default)]
pub struct CheckedFiles {
    /// Changes by others. They are taken back.
    pub changes: Vec<ForeignChange>,
    /// Files that could not be put back. They are noted, and put back when the run is opened again.
    pub problems: Vec<(PathBuf, io::Error)>,
}

impl Workspace {
    /// Accepts all files of the run as they are, and from now on takes back every change that does not pass through
    /// this value. For the process that drives the run, before its first step.
    pub fn take_custody(&self) -> io::Result<()> {
        self.expect_staged();
        self.accept_links()?;
        let mut paths = self.artifact_paths()?;
        paths.extend(self.staged_paths());
        self.custody.begin(paths, None).map(drop)
    }

    /// True once custody was taken.
    pub fn is_in_custody(&self) -> bool {
        self.custody.is_active()
    }

    /// Accepts the artifacts as they are, when a person may have edited them at a gate. Staged files are not for people. True
    /// if one that was in custody has changed.
    pub fn accept_artifacts(&self) -> io::Result<bool> {
        self.replay().forget_digests();
        if !self.is_in_custody() {
            return Ok(false);
        }
        self.accept_links()?;
        self.custody.begin(self.artifact_paths()?, Some(&self.staging))
    }

    /// Checks every file in custody, and returns the changes by others since the last call. They are taken back; the
    /// content found is kept under `evidence/`. No obstacle ends the check.
    pub fn foreign_changes(&self) -> CheckedFiles {
        let mut checked = CheckedFiles::default();
        if !self.is_in_custody() {
            return checked;
        }
        let mut paths = self.custody.paths();
        match self.listed_paths() {
            Ok(listed) => paths.extend(listed),
            Err(error) => checked.problems.push((self.folder.clone(), error)),
        }
        paths.extend(self.staged_paths());
        // Most are in both lists. Bytes are compared faster than paths.
        paths.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        paths.dedup_by(|a, b| a.as_os_str() == b.as_os_str());
        for path in paths {
            if let Err(error) = self.take_back(&path) {
                checked.problems.push((path, error));
            }
        }
        checked.changes = self.custody.take_foreign();
        checked
    }

    /// Paths of all artifacts. Folders that somebody has closed or replaced are made usable again.
    fn listed_paths(&self) -> io::Result<Vec<PathBuf>> {
        let is_clear = self.folders().all(|folder| self.check_place(&folder.join("file")).is_ok())
            && self.links().all(|link| self.custody.has_link(&link));
        if let (true, Ok(paths)) = (is_clear, self.artifact_paths()) {
            return Ok(paths);
        }
        for folder in self.folders().filter(|folder| folder.symlink_metadata().is_ok()) {
            clear_way(self.root_of(folder), folder, &self.evidence(), |link| self.custody.has_link(link))?;
            own_tree(folder)?;
        }
        self.artifact_paths()
    }

    /// Folders of the artifacts.
    fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        [Some(&self.folder), self.specs.as_ref()].into_iter().flatten()
    }

    /// Links that lead to the folders of the artifacts.
    fn links(&self) -> impl Iterator<Item = PathBuf> {
        self.folders().flat_map(|folder| links_on_the_way(self.root_of(folder), folder))
    }

    /// Accepts the links of a person that lead to the artifacts' folders. A link in the place of a file of the specification is
    /// refused: the next version would replace it.
    fn accept_links(&self) -> io::Result<()> {
        let spec_files = self.specs.iter().flat_map(|specs| SPEC_FILES.map(|name| specs.join(name)));
        if let Some(link) = spec_files.into_iter().find(|file| file.is_symlink()) {
            return Err(PlainFileError::Symlink(link).into());
        }
        self.custody.accept_links(self.links().collect());
        Ok(())
    }

    /// Paths of all files that steps may read.
    fn artifact_paths(&self) -> io::Result<Vec<PathBuf>> {
        let names = self.list()?.into_iter().filter(|name| !is_log(name));
        names.map(|name| self.path(&name)).collect()
    }

    /// Paths of staged outputs, kept answers, and the note of what could not be put back.
    fn staged_paths(&self) -> Vec<PathBuf> {
        let entries = fs_err::read_dir(&self.staging).into_iter().flatten().flatten();
        let is_staged = |name: &str| name.contains(STAGED) && !name.starts_with('.');
        let staged = entries.filter(|entry| is_staged(&entry.file_name().to_string_lossy()));
        staged.map(|entry| entry.path()).chain([self.unrestored_file()]).collect()
    }

    /// Takes back a change of one file that did not pass through this value. Returns the signature of the file, if it was
    /// looked at and is there.
    fn take_back(&self, path: &Path) -> io::Result<Option<Signature>> {
        let checked = self.custody.check(path).or_else(|_| {
            self.clear_way_to(path)?;
            self.custody.check(path)
        });
        let restored = checked.and_then(|checked| match checked {
            Checked::Unchanged(signature) => Ok(signature),
            Checked::Changed(Restoration { change, bytes }) => {
                self.restore(path, bytes.as_deref())?;
                self.custody.note(change);
                Ok(match Found::at(path)? {
                    Found::File(signature) => Some(signature),
                    Found::Nothing | Found::Other => None,
                })
            }
        });
        if restored.is_ok() {
            self.forget_unrestored([path]);
        } else {
            // Otherwise the next process would take what is there for the edit of a person.
            self.note_unrestored(path, self.custody.content(path).as_deref());
        }
        restored
    }

    /// Puts a file back: with this content, or away. What is found is kept as evidence.
    pub(super) fn restore(&self, path: &Path, bytes: Option<&[u8]>) -> io::Result<()> {
        self.clear_way_to(path)?;
        let evidence = self.evidence();
        let put_aside = || put_aside(path, &evidence, "foreign");
        let Some(bytes) = bytes else {
            put_aside()?;
            return sync_folders_of([&path.to_owned()]);
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_kept = matches!(Found::at(path), Ok(Found::File(_)))
            && keep_copy(path, &evidence, "foreign", &name).is_ok();
        if !is_kept {
            put_aside()?;
        }
        let files = [(path.to_owned(), bytes)];
        if let Err(error) = place_all(&files) {
            // Better no file than a forged one.
            let _ = put_aside();
            return Err(error);
        }
        self.custody.keep(&files);
        sync_folders_of([&path.to_owned()])
    }

    pub(super) fn evidence(&self) -> PathBuf {
        self.folder.join("evidence")
    }

    /// Makes the folder of a file usable again.
    fn clear_way_to(&self, path: &Path) -> io::Result<()> {
        let root = self.root_of(path);
        let is_ours = |link: &Path| self.custody.has_link(link);
        clear_way(root, path.parent().unwrap_or(root), &self.evidence(), is_ours)
    }

    /// The folder above which nothing is the run's own.
    fn root_of(&self, path: &Path) -> &Path {
        let above = if path.starts_with(&self.staging) { &self.staging } else { &self.folder };
        match &self.root {
            Some(root) if path.starts_with(root) => root,
            _ => above.parent().unwrap_or(above),
        }
    }

    /// Makes sure that a file is as the driver left it. Returns its signature, if it was looked at and is there.
    pub(super) fn verify(&self, path: &Path, name: &str) -> io::Result<Option<Signature>> {
        if self.custody.is_active() && !is_log(name) { self.take_back(path) } else { Ok(None) }
    }
}

/// True for files that are no artifacts: logs that several parts of the program append to, and evidence. No step reads
/// them.
pub(super) fn is_log(name: &str) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default();
    ["jsonl", "tsv"].iter().any(|log| extension == *log)
        || ["evidence/", "superseded/", "webhooks/"].iter().any(|folder| name.starts_with(folder))
}
