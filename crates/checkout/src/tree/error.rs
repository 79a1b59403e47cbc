//! Why a work tree could not be looked at or put back.

use charrette_git::GitError;
use std::io;

/// Why the work tree could not be looked at or put back.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// Git could not be run or did not succeed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file could not be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}
