//! Tracked files: what the index says of each, and the metadata of the file. What git calls unchanged is compared with
//! this, because an agent can make git say so.

use super::index::{Index, IndexEntry};
use super::laid_out::StoredFile;
use super::snapshot::Signature;
use super::work_tree::git_in;
use charrette_git::Git;
use charrette_model::tree::{ChangeKind, TreePath};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Tracked files at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct TrackedFiles {
    /// Git folder; none where the environment names it.
    git_dir: Option<PathBuf>,
    index: Arc<Index>,
    /// Metadata of the file of each entry of the index.
    files: Vec<Option<Signature>>,
}

/// What differs between two moments.
#[derive(Debug, Default)]
pub(super) struct TrackedChanges {
    pub(super) changed: Vec<(TreePath, ChangeKind)>,
    /// Files that were written, with the object that the index says they hold.
    pub(super) written: Vec<StoredFile>,
}

impl TrackedFiles {
    pub(super) fn read(root: &Path, git_dir: Option<PathBuf>, index: Arc<Index>) -> TrackedFiles {
        // Joining each path anew would cost more than looking at the file.
        let mut path = root.as_os_str().as_bytes().to_vec();
        path.push(b'/');
        let length = path.len();
        let read = |entry: &IndexEntry| {
            path.truncate(length);
            path.extend_from_slice(entry.path.as_bytes());
            Signature::read(Path::new(std::ffi::OsStr::from_bytes(&path)))
        };
        let files = index.entries.iter().map(read).collect();
        TrackedFiles { git_dir, index, files }
    }

    /// Git in their work tree, which is at `root`.
    pub(super) fn git<'a>(&'a self, root: &'a Path) -> Git<'a> {
        git_in(root, self.git_dir.as_deref())
    }

    /// True if the file at that path was tracked and looked at by git.
    pub(super) fn is_looked_at(&self, path: &TreePath) -> bool {
        self.index.entry(path).is_some_and(|entry| !entry.is_flagged)
    }

    /// Differences from these files to later ones, without those that `is_reported` anyway. If no commit was made or
    /// checked out in between, git cannot call a file unchanged whose entry in the index has another content.
    pub(super) fn changes(
        &self,
        later: &TrackedFiles,
        has_moved: bool,
        is_reported: impl Fn(&TreePath) -> bool,
    ) -> TrackedChanges {
        let mut changes = TrackedChanges::default();
        let (old, new) = (&self.index.entries, &later.index.entries);
        let (mut i, mut j) = (0, 0);
        while i < old.len() || j < new.len() {
            let order = match (old.get(i), new.get(j)) {
                (Some(old), Some(new)) => old.path.cmp(&new.path),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            let (before, after) = (order.is_le().then_some(i), order.is_ge().then_some(j));
            i += usize::from(before.is_some());
            j += usize::from(after.is_some());
            let (Some(before), Some(after)) = (before, after) else {
                let kind = if after.is_some() { ChangeKind::Added } else { ChangeKind::Deleted };
                let path = before.map_or_else(|| &new[j - 1].path, |before| &old[before].path);
                if !has_moved && !is_reported(path) {
                    changes.changed.push((path.clone(), kind));
                }
                continue;
            };
            let (was, is) = (self.files[before].as_ref(), later.files[after].as_ref());
            let has_same_content = old[before].has_content_of(&new[after]);
            if (was == is && has_same_content) || new[after].is_flagged || is_reported(&new[after].path) {
                continue;
            }
            let path = new[after].path.clone();
            match (was, is) {
                _ if has_moved && !has_same_content => {}
                _ if !has_same_content => changes.changed.push((path, ChangeKind::Modified)),
                (Some(_), None) => changes.changed.push((path, ChangeKind::Deleted)),
                (Some(was), Some(is)) if was.mode() != is.mode() => {
                    changes.changed.push((path, ChangeKind::Modified));
                }
                _ => changes.written.push((path, old[before].object_id())),
            }
        }
        changes
    }
}
