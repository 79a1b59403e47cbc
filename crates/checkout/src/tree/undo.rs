//! Undoing what changed, and nothing else.

use super::error::TreeError;
use super::patch::{self, nul_list};
use super::snapshot::{Entry, Snapshot};
use super::unlink::unlink;
use charrette_git::Git;
use charrette_model::tree::{Change, ChangeKind, TreePath};
use std::path::Path;

/// Larger files are not put into a patch, so they are not undone either.
const LARGEST: u64 = 64 << 20;

/// What came of undoing changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Undone {
    /// What is as committed again.
    pub undone: Vec<TreePath>,
    /// What was left as it is, and why.
    pub kept: Vec<Kept>,
}

/// A change that was not undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Where.
    pub path: TreePath,
    /// Why, in words that can follow the path.
    pub why: String,
}

/// A patch of everything that [`undo`] would undo now: `git apply` brings it back. Empty if that is nothing.
pub fn patch(root: &Path, changes: &[Change]) -> Result<Vec<u8>, TreeError> {
    Plan::new(root, changes)?.patch(root)
}

/// Makes every path that changed as committed again. What it was is lost, unless a [`patch`] was kept.
///
/// Left alone, and told: what was not as committed before, because git does not have that version; a moved HEAD,
/// because commits are somebody's work; submodules, unfinished merges and very large files. What is as committed
/// by now needs nothing. New folders stay, empty. If git fails, some paths are undone.
pub fn undo(root: &Path, changes: &[Change]) -> Result<Undone, TreeError> {
    Plan::new(root, changes)?.carry_out(root)
}

/// What undoing changes takes at one moment.
#[derive(Debug)]
pub(super) struct Plan {
    has_commits: bool,
    /// Files that git knows.
    tracked: Vec<TreePath>,
    /// Files that it does not.
    untracked: Vec<TreePath>,
    kept: Vec<Kept>,
}

impl Plan {
    pub(super) fn new(root: &Path, changes: &[Change]) -> Result<Plan, TreeError> {
        let now = Snapshot::take(root)?;
        let mut plan = Plan {
            has_commits: now.head.is_some(),
            tracked: Vec::new(),
            untracked: Vec::new(),
            kept: Vec::new(),
        };
        for change in changes {
            let entry = now.entry(&change.path);
            match (obstacle(root, change, entry), entry) {
                (Some(why), _) => plan.kept.push(Kept { path: change.path.clone(), why }),
                (None, Some(entry)) if entry.untracked => plan.untracked.push(change.path.clone()),
                (None, Some(_)) => plan.tracked.push(change.path.clone()),
                (None, None) => {}
            }
        }
        Ok(plan)
    }

    pub(super) fn patch(&self, root: &Path) -> Result<Vec<u8>, TreeError> {
        let mut bytes = Vec::new();
        if !self.tracked.is_empty() {
            patch::add_tracked(root, &self.base(root)?, &self.tracked, &mut bytes)?;
        }
        if !self.untracked.is_empty() {
            patch::add_untracked(root, &self.untracked, &mut bytes)?;
        }
        Ok(bytes)
    }

    pub(super) fn carry_out(mut self, root: &Path) -> Result<Undone, TreeError> {
        let mut undone = Vec::new();
        // New files first: one may stand where a folder was, or the other way round.
        for path in std::mem::take(&mut self.untracked) {
            match unlink(root, &path) {
                Ok(()) => undone.push(path),
                Err(error) => self.kept.push(Kept { path, why: format!("cannot be removed: {error}") }),
            }
        }
        if !self.tracked.is_empty() {
            let source = format!("--source={}", self.base(root)?);
            let args = [
                "restore",
                source.as_str(),
                "--staged",
                "--worktree",
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ];
            Git::new(root).edit(&args, &nul_list(&self.tracked))?;
            undone.append(&mut self.tracked);
        }
        undone.sort();
        Ok(Undone { undone, kept: self.kept })
    }

    /// What files are compared with and restored from; without commits, the tree that has none.
    fn base(&self, root: &Path) -> Result<String, TreeError> {
        if self.has_commits {
            return Ok("HEAD".to_owned());
        }
        Ok(Git::new(root).print(&["hash-object", "-t", "tree", "--stdin"])?)
    }
}

/// Why a change cannot be undone.
fn obstacle(root: &Path, change: &Change, now: Option<&Entry>) -> Option<String> {
    let bytes = || root.join(change.path.as_path()).symlink_metadata().map_or(0, |meta| meta.len());
    let why = if change.kind == ChangeKind::HeadMoved {
        "moved, and commits are never undone here; see git reflog"
    } else if change.path.as_bytes().ends_with(b"/") {
        "is a repository of its own"
    } else if !change.path.is_inside() {
        "is not a path inside the work tree"
    } else if change.dirty_before {
        "had changes before as well, which git cannot bring back"
    } else if now.is_some_and(|entry| entry.submodule) {
        "is a submodule"
    } else if now.is_some_and(|entry| entry.facts.starts_with('u')) {
        "belongs to a merge that is not finished"
    } else if bytes() > LARGEST {
        "is too large for a patch"
    } else {
        return None;
    };
    Some(why.to_owned())
}
