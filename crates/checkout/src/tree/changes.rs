//! Changes of a work tree between two snapshots.

use super::snapshot::{Entry, Snapshot};
use charrette_model::tree::{ChangeKind, OwnPaths, TreeChange, TreePath};
use std::collections::{BTreeMap, HashSet};

impl Snapshot {
    /// Changes from this snapshot to a later one, by path; a moved HEAD first.
    ///
    /// Files that were already dirty before are compared by their signatures. Of a submodule that was already
    /// dirty only its commit is compared. Of ignored files only those are compared that say what is ignored.
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
                // What was ignored may have been there.
                let was_ignored = new.is_some_and(|entry| entry.untracked && self.ignores(&entry.path));
                changes.extend(change(old, new).map(|mut change| {
                    change.dirty_before |= was_ignored;
                    change
                }));
            }
        }
        let rules = compare(&self.hidden_rules, &later.hidden_rules);
        let rules: Vec<_> = rules.map(|(path, kind)| (path.clone(), kind)).collect();
        add_unless_covered(rules, own, &mut changes);
        let hidden = self.hidden_by(&changes, later);
        add_unless_covered(hidden, own, &mut changes);
        changes
    }

    /// Files and folders that are ignored since files among these changes say so.
    fn hidden_by(&self, changes: &[TreeChange], later: &Snapshot) -> Vec<(TreePath, ChangeKind)> {
        let (Some(before), Some(after)) = (&self.ignored, &later.ignored) else { return Vec::new() };
        let rules = changes.iter().map(|change| change.path.as_bytes());
        let folders: Vec<&[u8]> = rules.filter_map(|path| path.strip_suffix(b".gitignore")).collect();
        let is_below_rule =
            |path: &&TreePath| folders.iter().any(|folder| path.as_bytes().starts_with(folder));
        let is_new = |path: &&TreePath| !before.contains(*path) && self.entry(path).is_none();
        let hidden = after.iter().filter(is_below_rule).filter(is_new);
        hidden.map(|path| (path.clone(), ChangeKind::Added)).collect()
    }
}

/// Adds changes of paths that git does not list as changed.
fn add_unless_covered(found: Vec<(TreePath, ChangeKind)>, own: &OwnPaths, changes: &mut Vec<TreeChange>) {
    let mut known: HashSet<TreePath> = changes.iter().map(|change| change.path.clone()).collect();
    for (path, kind) in found {
        if !own.covers(&path, true) && known.insert(path.clone()) {
            let dirty_before = kind != ChangeKind::Added;
            changes.push(TreeChange { path, kind, dirty_before, restored: false });
        }
    }
}

/// Keys whose values differ.
pub(super) fn compare<'a, K: Ord, V: PartialEq>(
    before: &'a BTreeMap<K, V>,
    after: &'a BTreeMap<K, V>,
) -> impl Iterator<Item = (&'a K, ChangeKind)> {
    let gone = before.keys().filter(|key| !after.contains_key(key)).map(|key| (key, ChangeKind::Deleted));
    let changed = after.iter().filter_map(|(key, value)| match before.get(key) {
        Some(old) if old == value => None,
        Some(_) => Some((key, ChangeKind::Modified)),
        None => Some((key, ChangeKind::Added)),
    });
    gone.chain(changed)
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
