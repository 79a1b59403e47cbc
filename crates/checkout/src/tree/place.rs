//! What `.git` is: a folder, a link, a file that names a folder, or nothing where the environment does. Whoever replaces it
//! chooses the repository.

use super::digests::{is_absent, text};
use super::error::TreeError;
use charrette_store::Repository;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt as _;

/// The repository's place at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GitPlace {
    kind: String,
    /// Target of a link, or content of a file; empty for a folder.
    target: String,
    /// The folders that it leads to. Not kept across processes, and perhaps a restart of the system.
    #[serde(skip)]
    inodes: Option<[u64; 2]>,
}

impl GitPlace {
    pub(super) fn read(repository: &Repository) -> Result<GitPlace, TreeError> {
        let dot_git = repository.work_tree.join(".git");
        let kind = match dot_git.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => "link",
            Ok(meta) if meta.is_dir() => "folder",
            Ok(_) => "file",
            // The environment names the folder.
            Err(error) if is_absent(&error) => "nothing",
            Err(error) => return Err(error.into()),
        };
        let inode = |folder| fs_err::metadata(folder).map(|meta| meta.ino());
        Ok(GitPlace {
            kind: kind.to_owned(),
            target: text(&dot_git)?.unwrap_or_default(),
            inodes: Some([inode(repository.git_dir())?, inode(repository.common_dir())?]),
        })
    }

    /// True if a later one leads to the same repository in the same way.
    pub(super) fn is_same(&self, later: &GitPlace) -> bool {
        let has_same_folders = match (self.inodes, later.inodes) {
            (Some(then), Some(now)) => then == now,
            _ => true,
        };
        (&self.kind, &self.target) == (&later.kind, &later.target) && has_same_folders
    }
}
