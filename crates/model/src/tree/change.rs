//! One thing that changed in a work tree.

use super::path::TreePath;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One thing that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Where; `HEAD` if that is what moved.
    pub path: TreePath,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Whether it was not as committed before: somebody's own work, which git cannot bring back.
    pub dirty_before: bool,
}

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content, its mode or what git's index says about it is different.
    Modified,
    /// It is gone.
    Deleted,
    /// HEAD stands at another commit, or on another branch.
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
