//! Errors of worktrees.

use crate::tree::TreeError;
use charrette_engine::ports::PortError;
use charrette_git::GitError;
use charrette_model::escape::one_line;
use charrette_store::atomic::ReplaceError;
use std::io;

pub(super) type Result<T> = std::result::Result<T, WorktreeError>;

/// Failure of an operation on worktrees.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorktreeError {
    /// The text names the cure.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    #[error("a record of worktrees is not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl From<WorktreeError> for PortError {
    fn from(error: WorktreeError) -> PortError {
        match error {
            WorktreeError::Refused(text) => PortError::Refused(text),
            // Paths come first in messages of files, and would hide the reason where a message is cut.
            WorktreeError::Io(error) if error.kind() == io::ErrorKind::StorageFull => {
                PortError::Failed(escape(&format!("no space left for worktrees: {error}")))
            }
            other => PortError::Failed(escape(&other.to_string())),
        }
    }
}

/// Escapes each line. Nothing is shortened: a message of git ends with the path that its cure needs.
fn escape(text: &str) -> String {
    text.lines().map(one_line).collect::<Vec<_>>().join("\n")
}

/// A refusal; the text names the cure.
pub(super) fn refused<T>(text: impl Into<String>) -> Result<T> {
    Err(WorktreeError::Refused(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_is_not_shortened() {
        let path = format!("/{}/index.lock", "a-folder-with-a-long-name/".repeat(12));
        let text =
            format!("git update-ref: File exists.\n{path}, is held by no process; remove it: rm {path}");
        let PortError::Failed(told) = WorktreeError::Failed(text.clone()).into() else { panic!("failed") };
        assert_eq!(told, text);
    }
}
