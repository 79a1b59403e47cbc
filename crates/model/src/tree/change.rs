//! One change in a work tree.

use super::path::TreePath;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeChange {
    /// `HEAD` if that is what moved.
    pub path: TreePath,
    pub kind: ChangeKind,
    /// True if it differed from the commit before: a person's own work, which git cannot restore.
    pub dirty_before: bool,
    /// True if it was a file of the run itself, and is as before again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restored: bool,
}

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    Added,
    /// Its content, its mode or its index entry changed.
    Modified,
    Deleted,
    /// HEAD moved to another commit or branch.
    HeadMoved,
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ChangeKind::Added => "added",
            ChangeKind::Modified => "modified",
            ChangeKind::Deleted => "deleted",
            ChangeKind::HeadMoved => "moved",
        })
    }
}
