//! The repository of a work tree. The environment may say that it is elsewhere (`GIT_DIR`); then git is asked.

use charrette_git::is_redirected;
use charrette_store::repository::locate_with_git;
use charrette_store::{Location, Repository, locate};
use std::io;
use std::path::Path;

/// The repository that git uses in the work tree at `root`; none if there is none, or only that of a folder around it.
pub(crate) fn repository_in_use(root: &Path) -> io::Result<Option<Repository>> {
    if !is_redirected()
        && let location @ Location::WorkTree(_) = locate(root)?
    {
        return Ok(with_root(location, root));
    }
    Ok(with_root(locate_with_git(root)?, root))
}

/// The same on disk only, for a repository that the environment does not name.
pub(crate) fn repository_on_disk(root: &Path) -> io::Result<Option<Repository>> {
    Ok(with_root(locate(root)?, root))
}

/// The repository found, if its work tree is at `root`.
fn with_root(location: Location, root: &Path) -> Option<Repository> {
    let canonical = |path: &Path| path.canonicalize().ok();
    match location {
        Location::WorkTree(found)
            if found.work_tree == root
                || canonical(root).is_some_and(|root| canonical(&found.work_tree) == Some(root)) =>
        {
            Some(found)
        }
        _ => None,
    }
}
