//! Gitlinks of an index: the paths at which git looks for another repository.

use super::watched::Watched;
use crate::index_file::{IndexRecord, MAX_INDEX, parse_index, parse_index_list};
use crate::process::GitError;
use crate::regular::read_regular;
use crate::signature::Signature;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Paths relative to the work tree.
pub(super) type Gitlinks = Arc<Vec<PathBuf>>;

static KNOWN: LazyLock<Mutex<HashMap<PathBuf, (Signature, Gitlinks)>>> = LazyLock::new(Mutex::default);

/// Gitlinks of an index; `ask` has git list it ([`crate::LIST_INDEX`]) if its format is unknown.
pub(super) fn gitlinks(
    index: &Path,
    ask: impl FnOnce() -> Result<Vec<u8>, GitError>,
) -> Result<Gitlinks, GitError> {
    let found = find(index, || ask().map(|listed| Some(parse_index_list(&listed, path_of_gitlink))))?;
    Ok(found.unwrap_or_default())
}

/// Gitlinks of an index; none if git would have to be asked.
pub(super) fn gitlinks_without_asking(index: &Path) -> Result<Option<Gitlinks>, GitError> {
    find(index, || Ok(None))
}

/// The first link on the way from a work tree to a gitlink. Git takes such a path for a file, and does not look behind it.
pub(super) fn link_on_the_way(work_tree: &Path, gitlink: &Path) -> Option<Watched> {
    let mut path = work_tree.to_owned();
    gitlink.components().find_map(|name| {
        path.push(name);
        Watched::link(&path)
    })
}

fn find(
    index: &Path,
    ask: impl FnOnce() -> Result<Option<Vec<PathBuf>>, GitError>,
) -> Result<Option<Gitlinks>, GitError> {
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let Ok(meta) = index.metadata() else { return Ok(Some(Gitlinks::default())) };
    let signature = Signature::of(&meta);
    if let Some((then, found)) = known().get(index)
        && *then == signature
    {
        return Ok(Some(found.clone()));
    }
    let bytes = match read_regular(index, MAX_INDEX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(Gitlinks::default())),
        read => read.map_err(|error| GitError::unreadable(&error))?,
    };
    let found = match parse_index(&bytes, path_of_gitlink) {
        Some(found) => found,
        None => match ask()? {
            Some(found) => found,
            None => return Ok(None),
        },
    };
    let found = Arc::new(found);
    if let Some(signature) = signature.settled() {
        known().insert(index.to_owned(), (signature, found.clone()));
    }
    Ok(Some(found))
}

fn path_of_gitlink(record: IndexRecord<'_>) -> Option<PathBuf> {
    record.is_gitlink().then(|| PathBuf::from(OsString::from_vec(record.path.to_owned())))
}
