//! What happened to a work tree between two moments.

use super::path::TreePath;
use super::snapshot::{Entry, Snapshot};
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

/// Our own places in a work tree, which are nobody's dirt. All from its top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Own {
    /// Folders in which nothing counts: state documents, workspaces.
    pub folders: Vec<String>,
    /// The folder of specifications: what is new in a folder inside it does not count, what git knows does.
    pub specs: Option<String>,
}

impl Own {
    pub(super) fn covers(&self, entry: &Entry) -> bool {
        let is_new_spec = |specs: &String| {
            let inside =
                entry.path.as_bytes().get(specs.trim_end_matches('/').len() + 1..).unwrap_or_default();
            entry.untracked && entry.path.is_below(specs) && inside.contains(&b'/')
        };
        self.folders.iter().any(|folder| entry.path.is_below(folder))
            || self.specs.as_ref().is_some_and(is_new_spec)
    }
}

impl Snapshot {
    /// What changed from this moment to a later one, by path; a moved HEAD first.
    ///
    /// Files that were already changed before are compared by their signatures. Of a submodule that was already
    /// changed only its commit is compared.
    pub fn changes(&self, later: &Snapshot, own: &Own) -> Vec<Change> {
        let mut changes = Vec::new();
        if (&self.head, &self.branch) != (&later.head, &later.branch) {
            let path = TreePath::new("HEAD");
            changes.push(Change { path, kind: ChangeKind::HeadMoved, dirty_before: false });
        }
        let (mut before, mut after) = (self.entries.iter().peekable(), later.entries.iter().peekable());
        loop {
            // Both are sorted: the smaller path stands in one of them only.
            let (old, new) = match (before.peek(), after.peek()) {
                (None, None) => break,
                (Some(_), None) => (before.next(), None),
                (None, Some(_)) => (None, after.next()),
                (Some(old), Some(new)) if old.path < new.path => (before.next(), None),
                (Some(old), Some(new)) if old.path > new.path => (None, after.next()),
                (Some(_), Some(_)) => (before.next(), after.next()),
            };
            let covered = new.or(old).is_some_and(|entry| own.covers(entry));
            if !covered {
                changes.extend(change(old, new));
            }
        }
        changes
    }
}

fn change(old: Option<&Entry>, new: Option<&Entry>) -> Option<Change> {
    let kind = match (old, new) {
        (Some(old), Some(new)) if old == new => return None,
        (Some(old), Some(new)) if old.file.is_some() && new.file.is_none() => ChangeKind::Deleted,
        (Some(old), None) if old.untracked => ChangeKind::Deleted,
        (None, Some(new)) if new.untracked => ChangeKind::Added,
        (None, Some(new)) if new.file.is_none() && !new.submodule => ChangeKind::Deleted,
        (None, Some(new)) if new.facts.starts_with("1 A") || new.facts.starts_with("1 .A") => {
            ChangeKind::Added
        }
        _ => ChangeKind::Modified,
    };
    let path = new.or(old)?.path.clone();
    Some(Change { path, kind, dirty_before: old.is_some() })
}
