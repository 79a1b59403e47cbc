//! Gitlinks of an index: the paths at which git looks for another repository.

use super::watched::Signature;
use crate::index_file::{IndexRecord, parse_index, parse_index_list};
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Paths relative to the work tree.
pub(super) type Gitlinks = Arc<Vec<PathBuf>>;

static KNOWN: LazyLock<Mutex<HashMap<PathBuf, (Signature, Gitlinks)>>> = LazyLock::new(Mutex::default);

/// Gitlinks of an index; `ask` has git list it ([`crate::LIST_INDEX`]) if its format is unknown.
pub(super) fn gitlinks(index: &Path, ask: impl FnOnce() -> Vec<u8>) -> Gitlinks {
    find(index, || Some(parse_index_list(&ask(), path_of_gitlink))).unwrap_or_default()
}

/// Gitlinks of an index; none if git would have to be asked.
pub(super) fn gitlinks_without_asking(index: &Path) -> Option<Gitlinks> {
    find(index, || None)
}

fn find(index: &Path, ask: impl FnOnce() -> Option<Vec<PathBuf>>) -> Option<Gitlinks> {
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(signature) = Signature::read(index) else { return Some(Gitlinks::default()) };
    if let Some((then, found)) = known().get(index)
        && *then == signature
    {
        return Some(found.clone());
    }
    let bytes = fs_err::read(index).unwrap_or_default();
    let found = Arc::new(parse_index(&bytes, path_of_gitlink).or_else(ask)?);
    if signature.is_settled() {
        known().insert(index.to_owned(), (signature, found.clone()));
    }
    Some(found)
}

fn path_of_gitlink(record: IndexRecord<'_>) -> Option<PathBuf> {
    record.is_gitlink().then(|| PathBuf::from(OsString::from_vec(record.path.to_owned())))
}
