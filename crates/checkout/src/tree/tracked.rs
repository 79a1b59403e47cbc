//! Tracked files: what the index says of each, and the metadata of the file. What git calls unchanged is compared with
//! this, because an agent can make git say so.

use super::index::{Index, IndexEntry};
use super::snapshot::Signature;
use charrette_git::Git;
use charrette_model::tree::{ChangeKind, TreePath};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

/// Permission bits of a mode.
const PERMISSIONS: u32 = 0o7777;

/// Tracked files at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct TrackedFiles {
    index: Arc<Index>,
    /// Metadata of the file of each entry of the index.
    files: Vec<Option<Signature>>,
}

/// What differs between two moments.
#[derive(Debug, Default)]
pub(super) struct TrackedChanges {
    pub(super) changed: Vec<(TreePath, ChangeKind)>,
    /// Files that were written, with the object id of what they held.
    pub(super) written: Vec<(TreePath, String)>,
}

impl TrackedFiles {
    pub(super) fn read(root: &Path, index: Arc<Index>) -> TrackedFiles {
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
        TrackedFiles { index, files }
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
                (Some(was), Some(is)) if was.mode() & PERMISSIONS != is.mode() & PERMISSIONS => {
                    changes.changed.push((path, ChangeKind::Modified));
                }
                _ => changes.written.push((path, old[before].object_id())),
            }
        }
        changes
    }
}

/// Of these files below `root`, those that do not hold the objects. Git converts line ends and runs the user's own filters,
/// as when it adds a file.
pub(super) fn differing(root: &Path, files: Vec<(TreePath, String)>) -> Vec<TreePath> {
    let git = Git::new(root);
    let is_line =
        |path: &TreePath| !path.as_bytes().contains(&b'\n') && !root.join(path.as_path()).is_symlink();
    let (lines, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_line(path));
    let list: Vec<u8> = lines.iter().flat_map(|(path, _)| [path.as_bytes(), b"\n"].concat()).collect();
    let hashed = (!lines.is_empty()).then(|| git.bytes_from(&["hash-object", "--stdin-paths"], &list));
    let found: Vec<Option<String>> = match hashed {
        Some(Ok(ids)) => String::from_utf8_lossy(&ids).lines().map(|id| Some(id.to_owned())).collect(),
        // One that is gone or cannot be read ends git: then each is asked for.
        Some(Err(_)) => lines.iter().map(|(path, _)| object_of(git, root, path)).collect(),
        None => Vec::new(),
    };
    let found = found.into_iter().chain(std::iter::repeat(None));
    let of_lines = lines.into_iter().zip(found);
    let of_others = others.into_iter().map(|(path, id)| {
        let found = object_of(git, root, &path);
        ((path, id), found)
    });
    let differing = of_lines.chain(of_others).filter(|((_, id), found)| found.as_ref() != Some(id));
    differing.map(|((path, _), _)| path).collect()
}

/// Object id that a file would have; none if git cannot tell.
fn object_of(git: Git<'_>, root: &Path, path: &TreePath) -> Option<String> {
    let file = root.join(path.as_path());
    if !file.is_symlink() {
        return git.find(&["hash-object".as_ref(), "--".as_ref(), path.as_path().as_os_str()]);
    }
    let target = fs_err::read_link(&file).ok()?;
    let id = git.bytes_from(&["hash-object", "--stdin"], target.as_os_str().as_bytes()).ok()?;
    Some(String::from_utf8_lossy(&id).trim().to_owned())
}
