//! What can go wrong with a state document, said so that the file and the way out are named.

use crate::lock::Holder;
use charrette_model::checkpoint::TransitionError;
use std::io;
use std::path::PathBuf;

/// Why an operation on a state document did not happen. Unless it says otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is there but is not a state document.
    #[error("Checkpoint file exists but is corrupt: {} ({reason})", .path.display())]
    Corrupt {
        /// The file, left as it is.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file was written by another version.
    #[error("Unsupported checkpoint schema version: {version} (expected 1): {}", .path.display())]
    Version {
        /// The file, left as it is.
        path: PathBuf,
        /// What it says.
        version: String,
    },
    /// A file or folder is a symbolic link where none is followed.
    #[error("{} is a symbolic link, which is not followed for state", .0.display())]
    Symlink(PathBuf),
    /// The path is taken by something that is not a file.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// A folder is in the way, or a file where a folder should be.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// Larger than any state document.
    #[error("{} is larger than {limit} bytes, the limit for a state document", .path.display())]
    TooLarge {
        /// The file, left as it is.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// Another process is changing the document and does not finish.
    #[error("{} is locked{}", .path.display(), Holder::described(.holder.as_ref()))]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Who holds it, if that can be told.
        holder: Option<Holder>,
    },
    /// The change itself is not allowed.
    #[error(transparent)]
    Transition(#[from] TransitionError),
    /// Reading or preparing failed; nothing was written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Writing failed; the old document is in place.
    #[error("{cause}; {}", if *.existed { "the previous document is intact" } else { "nothing was saved" })]
    NotWritten {
        /// What failed.
        cause: io::Error,
        /// Whether there was a document before.
        existed: bool,
    },
    /// Writing failed so late that it could not be undone.
    #[error("{cause}; the new document is in place but may not survive a power loss")]
    NotDurable {
        /// What failed.
        cause: io::Error,
    },
}
