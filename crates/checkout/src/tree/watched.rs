//! Snapshot of everything that an agent must leave alone: the work tree, and the repository's own files that decide what
//! git does and shows.

use super::error::TreeError;
use super::git_files::{GitFiles, read_git_files};
use super::index::{IndexEntry, read_index};
use super::snapshot::{Signature, Snapshot};
use charrette_git::Git;
use charrette_model::tree::{ChangeKind, OwnPaths, TreeChange, TreePath};
use charrette_store::workspace::sha256;
use charrette_store::{Location, locate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Work tree and repository at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedSnapshot {
    tree: Snapshot,
    git: GitFiles,
    /// Files that git was told not to look at.
    flagged: Vec<FlaggedFile>,
    /// All tracked files. Not kept across processes: there, what git says must do.
    #[serde(skip)]
    tracked: BTreeMap<TreePath, Option<Signature>>,
    /// HEAD and the index. Not kept across processes.
    #[serde(skip)]
    switched: Option<[Option<Signature>; 2]>,
}

/// A file that git was told not to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FlaggedFile {
    path: TreePath,
    /// None if there is no such file.
    digest: Option<String>,
}

impl WatchedSnapshot {
    /// Takes a snapshot of the work tree at `root`.
    pub fn take(root: &Path) -> Result<WatchedSnapshot, TreeError> {
        let tree = Snapshot::take(root)?;
        let (mut git, mut flagged, mut tracked) = (GitFiles::new(), Vec::new(), BTreeMap::new());
        let mut switched = None;
        if let Location::WorkTree(repository) = locate(root)? {
            git = read_git_files(repository.git_dir(), repository.common_dir())?;
            switched = Some(read_switched(repository.git_dir()));
            for IndexEntry { path, is_flagged } in read_index(root, &repository.git_dir().join("index"))? {
                let file = root.join(path.as_path());
                if !is_flagged {
                    tracked.insert(path, Signature::read(&file));
                    continue;
                }
                let content = file.is_file().then(|| fs_err::read(&file)).transpose()?;
                flagged.push(FlaggedFile { path, digest: content.map(|bytes| sha256(&bytes)) });
            }
        }
        Ok(WatchedSnapshot { tree, git, flagged, tracked, switched })
    }

    /// True if the repository's own files, branches and index among them, are as they were, and the same branch is checked
    /// out.
    pub fn has_same_git_files(&self, root: &Path) -> bool {
        let Ok(Location::WorkTree(repository)) = locate(root) else { return false };
        let git = read_git_files(repository.git_dir(), repository.common_dir());
        self.switched == Some(read_switched(repository.git_dir())) && git.is_ok_and(|git| git == self.git)
    }

    /// Tracked files that were written since this snapshot, although git calls them unchanged: the index may have been
    /// made to say so.
    pub fn suspicious(&self, later: &WatchedSnapshot) -> Vec<TreePath> {
        let is_reported =
            |path: &TreePath| self.tree.entry(path).is_some() || later.tree.entry(path).is_some();
        let written = later.tracked.iter().filter(|(path, now)| {
            self.tracked.get(*path).is_some_and(|before| before != *now) && !is_reported(path)
        });
        written.map(|(path, _)| path.clone()).collect()
    }

    /// Changes from this snapshot to a later one: a moved HEAD first, then the repository's own files, then the tree.
    pub fn changes(&self, later: &WatchedSnapshot, own: &OwnPaths) -> Vec<TreeChange> {
        let mut changes = self.tree.changes(&later.tree, own);
        let has_moved = changes.first().is_some_and(|change| change.kind == ChangeKind::HeadMoved);
        let current = later.tree.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
        let is_told = |name: &str| has_moved && current.as_deref() == Some(name);
        let git = compare(&self.git, &later.git)
            .filter(|(name, _)| !is_told(name))
            .map(|(name, kind)| (TreePath::new(format!("{GIT_FOLDER}{name}")), kind));
        // A new flag hides whatever the file was changed to; one that was taken away shows it.
        let differing = later.flagged.iter().filter(|file| !self.flagged.contains(file));
        let flagged = differing.map(|file| (file.path.clone(), ChangeKind::Modified));
        let git: Vec<_> = git.collect();
        for (path, kind) in git.into_iter().chain(flagged) {
            if !changes.iter().any(|change| change.path == path) {
                changes.push(TreeChange { path, kind, dirty_before: true, restored: false });
            }
        }
        changes
    }
}

/// The files that git writes when it switches to another branch.
fn read_switched(git_dir: &Path) -> [Option<Signature>; 2] {
    ["HEAD", "index"].map(|name| Signature::read(&git_dir.join(name)))
}

/// Name of the repository's folder in the paths of changes.
const GIT_FOLDER: &str = ".git/";

/// Keys whose values differ.
fn compare<'a, K: Ord, V: PartialEq>(
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

/// Of these tracked files, those whose content is not what the index says. Git converts line ends and runs the user's own
/// filters, as when it adds a file.
pub(crate) fn differ_from_index(root: &Path, paths: &[TreePath]) -> Result<Vec<TreePath>, TreeError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let git = Git::new(root);
    let listed = git.bytes(&["ls-files", "--stage", "-z"])?;
    let id_of = |path: &TreePath| {
        listed.split(|byte| *byte == 0).find_map(|record| {
            let at = record.iter().position(|byte| *byte == b'\t')?;
            let is_it = &record[at + 1..] == path.as_bytes();
            is_it
                .then(|| record[..at].split(|byte| *byte == b' ').nth(1))
                .flatten()
                .map(|id| String::from_utf8_lossy(id).into_owned())
        })
    };
    let mut differing = Vec::new();
    for path in paths {
        let Some(id): Option<String> = id_of(path) else { continue };
        let file = path.as_path().as_os_str();
        let found = if root.join(path.as_path()).is_symlink() {
            let target = fs_err::read_link(root.join(path.as_path()))?;
            git.bytes_from(&["hash-object", "--stdin"], target.as_os_str().as_bytes())
        } else {
            git.bytes(&["hash-object".as_ref(), "--".as_ref(), file])
        };
        let is_same = found.is_ok_and(|found| String::from_utf8_lossy(&found).trim() == id);
        if !is_same {
            differing.push(path.clone());
        }
    }
    Ok(differing)
}
