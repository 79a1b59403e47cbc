//! The work tree at one moment, as far as it is not as committed.

use super::error::TreeError;
use super::status::{self, Line};
use charrette_git::Git;
use charrette_model::tree::{Own, TreePath};
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The work tree at one moment. Only what differs from the last commit is remembered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The commit HEAD stood at; none on a branch without commits.
    pub head: Option<String>,
    /// The branch; none if HEAD was detached.
    pub branch: Option<String>,
    /// By path.
    pub(super) entries: Vec<Entry>,
}

/// A path that was not as committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) path: TreePath,
    /// What git said about it.
    pub(super) facts: String,
    /// Whether git did not know it.
    pub(super) untracked: bool,
    pub(super) submodule: bool,
    /// Tells whether the file is still the same, without reading it; none if there is none.
    pub(super) file: Option<Signature>,
}

/// Any write to a file changes one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Signature {
    inode: u64,
    bytes: u64,
    mode: u32,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Snapshot {
    /// Looks at the work tree with this top. One git process, and a look at every file that is not as committed.
    pub fn take(root: &Path) -> Result<Snapshot, TreeError> {
        let answer = Git::new(root).bytes(&status::QUESTION)?;
        let status = status::read(&answer);
        let mut entries: Vec<Entry> = status.lines.into_iter().map(|line| Entry::of(root, line)).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries.dedup_by(|a, b| a.path == b.path);
        Ok(Snapshot { head: status.head, branch: status.branch, entries })
    }

    /// Whether everything is as committed.
    pub fn is_clean(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether everything is as committed, but for what is our own.
    pub fn is_clean_but_for(&self, own: &Own) -> bool {
        self.entries.iter().all(|entry| own.covers(&entry.path, entry.untracked))
    }

    /// Whether a submodule is not as committed.
    pub fn has_moved_submodules(&self) -> bool {
        self.entries.iter().any(|entry| entry.submodule)
    }

    pub(super) fn entry(&self, path: &TreePath) -> Option<&Entry> {
        self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok().map(|at| &self.entries[at])
    }
}

impl Entry {
    fn of(root: &Path, line: Line) -> Entry {
        // A folder is no file, also where git expects one.
        let meta = root.join(line.path.as_path()).symlink_metadata().ok().filter(|meta| !meta.is_dir());
        let file = meta.map(|meta| Signature {
            inode: meta.ino(),
            bytes: meta.len(),
            mode: meta.mode(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        });
        Entry {
            untracked: line.code == *b"??",
            path: line.path,
            facts: line.facts,
            submodule: line.submodule,
            file,
        }
    }
}
