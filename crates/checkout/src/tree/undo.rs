//! Undoes given changes of the work tree, and nothing else.

use super::error::TreeError;
use super::index::Index;
use super::patch::{self, nul_list};
use super::snapshot::{Entry, Snapshot, Submodules};
use super::unlink::unlink;
use super::work_tree::WorkTree;
use charrette_model::tree::{ChangeKind, TreeChange, TreePath};
use std::path::Path;

/// Maximum size of a file in a patch (64 MB); larger files are not undone either.
const MAX_FILE_SIZE: u64 = 64 << 20;

/// Reason to leave a file whose change no patch would have.
const CONVERTED: &str = "holds bytes that git does not store, because of a filter, `ident` or line ends, and was left as it \
    is now; look at it before you continue, and take the committed file: git checkout HEAD -- FILE";

/// Reason to leave everything where an agent may have chosen the repository.
const REPLACED: &str = "cannot be restored while `.git` leads to another repository, and was left as it is now; put the old \
    one back before you continue";

/// Outcome of an undo.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndoReport {
    /// Paths that are as committed again.
    pub undone: Vec<TreePath>,
    pub skipped: Vec<SkippedChange>,
}

/// Change that was not undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedChange {
    pub path: TreePath,
    /// Reason, worded to follow the path.
    pub reason: String,
}

/// Patch of everything that [`undo`] would undo now, for `git apply`. Empty if there is nothing to undo.
pub fn patch(root: &Path, changes: &[TreeChange]) -> Result<Vec<u8>, TreeError> {
    let tree = WorkTree::open(root)?;
    UndoPlan::new(&tree, changes)?.patch(&tree)
}

/// Restores every changed path to the last commit. Its content is lost, unless a [`patch`] was saved.
///
/// Skipped and reported: paths that were dirty before, because git does not have that version; a moved HEAD, because
/// commits are never undone; submodules, unfinished merges and very large files; files with bytes that git does not store,
/// because no patch has them; everything, if `.git` was replaced. Paths that are as committed by now
/// need nothing. New folders stay, empty. If git fails, some paths are undone.
pub fn undo(root: &Path, changes: &[TreeChange]) -> Result<UndoReport, TreeError> {
    let tree = WorkTree::open(root)?;
    UndoPlan::new(&tree, changes)?.execute(&tree)
}

/// Paths to undo, as of one snapshot.
#[derive(Debug)]
pub(super) struct UndoPlan {
    has_commits: bool,
    tracked: Vec<TreePath>,
    /// Tracked paths that git calls unchanged.
    unseen: Vec<TreePath>,
    untracked: Vec<TreePath>,
    skipped: Vec<SkippedChange>,
}

impl UndoPlan {
    pub(super) fn new(tree: &WorkTree<'_>, changes: &[TreeChange]) -> Result<UndoPlan, TreeError> {
        // Submodules are left alone, and a broken one must not keep the rest from being undone.
        let now = Snapshot::take_with(tree.git(), tree.root, Submodules::Commits)?;
        let mut plan = UndoPlan {
            has_commits: now.head.is_some(),
            tracked: Vec::new(),
            unseen: Vec::new(),
            untracked: Vec::new(),
            skipped: Vec::new(),
        };
        let index = tree.read_index()?;
        let is_replaced = changes.iter().any(|change| is_git_folder(&change.path));
        for change in changes {
            let entry = now.entry(&change.path);
            let path = change.path.clone();
            let found = obstacle(tree.root, change, entry, &index);
            let replaced = (is_replaced && !is_git_folder(&path)).then(|| REPLACED.to_owned());
            match (found.or(replaced), entry) {
                (Some(reason), _) => plan.skipped.push(SkippedChange { path, reason }),
                (None, Some(entry)) if entry.untracked => plan.untracked.push(path),
                (None, Some(_)) => plan.tracked.push(path),
                (None, None) if now.ignores(&path) && change.kind == ChangeKind::Added => {
                    plan.untracked.push(path);
                }
                (None, None) if index.entry(&path).is_some() => plan.unseen.push(path),
                (None, None) => {}
            }
        }
        let mut converted = Vec::new();
        let unseen = std::mem::take(&mut plan.unseen);
        if !unseen.is_empty() {
            let found = patch::differing_unseen(tree, &plan.base(tree)?, unseen)?;
            plan.unseen = found.restorable;
            converted = found.converted;
        }
        let lossy = patch::lossy(tree, &plan.base(tree)?, plan.tracked.iter().chain(&plan.unseen))?;
        for paths in [&mut plan.tracked, &mut plan.unseen] {
            converted.extend(paths.extract_if(.., |path| lossy.contains(path)));
        }
        let skipped = |path| SkippedChange { path, reason: CONVERTED.to_owned() };
        plan.skipped.extend(converted.into_iter().map(skipped));
        Ok(plan)
    }

