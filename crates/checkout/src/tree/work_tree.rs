//! A work tree with the git folder that belongs to it. Both are named in every call of git: a setting that an agent may
//! have made (`core.worktree`) leads git nowhere else.

use super::error::TreeError;
use super::index::Index;
use super::uncached::uncached;
use crate::located::repository_in_use;
use charrette_git::{Git, is_redirected};
use charrette_store::Repository;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Work tree and repository in use there.
#[derive(Debug)]
pub(super) struct WorkTree<'a> {
    pub(super) root: &'a Path,
    repository: Repository,
    /// Git folder to name; none where the environment does.
    named: Option<PathBuf>,
}

impl<'a> WorkTree<'a> {
    /// The work tree at `root`.
    pub(super) fn open(root: &'a Path) -> Result<WorkTree<'a>, TreeError> {
        let repository = repository_in_use(root)?.ok_or_else(|| TreeError::NoRepository(root.to_owned()))?;
        let named = named_git_dir(&repository, 0);
        Ok(WorkTree { root, repository, named })
    }

    /// Git there, without its cache of the history.
    pub(super) fn git(&self) -> Git<'_> {
        uncached(git_in(self.root, self.named.as_deref()))
    }

    /// Folder with the files of this work tree.
    pub(super) fn git_dir(&self) -> &Path {
        self.repository.git_dir()
    }

    pub(super) fn read_index(&self) -> Result<Arc<Index>, TreeError> {
        Index::read(self.git(), &self.git_dir().join("index"))
    }
}

/// Git folder to name for a repository that is that deep in other ones. The environment may name that of the outermost one.
pub(super) fn named_git_dir(repository: &Repository, depth: usize) -> Option<PathBuf> {
    (depth > 0 || !is_redirected()).then(|| repository.git_dir().to_owned())
}

/// Git in the work tree at `root`, of which this is the git folder, unless the environment names it.
pub(super) fn git_in<'a>(root: &'a Path, git_dir: Option<&'a Path>) -> Git<'a> {
    match git_dir {
        Some(git_dir) => Git::new(root).in_worktree(git_dir, root),
        None => Git::new(root),
    }
}
