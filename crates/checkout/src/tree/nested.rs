//! Repositories below the work tree, and folders of submodules that were not fetched: git tells of them that they differ,
//! but not how, and of some nothing at all.

use super::changes::compare;
use super::error::TreeError;
use super::index::Index;
use super::snapshot::{Signature, Snapshot};
use super::watched::WatchedSnapshot;
use charrette_model::tree::{ChangeKind, OwnPaths, TreeChange, TreePath};
use charrette_store::{Location, locate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Maximum depth of repositories in repositories.
const MAX_DEPTH: usize = 8;
/// Maximum number of files that are looked at in a folder without a repository.
const MAX_FILES: usize = 20_000;

/// Folders of submodules and other repositories by path.
pub(super) type NestedFolders = BTreeMap<TreePath, NestedFolder>;

/// Folder of a submodule or of another repository below the work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum NestedFolder {
    Repository(Box<WatchedSnapshot>),
    /// Folder without a repository, with its files.
    Files(#[serde(with = "super::pairs")] BTreeMap<TreePath, Signature>),
    /// Repository that git cannot read, with the reason.
    Unreadable(String),
}

/// Looks into the folders of all submodules in the index, and of all repositories that the snapshot lists.
pub(super) fn read_nested(
    root: &Path,
    index: &Index,
    snapshot: &Snapshot,
    depth: usize,
) -> Result<NestedFolders, TreeError> {
    let submodules = index.entries.iter().filter(|entry| entry.is_submodule).map(|entry| entry.path.clone());
    let others = snapshot.entries.iter().filter_map(|entry| entry.path.as_bytes().strip_suffix(b"/"));
    let paths = submodules.chain(others.map(TreePath::new)).filter(|_| depth < MAX_DEPTH);
    let read = |path: TreePath| Ok((path.clone(), NestedFolder::read(&root.join(path.as_path()), depth)?));
    paths.map(read).collect()
}

impl NestedFolder {
    fn read(folder: &Path, depth: usize) -> Result<NestedFolder, TreeError> {
        // Without a repository of its own, git would look at the one around it.
        let has_repository = folder.join(".git").symlink_metadata().is_ok()
            && matches!(locate(folder), Ok(Location::WorkTree(found)) if found.work_tree == folder);
        if !has_repository {
            let mut files = BTreeMap::new();
            add_files(folder, b"", &mut files)?;
            return Ok(NestedFolder::Files(files));
        }
        Ok(match WatchedSnapshot::take_nested(folder, depth + 1) {
            Ok(snapshot) => NestedFolder::Repository(Box::new(snapshot)),
            Err(error) => NestedFolder::Unreadable(error.to_string()),
        })
    }

    /// Changes of the files in the folder, which is at `folder`, by their paths below it; a path without a name stands for
    /// the whole.
    fn changes(&self, later: &NestedFolder, folder: &Path) -> Vec<TreeChange> {
        let change = |path: TreePath, kind| TreeChange { path, kind, dirty_before: true, restored: false };
        match (self, later) {
            (NestedFolder::Repository(before), NestedFolder::Repository(after)) => {
                let mut changes = before.changes(after, &OwnPaths::default(), folder);
                for change in &mut changes {
                    if change.kind == ChangeKind::HeadMoved {
                        (change.path, change.kind) = (TreePath::new(""), ChangeKind::Modified);
                    }
                }
                changes
            }
            (NestedFolder::Files(before), NestedFolder::Files(after)) => {
                compare(before, after).map(|(path, kind)| change(path.clone(), kind)).collect()
            }
            (before, after) if before == after => Vec::new(),
            _ => vec![change(TreePath::new(""), ChangeKind::Modified)],
        }
    }
}

/// Changes in folders that were there before and still are; git tells of others.
pub(super) fn nested_changes(before: &NestedFolders, after: &NestedFolders, root: &Path) -> Vec<TreeChange> {
    let both = after.iter().filter_map(|(path, after)| Some((path, before.get(path)?, after)));
    let changes = both.flat_map(|(path, before, after)| {
        let changes = before.changes(after, &root.join(path.as_path()));
        changes.into_iter().map(move |change| {
            let below = change.path.as_bytes();
            let path = if below.is_empty() {
                path.clone()
            } else {
                TreePath::new([path.as_bytes(), b"/", below].concat())
            };
            TreeChange { path, ..change }
        })
    });
    changes.collect()
}

/// True if the repositories below, and what they have checked out, are as they were.
pub(super) fn have_same_git_files(nested: &NestedFolders, root: &Path, depth: usize) -> bool {
    nested.iter().all(|(path, folder)| match folder {
        NestedFolder::Repository(snapshot) => {
            snapshot.has_same_git_files_at(&root.join(path.as_path()), depth + 1)
        }
        NestedFolder::Files(_) | NestedFolder::Unreadable(_) => true,
    })
}

/// Adds the files below a folder, by their paths below the first one. Links are not followed.
fn add_files(
    folder: &Path,
    prefix: &[u8],
    files: &mut BTreeMap<TreePath, Signature>,
) -> Result<(), TreeError> {
    let entries = match fs_err::read_dir(folder) {
        Err(_) if !folder.is_dir() => return Ok(()),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        let path = [prefix, entry.file_name().as_bytes()].concat();
        if files.len() >= MAX_FILES {
            return Ok(());
        }
        if entry.file_type()?.is_dir() {
            add_files(&entry.path(), &[&path, &b"/"[..]].concat(), files)?;
        } else {
            files.extend(Signature::read(&entry.path()).map(|signature| (TreePath::new(path), signature)));
        }
    }
    Ok(())
}
