//! Undoing what changed, and nothing else.

use super::changes::{Change, ChangeKind};
use super::git::{TreeError, ask, command};
use super::patch;
use super::path::TreePath;
use super::snapshot::{Entry, Snapshot};
use super::unlink::unlink;
use std::path::{Path, PathBuf};

/// Larger files are not put into a patch, so they are not undone either.
const LARGEST: u64 = 64 << 20;

/// What came of undoing changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discarded {
    /// Where the patch is that brings them back; none if there was nothing to undo.
    pub patch: Option<PathBuf>,
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

/// Makes every path that changed as committed again, after writing a patch of it to `patch`.
///
/// Left alone, and told: what was not as committed before, because git does not have that version; a moved HEAD,
/// because commits are somebody's work; submodules, unfinished merges and very large files. What is as committed
/// by now needs nothing. New folders stay, empty. If git fails, the patch is there and some paths are undone.
pub fn discard(root: &Path, changes: &[Change], patch: &Path) -> Result<Discarded, TreeError> {
    let now = Snapshot::take(root)?;
    let mut done = Discarded::default();
    let (mut tracked, mut untracked) = (Vec::new(), Vec::new());
    for change in changes {
        let entry = now.entry(&change.path);
        match (obstacle(root, change, entry), entry) {
            (Some(why), _) => done.kept.push(Kept { path: change.path.clone(), why }),
            (None, Some(entry)) if entry.untracked => untracked.push(change.path.clone()),
            (None, Some(_)) => tracked.push(change.path.clone()),
            (None, None) => {}
        }
    }
    if tracked.is_empty() && untracked.is_empty() {
        return Ok(done);
    }
    let base = match now.head {
        Some(_) => "HEAD".to_owned(),
        None => empty_tree(root)?,
    };
    done.patch = Some(patch::write(root, &base, &tracked, &untracked, patch)?);
    // New files first: one may stand where a folder was, or the other way round.
    for path in untracked {
        match unlink(root, &path) {
            Ok(()) => done.undone.push(path),
            Err(error) => done.kept.push(Kept { path, why: format!("cannot be removed: {error}") }),
        }
    }
    if !tracked.is_empty() {
        let source = format!("--source={base}");
        let args = [
            "restore",
            source.as_str(),
            "--staged",
            "--worktree",
            "--pathspec-from-file=-",
            "--pathspec-file-nul",
        ];
        ask(command(root, &args), &patch::nul_list(&tracked))?;
        done.undone.append(&mut tracked);
    }
    done.undone.sort();
    Ok(done)
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

/// What a repository without commits is compared with.
fn empty_tree(root: &Path) -> Result<String, TreeError> {
    let answer = ask(command(root, &["hash-object", "-t", "tree", "--stdin"]), b"")?;
    Ok(String::from_utf8_lossy(&answer).trim_end().to_owned())
}
