//! Paths of state documents and their side files, and safety checks of their folder.
//!
//! ```text
//! <state folder>/
//!   .gitignore                 "*": the folder ignores itself
//!   design-add-login.json      a document
//!   .design-add-login.json.tmp its next version, for a moment
//!   locks/<document>.lock      held for one change
//!   locks/<document>.lease     held while a process drives the run
//!   history/<document>.jsonl   every change
//!   archive/<document>-<stamp>.json.zst
//! ```

use crate::atomic::sync_folder_of;
use crate::error::StoreError;
use crate::plain_file::{self, Links, PlainFileError};
use charrette_model::checkpoint::DocumentName;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct StateFolder {
    root: PathBuf,
    path: PathBuf,
}

impl StateFolder {
    /// The folder at `relative` below the root of a repository.
    pub fn new(root: &Path, relative: &str) -> StateFolder {
        StateFolder { root: root.to_owned(), path: root.join(relative) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Root of the repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn document(&self, name: &DocumentName) -> PathBuf {
        self.path.join(format!("{}.json", name.stem()))
    }

    /// Temp file of its next version.
    pub fn temp(&self, name: &DocumentName) -> PathBuf {
        self.path.join(format!(".{}.json.tmp", name.stem()))
    }

    /// The lock for one change.
    pub fn lock(&self, name: &DocumentName) -> PathBuf {
        self.locks().join(format!("{}.lock", name.stem()))
    }

    /// The lock for the life of a driver.
    pub fn lease(&self, name: &DocumentName) -> PathBuf {
        self.locks().join(format!("{}.lease", name.stem()))
    }

    /// The lock of the checkout: for operations that move HEAD or write outside a workspace.
    pub fn checkout(&self) -> PathBuf {
        self.locks().join("checkout.lease")
    }

    pub fn history(&self, name: &DocumentName) -> PathBuf {
        self.histories().join(format!("{}.jsonl", name.stem()))
    }

    /// Folder of lock files.
    pub fn locks(&self) -> PathBuf {
        self.path.join("locks")
    }

    /// Folder of history files.
    pub fn histories(&self) -> PathBuf {
        self.path.join("history")
    }

    /// Folder of archived documents.
    pub fn archives(&self) -> PathBuf {
        self.path.join("archive")
    }

    /// Checks that the folder is not reached through a link out of the repository; true if it exists.
    ///
    /// A repository is untrusted: a link in it must not redirect reads or writes.
    pub fn check(&self) -> Result<bool, StoreError> {
        check_folder(&self.root, &self.path)
    }

    /// Creates the folder and its subfolders, durably, with a `.gitignore` for itself.
    pub fn prepare(&self) -> Result<(), StoreError> {
        self.prepare_inside(self.check()?)
    }

    /// [`prepare`](StateFolder::prepare) without the check.
    pub(crate) fn prepare_inside(&self, exists: bool) -> Result<(), StoreError> {
        if !exists {
            create_folder(&self.path)?;
        }
        for inside in [self.locks(), self.histories()] {
            prepare_inside(&inside)?;
        }
        ignore_itself(&self.path)?;
        Ok(())
    }

    /// Creates the folder of archives.
    pub fn prepare_archives(&self) -> Result<PathBuf, StoreError> {
        let archives = self.archives();
        prepare_inside(&archives)?;
        Ok(archives)
    }
}

/// Checks that a folder below `root` is not reached through a link out of it; true if it exists.
pub fn check_folder(root: &Path, folder: &Path) -> Result<bool, StoreError> {
    let below = folder.strip_prefix(root).unwrap_or(folder);
    let mut path = root.to_owned();
    for part in below {
        path.push(part);
        match path.symlink_metadata() {
            Ok(meta) if meta.is_symlink() && leads_outside(&path, root) => {
                return Err(StoreError::Symlink(path));
            }
            Ok(meta) if !meta.is_dir() && !meta.is_symlink() => return Err(StoreError::NotAFolder(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            _ => {}
        }
    }
    Ok(true)
}

/// Checks that a file below `root` is not reached through a link out of it; true if it exists.
pub fn check_file(root: &Path, file: &Path) -> Result<bool, StoreError> {
    if !check_folder(root, file.parent().unwrap_or(root))? {
        return Ok(false);
    }
    match file.symlink_metadata() {
        Ok(meta) if meta.is_symlink() && leads_outside(file, root) => {
            Err(StoreError::Symlink(file.to_owned()))
        }
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// True for a link that leads out of `root`, or into a `.git` below it: git's own files are not the user's.
pub(crate) fn leads_outside(link: &Path, root: &Path) -> bool {
    let (Ok(target), Ok(root)) = (link.canonicalize(), root.canonicalize()) else { return true };
    target
        .strip_prefix(root)
        .map_or(true, |inside| inside.components().any(|part| part.as_os_str() == ".git"))
}

fn prepare_inside(folder: &Path) -> Result<(), StoreError> {
    match folder.symlink_metadata() {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(meta) if meta.is_symlink() => Err(StoreError::Symlink(folder.to_owned())),
        Ok(_) => Err(StoreError::NotAFolder(folder.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(create_folder(folder)?),
        Err(error) => Err(error.into()),
    }
}

/// Creates a folder and its parents; every new entry is synced.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        create_folder(parent)?;
    }
    match fs_err::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
        Ok(()) => sync_folder_of(folder),
    }
}

/// Writes `*` into the folder's `.gitignore` unless it has content. Anything but a regular file is left as it is: it is not ours.
///
/// Two bytes at offset zero: a second writer, or a writer after one that was killed, writes the same.
pub(crate) fn ignore_itself(folder: &Path) -> io::Result<()> {
    let path = folder.join(".gitignore");
    if path.symlink_metadata().is_ok_and(|meta| meta.len() > 0 || !meta.is_file()) {
        return Ok(());
    }
    let mut options = fs_err::OpenOptions::new();
    match plain_file::open(&path, Links::Refused, options.write(true).create(true).truncate(false)) {
        Ok(Some(mut file)) => file.write_all(b"*\n"),
        Ok(None) | Err(PlainFileError::Symlink(_) | PlainFileError::NotAFile(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
