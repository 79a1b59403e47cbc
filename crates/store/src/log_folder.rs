//! Folder of logs that are appended to: events and ledgers.
//!
//! Logs are opened again and again while agents are at work, so no link that came in the meantime is followed out of the
//! repository, neither in place of the log nor in place of a folder on the way to it.

use crate::error::StoreError;
use crate::layout::{check_folder, create_folder};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Folder of logs, inside a repository or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFolder {
    path: PathBuf,
    /// Repository that no link may lead out of.
    root: Option<PathBuf>,
}

/// Reason a log was not opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LogError {
    /// The log, or a folder on the way to it.
    #[error("{} is a symbolic link", .0.display())]
    Symlink(PathBuf),
    /// A pipe or a folder.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl LogFolder {
    /// Folder that was named by the user, or is the user's own: links on the way to it are followed.
    pub fn new(path: &Path) -> LogFolder {
        LogFolder { path: path.to_owned(), root: None }
    }

    /// Folder in a repository: links that lead out of it are refused.
    pub fn inside(root: &Path, path: &Path) -> LogFolder {
        LogFolder { path: path.to_owned(), root: Some(root.to_owned()) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates the folder and its parents.
    pub fn create(&self) -> io::Result<()> {
        if let Some(root) = &self.root {
            check_folder(root, &self.path).map_err(io::Error::other)?;
        }
        create_folder(&self.path)
    }

    /// Opens a log for reading and appending; a new one is private to its owner.
    pub(crate) fn open_log(&self, name: &str) -> Result<File, LogError> {
        let folder = self.open()?;
        let path = self.path.join(name);
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | LINKS_AND_PIPES;
        let file: File = match openat(&folder, name, flags, PRIVATE) {
            Ok(file) => file.into(),
            Err(_) if path.is_symlink() => return Err(LogError::Symlink(path)),
            Err(Errno::NXIO | Errno::ISDIR) => return Err(LogError::NotAFile(path)),
            Err(error) => return Err(at(&path, error).into()),
        };
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(LogError::NotAFile(path));
        }
        if meta.permissions().mode() & 0o777 != 0o600 {
            file.set_permissions(Permissions::from_mode(0o600))?;
        }
        Ok(file)
    }

    /// Creates a file that will replace a log. A left-over one is removed, and a planted link is never written through.
    pub(crate) fn create_new(&self, name: &str) -> Result<File, LogError> {
        let folder = self.open()?;
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL | LINKS_AND_PIPES;
        let created = match openat(&folder, name, flags, PRIVATE) {
            Err(Errno::EXIST) => {
                let removed = unlinkat(&folder, name, AtFlags::empty());
                removed.and_then(|()| openat(&folder, name, flags, PRIVATE))
            }
            other => other,
        };
        Ok(created.map_err(|error| at(&self.path.join(name), error))?.into())
    }

    /// Gives a file of the folder another name, in place of the one that has it.
    pub(crate) fn rename(&self, name: &str, new_name: &str) -> Result<(), LogError> {
        let folder = self.open()?;
        let renamed = renameat(&folder, name, &folder, new_name);
        Ok(renamed.map_err(|error| at(&self.path.join(name), error))?)
    }

    /// Opens the folder, part by part below the root, so that a link that replaces a part meanwhile is not followed.
    fn open(&self) -> Result<OwnedFd, LogError> {
        let opened = |folder: Result<OwnedFd, Errno>| folder.map_err(|error| at(&self.path, error).into());
        let Some(root) = &self.root else { return opened(open_folder(CWD, &self.path, OFlags::empty())) };
        check_folder(root, &self.path).map_err(|error| match error {
            StoreError::Symlink(link) => LogError::Symlink(link),
            other => LogError::Io(io::Error::other(other)),
        })?;
        // Links that stay inside the repository are resolved here.
        let (root, path) = (fs_err::canonicalize(root)?, fs_err::canonicalize(&self.path)?);
        let below = path.strip_prefix(&root).map_err(|_| LogError::Symlink(self.path.clone()))?;
        let mut folder = opened(open_folder(CWD, &root, OFlags::empty()))?;
        for part in below {
            folder = match open_folder(&folder, Path::new(part), OFlags::NOFOLLOW) {
                Err(Errno::LOOP | Errno::NOTDIR) => return Err(LogError::Symlink(self.path.clone())),
                other => opened(other)?,
            };
        }
        Ok(folder)
    }
}

/// Mode of new logs.
const PRIVATE: Mode = Mode::from_raw_mode(0o600);

/// Links are not followed, and pipes are not waited for.
const LINKS_AND_PIPES: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

fn open_folder(parent: impl AsFd, path: &Path, more: OFlags) -> Result<OwnedFd, Errno> {
    openat(parent, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | more, Mode::empty())
}

/// The error with the path that it is about.
fn at(path: &Path, error: Errno) -> io::Error {
    let error = io::Error::from(error);
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
