//! Changes of a work tree between two snapshots.

use super::snapshot::{Entry, Snapshot};
use charrette_model::tree::{ChangeKind, OwnPaths, TreeChange, TreePath};

impl Snapshot {
    /// Changes from this snapshot to a later one, by path; a moved HEAD first.
    ///
    /// Files that were already dirty before are compared by their signatures. Of a submodule that was already
    /// dirty only its commit is compared.
    pub fn changes(&self, later: &Snapshot, own: &OwnPaths) -> Vec<TreeChange> {
        let mut changes = Vec::new();
        if (&self.head, &self.branch) != (&later.head, &later.branch) {
            let path = TreePath::new("HEAD");
            changes.push(TreeChange {
                path,
                kind: ChangeKind::HeadMoved,
                dirty_before: false,
                restored: false,
            });
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
            let covered = new.or(old).is_some_and(|entry| own.covers(&entry.path, entry.untracked));
            if !covered {
                changes.extend(change(old, new));
            }
        }
        changes
    }
}

fn change(old: Option<&Entry>, new: Option<&Entry>) -> Option<TreeChange> {
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
    Some(TreeChange { path, kind, dirty_before: old.is_some(), restored: false })
}
