//! The repository of a work tree. The environment may say that it is elsewhere (`GIT_DIR`); then git is asked.

use charrette_git::is_redirected;
use charrette_store::repository::locate_with_git;
use charrette_store::{Location, Repository, locate};
use std::io;
use std::path::Path;

/// The repository that git uses in the work tree at `root`; none if there is none.
pub(crate) fn repository_in_use(root: &Path) -> io::Result<Option<Repository>> {
    if !is_redirected()
        && let Location::WorkTree(repository) = locate(root)?
    {
        return Ok(Some(repository));
    }
    match locate_with_git(root)? {
        Location::WorkTree(repository) => Ok(Some(repository)),
        Location::Bare(_) | Location::Outside => Ok(None),
    }
}
