//! Snapshot of everything that an agent must leave alone: the work tree, and the repository's own files that decide what
//! git does and shows.

use super::digests::{digest, is_executable};
use super::error::TreeError;
use super::git_files::{GitFiles, SWITCHED};
use super::index::Index;
use super::laid_out::differing;
use super::nested::{NestedFolders, have_same_git_files, nested_changes, read_nested};
use super::other_runs::OtherRuns;
use super::place::GitPlace;
use super::snapshot::{Signature, Snapshot, Submodules};
use super::tracked::TrackedFiles;
use super::user_files::FileDigests;
use super::work_tree::{git_in, named_git_dir};
use crate::located::{repository_in_use, repository_on_disk};
use charrette_model::tree::{ChangeKind, OwnPaths, TreeChange, TreePath};
use charrette_store::Repository;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io;
use std::path::Path;

/// Work tree and repository at one moment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WatchedSnapshot {
    tree: Snapshot,
    place: GitPlace,
    git: GitFiles,
    /// Files that git was told not to look at.
    flagged: Vec<FlaggedFile>,
    /// Submodules and other repositories below.
    #[serde(with = "super::pairs")]
    nested: NestedFolders,
    /// Digest of what the index lists.
    index: String,
    /// Files of the user that decide what git shows.
    #[serde(default, with = "super::pairs")]
    pub(crate) user: FileDigests,
    /// Other runs. Not kept across processes.
    #[serde(skip)]
    pub(crate) runs: Option<OtherRuns>,
    /// All tracked files. Not kept across processes: there, what git says and the index must do.
    #[serde(skip)]
    tracked: Option<TrackedFiles>,
    /// Files that say what is checked out. Not kept across processes.
    #[serde(skip)]
    switched: Option<[Option<Signature>; 3]>,
}

/// A file that git was told not to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FlaggedFile {
    path: TreePath,
    /// Digest of the file, with whether it can be executed; none if there is no such file.
    digest: Option<String>,
}

/// Equality of what is kept across processes.
impl PartialEq for WatchedSnapshot {
    fn eq(&self, other: &WatchedSnapshot) -> bool {
        self.tree == other.tree
            && self.place.is_same(&other.place)
            && self.git == other.git
            && self.flagged == other.flagged
            && self.nested == other.nested
            && self.index == other.index
            && self.user == other.user
    }
}

impl Eq for WatchedSnapshot {}

impl WatchedSnapshot {
    /// Takes a snapshot of the work tree at `root`.
    pub fn take(root: &Path) -> Result<WatchedSnapshot, TreeError> {
        WatchedSnapshot::take_nested(root, 0)
    }

    /// Takes a snapshot of a repository that is that deep in other ones.
    pub(super) fn take_nested(root: &Path, depth: usize) -> Result<WatchedSnapshot, TreeError> {
        let repository =
            repository_at(root, depth)?.ok_or_else(|| TreeError::NoRepository(root.to_owned()))?;
        let git_dir = named_git_dir(&repository, depth);
        let git = git_in(root, git_dir.as_deref());
        let tree = Snapshot::take_with(git, root, Submodules::Commits)?;
        let index = Index::read(git, &repository.git_dir().join("index"))?;
        let mut flagged = Vec::new();
        for entry in index.entries.iter().filter(|entry| entry.is_flagged) {
            let file = root.join(entry.path.as_path());
            let digest = digest(&file)?;
            let executable =
                digest.as_ref().filter(|_| !file.is_symlink() && is_executable(&file)).map(|_| " executable");
            let digest = digest.map(|digest| digest + executable.unwrap_or_default());
            flagged.push(FlaggedFile { path: entry.path.clone(), digest });
        }
        let nested = read_nested(root, &index, &tree, depth)?;
        Ok(WatchedSnapshot {
            place: GitPlace::read(&repository)?,
            git: GitFiles::read(&repository)?,
            flagged,
            nested,
            index: index.digest.clone(),
            user: FileDigests::new(),
            runs: None,
            switched: Some(read_switched(&repository)),
            tracked: Some(TrackedFiles::read(root, git_dir, index)),
            tree,
        })
    }

    /// True if the repository's own files, branches and index among them, are as they were, and the same branch is checked
    /// out.
    pub fn has_same_git_files(&self, root: &Path) -> bool {
        self.has_same_git_files_at(root, 0)
    }

    /// The same for a repository that is that deep in other ones.
    pub(super) fn has_same_git_files_at(&self, root: &Path, depth: usize) -> bool {
        let Ok(Some(repository)) = repository_at(root, depth) else { return false };
        self.switched == Some(read_switched(&repository))
            && GitPlace::read(&repository).is_ok_and(|place| place.is_same(&self.place))
            && GitFiles::read(&repository).is_ok_and(|git| git == self.git)
            && have_same_git_files(&self.nested, root, depth)
    }

