//! Errors of state documents, each naming the file and the cure.

use crate::lock::Holder;
use charrette_model::checkpoint::TransitionError;
use std::io;
use std::path::PathBuf;

/// A failed operation on a state document. Unless stated otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is no state document.
    #[error("Checkpoint file exists but is corrupt: {} ({reason})", .path.display())]
    Corrupt {
        /// The file, left unchanged.
        path: PathBuf,
        reason: String,
    },
    /// The file was written by another version.
    #[error("Unsupported checkpoint schema version: {version} (expected 1): {}", .path.display())]
    Version {
        /// The file, left unchanged.
        path: PathBuf,
        version: String,
    },
    /// A symbolic link in a place where links are not followed.
    #[error("{} is a symbolic link, which is not followed here", .0.display())]
    Symlink(PathBuf),
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    #[error("{} is larger than {limit} bytes, the limit for a state document", .path.display())]
    TooLarge {
        /// The file, left unchanged.
        path: PathBuf,
        limit: u64,
    },
    /// The run has a driver, and only that changes its document.
    #[error("{run} is being driven{}; only its driver changes it", Holder::describe(Some(.holder)))]
    Driven { run: String, holder: Box<Holder> },
    /// Lock timeout: another process is changing the document and does not finish.
    #[error("{} is locked{}", .path.display(), Holder::describe(.holder.as_ref()))]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The holder, if known.
        holder: Option<Holder>,
    },
    /// The model refused the change.
    #[error(transparent)]
    Transition(#[from] TransitionError),
    /// Reading or preparing failed; nothing was written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Writing failed; the old document is in place.
    #[error("{cause}; {}", if *.existed { "the previous document is intact" } else { "nothing was saved" })]
    NotWritten {
        cause: io::Error,
        /// True if there was a document before.
        existed: bool,
    },
    /// Writing failed too late to be undone.
    #[error("{cause}; the new document is in place but may not survive a power loss")]
    NotDurable { cause: io::Error },
}

impl StoreError {
    /// True if something stands in the way that need not be there: a link, a file, a folder, missing rights.
    pub(crate) fn is_obstacle(&self) -> bool {
        match self {
            StoreError::Symlink(_) | StoreError::NotAFile(_) | StoreError::NotAFolder(_) => true,
            StoreError::Io(cause) | StoreError::NotWritten { cause, .. } => {
                use io::ErrorKind::{IsADirectory, NotADirectory, PermissionDenied};
                [PermissionDenied, NotADirectory, IsADirectory].contains(&cause.kind())
            }
            _ => false,
        }
    }
}
