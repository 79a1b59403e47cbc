//! Errors of snapshots and undo.

use charrette_git::GitError;
use charrette_model::escape::shell_word;
use std::io;
use std::path::PathBuf;

/// Failure of a snapshot, a patch or an undo.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(
        "there is no git repository at {}; the files there were left as they are. If its `.git` was moved or removed, put \
         it back, and see that this names that folder: git -C {} rev-parse --show-toplevel",
        .0.display(), shell_word(&.0.to_string_lossy())
    )]
    NoRepository(PathBuf),
}
