//! Snapshot of a work tree: the paths that differ from the last commit.

use super::error::TreeError;
use super::status::{self, StatusLine};
use charrette_git::Git;
use charrette_model::tree::{OwnPaths, TreePath};
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Work tree at one moment. Only paths that differ from the last commit are stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Commit id of HEAD; none on a branch without commits.
    pub head: Option<String>,
    /// None if HEAD was detached.
    pub branch: Option<String>,
    /// Sorted by path.
    pub(super) entries: Vec<Entry>,
}

/// Path that differs from the last commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) path: TreePath,
    /// Fields of git's status line before the path.
    pub(super) facts: String,
    pub(super) untracked: bool,
    pub(super) submodule: bool,
    /// Detects a changed file without reading it; none if there is no file.
    pub(super) file: Option<Signature>,
}

/// File metadata of which any write changes at least one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Signature {
    inode: u64,
    bytes: u64,
    mode: u32,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Snapshot {
    /// Takes a snapshot of the work tree at `root`: one git process, and one `stat` for each path that differs.
    pub fn take(root: &Path) -> Result<Snapshot, TreeError> {
        let answer = Git::new(root).bytes(&status::STATUS_ARGS)?;
        let status = status::parse(&answer);
        let mut entries: Vec<Entry> = status.lines.into_iter().map(|line| Entry::new(root, line)).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries.dedup_by(|a, b| a.path == b.path);
        Ok(Snapshot { head: status.head, branch: status.branch, entries })
    }

    /// True if nothing differs from the last commit.
    pub fn is_clean(&self) -> bool {
        self.entries.is_empty()
    }

    /// True if nothing but charrette's own paths differs from the last commit.
    pub fn is_clean_except(&self, own: &OwnPaths) -> bool {
        self.entries.iter().all(|entry| own.covers(&entry.path, entry.untracked))
    }

    /// True if a submodule differs from the last commit.
    pub fn has_moved_submodules(&self) -> bool {
        self.entries.iter().any(|entry| entry.submodule)
    }

    /// Tracked paths that differ from the last commit.
    pub(crate) fn dirty_paths(self) -> Vec<TreePath> {
        let tracked = self.entries.into_iter().filter(|entry| !entry.untracked);
        tracked.map(|entry| entry.path).collect()
    }

    /// Paths that differ from the last commit, untracked ones included.
    pub(crate) fn dirty_or_untracked_paths(self) -> Vec<TreePath> {
        self.entries.into_iter().map(|entry| entry.path).collect()
    }

    pub(super) fn entry(&self, path: &TreePath) -> Option<&Entry> {
        self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok().map(|at| &self.entries[at])
    }
}

impl Signature {
    /// Of the file at that path; none if there is none. A folder does not count as a file, even where git expects one.
    pub(super) fn read(path: &Path) -> Option<Signature> {
        let meta = path.symlink_metadata().ok().filter(|meta| !meta.is_dir())?;
        Some(Signature {
            inode: meta.ino(),
            bytes: meta.len(),
            mode: meta.mode(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })
    }
}

impl Entry {
    fn new(root: &Path, line: StatusLine) -> Entry {
        let file = Signature::read(&root.join(line.path.as_path()));
        Entry {
            untracked: line.code == *b"??",
            path: line.path,
            facts: line.facts,
            submodule: line.submodule,
            file,
        }
    }
}