    /// Changes from this snapshot to a later one of the same work tree: a moved HEAD first, then what git reports, then
    /// the repository's own files, then what git does not see. What git calls unchanged is compared by its content where
    /// it was written in between.
    pub fn changes(&self, later: &WatchedSnapshot, own: &OwnPaths, root: &Path) -> Vec<TreeChange> {
        let mut changes = self.tree.changes(&later.tree, own);
        for change in &mut changes {
            // Git did not look at it before: what it held then may be in no commit.
            change.dirty_before |= self.flag(&change.path).is_some_and(|file| file.digest.is_some());
        }
        let has_moved = changes.first().is_some_and(|change| change.kind == ChangeKind::HeadMoved);
        let current = later.tree.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
        let is_told = |name: &str| has_moved && current.as_deref() == Some(name);
        let git = self.git.differences(&later.git).into_iter().filter(|(name, _)| !is_told(name));
        let mut found: Vec<(TreePath, ChangeKind)> =
            git.map(|(name, kind)| (TreePath::new(format!("{GIT_FOLDER}/{name}")), kind)).collect();
        if !self.place.is_same(&later.place) {
            found.push((TreePath::new(GIT_FOLDER), ChangeKind::Modified));
        }
        // A new flag hides whatever the file was changed to; one that was taken away was the user's own choice.
        let flagged = later.flagged.iter().filter(|file| !self.flagged.contains(file));
        let unflagged = self.flagged.iter().filter(|file| later.flag(&file.path).is_none());
        found.extend(flagged.chain(unflagged).map(|file| (file.path.clone(), ChangeKind::Modified)));
        found.extend(self.unseen_changes(later, has_moved, own, root));
        let mut known: HashSet<TreePath> = changes.iter().map(|change| change.path.clone()).collect();
        for (path, kind) in found {
            if known.insert(path.clone()) {
                let dirty_before = !self.is_as_committed(&path);
                changes.push(TreeChange { path, kind, dirty_before, restored: false });
            }
        }
        for change in nested_changes(&self.nested, &later.nested, root) {
            if !own.covers(&change.path, true) && known.insert(change.path.clone()) {
                changes.push(change);
            }
        }
        // Nothing else differs, so that the index must list what it listed.
        if changes.is_empty() && self.tracked.is_none() && self.index != later.index {
            let path = TreePath::new(format!("{GIT_FOLDER}/index"));
            changes.push(TreeChange {
                path,
                kind: ChangeKind::Modified,
                dirty_before: true,
                restored: false,
            });
        }
        changes
    }

    /// The file, if git was told not to look at it.
    fn flag(&self, path: &TreePath) -> Option<&FlaggedFile> {
        self.flagged.binary_search_by(|file| file.path.cmp(path)).ok().map(|at| &self.flagged[at])
    }

    /// Changes of tracked files that git does not see.
    fn unseen_changes(
        &self,
        later: &WatchedSnapshot,
        has_moved: bool,
        own: &OwnPaths,
        root: &Path,
    ) -> Vec<(TreePath, ChangeKind)> {
        let (Some(before), Some(after)) = (&self.tracked, &later.tracked) else { return Vec::new() };
        let is_reported = |path: &TreePath| {
            self.tree.entry(path).is_some() || later.tree.entry(path).is_some() || own.covers(path, false)
        };
        let found = before.changes(after, has_moved, is_reported);
        let written = differing(after.git(root), root, found.written)
            .into_iter()
            .map(|path| (path, ChangeKind::Modified));
        found.changed.into_iter().chain(written).collect()
    }

    /// True if a tracked file was as git has it, as far as git could tell.
    fn is_as_committed(&self, path: &TreePath) -> bool {
        self.tree.entry(path).is_none()
            && self.tracked.as_ref().is_some_and(|tracked| tracked.is_looked_at(path))
    }
}

/// The repository with the work tree at `root`, which is that deep in other ones. The environment names none of those.
fn repository_at(root: &Path, depth: usize) -> io::Result<Option<Repository>> {
    if depth == 0 { repository_in_use(root) } else { repository_on_disk(root) }
}

/// The files that git writes when it switches to another branch.
fn read_switched(repository: &Repository) -> [Option<Signature>; 3] {
    SWITCHED.map(|name| Signature::read(&repository.git_dir().join(name)))
}

/// Name of the repository's folder in the paths of changes.
const GIT_FOLDER: &str = ".git";