    pub(super) fn patch(&self, tree: &WorkTree<'_>) -> Result<Vec<u8>, TreeError> {
        let mut bytes = Vec::new();
        if !self.tracked.is_empty() {
            patch::add_tracked(tree, &self.base(tree)?, &self.tracked, &mut bytes)?;
        }
        if !self.unseen.is_empty() {
            patch::add_unseen(tree, &self.base(tree)?, &self.unseen, &mut bytes)?;
        }
        if !self.untracked.is_empty() {
            patch::add_untracked(tree, &self.untracked, &mut bytes)?;
        }
        Ok(bytes)
    }

    pub(super) fn execute(mut self, tree: &WorkTree<'_>) -> Result<UndoReport, TreeError> {
        let mut undone = Vec::new();
        // New files first: one may stand where a folder was, or the other way round.
        for path in std::mem::take(&mut self.untracked) {
            match unlink(tree.root, &path) {
                Ok(()) => undone.push(path),
                Err(error) => {
                    self.skipped.push(SkippedChange { path, reason: format!("cannot be removed: {error}") });
                }
            }
        }
        if !self.tracked.is_empty() {
            let source = format!("--source={}", self.base(tree)?);
            let args = [
                "restore",
                source.as_str(),
                "--staged",
                "--worktree",
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ];
            tree.git().edit(&args, &nul_list(&self.tracked))?;
            undone.append(&mut self.tracked);
        }
        if !self.unseen.is_empty() {
            patch::restore_unseen(tree, &self.base(tree)?, &self.unseen)?;
            undone.append(&mut self.unseen);
        }
        undone.sort();
        Ok(UndoReport { undone, skipped: self.skipped })
    }

    /// Tree that files are compared with and restored from; without commits, the empty tree.
    fn base(&self, tree: &WorkTree<'_>) -> Result<String, TreeError> {
        if self.has_commits {
            return Ok("HEAD".to_owned());
        }
        Ok(tree.git().text(&["hash-object", "-t", "tree", "--stdin"])?)
    }
}

/// Reason why a change cannot be undone.
fn obstacle(root: &Path, change: &TreeChange, now: Option<&Entry>, index: &Index) -> Option<String> {
    let is_submodule = |folder: &TreePath| index.entry(folder).is_some_and(|entry| entry.is_submodule);
    let has_repository =
        |folder: &TreePath| root.join(folder.as_path()).join(".git").symlink_metadata().is_ok();
    let bytes = || root.join(change.path.as_path()).symlink_metadata().map_or(0, |meta| meta.len());
    let reason = if change.kind == ChangeKind::HeadMoved {
        "moved; commits are never undone (see git reflog)"
    } else if change.path.is_below(".git") {
        "belongs to the repository itself and was left as it is now; look at it before you continue"
    } else if is_git_folder(&change.path) {
        "leads to another repository now and was left as it is; put the old one back before you continue"
    } else if change.path.as_path().is_absolute() {
        "is outside the work tree and was left as it is now; look at it before you continue"
    } else if change.path.folders().any(|folder| is_submodule(&folder)) {
        "is in a submodule and was left as it is now; look at it before you continue"
    } else if change.path.folders().any(|folder| has_repository(&folder)) {
        "is in a nested git repository and was left as it is now; look at it before you continue"
    } else if change.path.as_bytes().ends_with(b"/") && now.is_none() {
        "is a folder that git ignores now and was left as it is; look at it before you continue"
    } else if change.path.as_bytes().ends_with(b"/") {
        "is a nested git repository"
    } else if !change.path.is_inside() {
        "is not a path inside the work tree"
    } else if now.is_some_and(|entry| entry.submodule) || is_submodule(&change.path) {
        "is a submodule"
    } else if change.dirty_before {
        "had uncommitted changes before, which git cannot restore"
    } else if now.is_some_and(|entry| entry.facts.starts_with('u')) {
        "is part of an unfinished merge"
    } else if bytes() > MAX_FILE_SIZE {
        "is larger than 64 MB, too large for a patch"
    } else {
        return None;
    };
    Some(reason.to_owned())
}

/// True for the path that leads to the repository.
fn is_git_folder(path: &TreePath) -> bool {
    path.as_bytes() == b".git"
}
