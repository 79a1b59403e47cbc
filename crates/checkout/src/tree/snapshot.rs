//! Snapshot of a work tree: the paths that differ from the last commit.

use super::digests::digest;
use super::error::TreeError;
use super::status::{self, StatusLine};
use super::uncached::uncached;
use super::work_tree::WorkTree;
use charrette_git::Git;
use charrette_model::tree::{OwnPaths, TreePath};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

/// Work tree at one moment. Only paths that differ from the last commit are stored.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// Commit id of HEAD; none on a branch without commits.
    pub head: Option<String>,
    /// None if HEAD was detached.
    pub branch: Option<String>,
    /// Sorted by path.
    pub(super) entries: Vec<Entry>,
    /// Content digests of the files that git ignores and that say what git ignores or converts: one could hide itself
    /// and others.
    #[serde(default, with = "super::pairs")]
    pub(super) hidden_rules: BTreeMap<TreePath, String>,
    /// Files and folders that git ignores. Not kept across processes.
    #[serde(skip)]
    pub(super) ignored: Option<Arc<BTreeSet<TreePath>>>,
}

/// Equality of what is kept across processes.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Snapshot) -> bool {
        (&self.head, &self.branch) == (&other.head, &other.branch)
            && self.entries == other.entries
            && self.hidden_rules == other.hidden_rules
    }
}

impl Eq for Snapshot {}

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

/// Names of files that say what git ignores or converts.
const RULES: [&[u8]; 2] = [b".gitignore", b".gitattributes"];

/// How far a snapshot looks into submodules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Submodules {
    /// As `git status` does: to their files, unless the configuration or `.gitmodules` says less.
    AsConfigured,
    /// To their commits, whatever is configured.
    Commits,
}

impl Snapshot {
    /// Takes a snapshot of the work tree at `root`: one git process, and one `stat` for each path that differs.
    pub fn take(root: &Path) -> Result<Snapshot, TreeError> {
        // Not with the folders named: where a setting names another work tree, programs of submodules are switched off there.
        WorkTree::open(root)?;
        Snapshot::take_with(Git::new(root), root, Submodules::AsConfigured)
    }

    /// The same with a git that works there.
    pub(super) fn take_with(
        git: Git<'_>,
        root: &Path,
        submodules: Submodules,
    ) -> Result<Snapshot, TreeError> {
        let depth = match submodules {
            Submodules::AsConfigured => None,
            Submodules::Commits => Some("--ignore-submodules=dirty"),
        };
        let args: Vec<&str> = status::STATUS_ARGS.into_iter().chain(depth).collect();
        let answer = uncached(git).bytes(&args)?;
        let status = status::parse(&answer);
        let mut hidden_rules = BTreeMap::new();
        for path in status.ignored.iter().filter(|path| is_rule(path)) {
            if let Some(digest) = digest(&root.join(path.as_path()))? {
                hidden_rules.insert(path.clone(), digest);
            }
        }
        let ignored = Some(Arc::new(status.ignored.into_iter().collect()));
        let mut entries: Vec<Entry> = status.lines.into_iter().map(|line| Entry::new(root, line)).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries.dedup_by(|a, b| a.path == b.path);
        Ok(Snapshot { head: status.head, branch: status.branch, entries, hidden_rules, ignored })
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

    /// True if git ignores the file, or a folder that it is in.
    pub(super) fn ignores(&self, path: &TreePath) -> bool {
        let Some(ignored) = &self.ignored else { return false };
        let ends = path.as_bytes().iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let mut folders = ends.map(|(end, _)| TreePath::new(&path.as_bytes()[..=end]));
        ignored.contains(path) || folders.any(|folder| ignored.contains(&folder))
    }

    pub(super) fn entry(&self, path: &TreePath) -> Option<&Entry> {
        self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok().map(|at| &self.entries[at])
    }
}

/// True for a file that says what git ignores or converts, but not in the cache of a tool, which ignores itself.
fn is_rule(path: &TreePath) -> bool {
    let mut parts = path.as_bytes().rsplit(|byte| *byte == b'/');
    let is_rule = parts.next().is_some_and(|name| RULES.contains(&name));
    is_rule && !parts.next().is_some_and(|folder| folder.starts_with(b".") && folder.ends_with(b"_cache"))
}

impl Signature {
    /// Type and permissions.
    pub(super) fn mode(&self) -> u32 {
        self.mode
    }

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
