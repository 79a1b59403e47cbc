//! Errors of snapshots and undo.

use charrette_git::GitError;
use std::io;

/// Failure of a snapshot, a patch or an undo.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Io(#[from] io::Error),
}
