//! Gitlinks of an index: the paths at which git looks for another repository.
//!
//! The index is read directly, because that costs no process. Formats that this reader does not know (a split or a sparse
//! index) are left to `git ls-files`.

use super::watched::Signature;
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Mode of a gitlink.
const GITLINK: u32 = 0o160_000;
/// Bytes of an entry ahead of its mode: times, device, inode.
const BYTES_AHEAD: usize = 24;
/// Bytes of an entry ahead of its object id: those, mode, owner, size.
const STAT_BYTES: usize = 40;
/// Lengths of object ids.
const ID_BYTES: [usize; 2] = [20, 32];

const EXTENDED: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;

/// Paths relative to the work tree.
pub(super) type Gitlinks = Arc<Vec<PathBuf>>;

static KNOWN: LazyLock<Mutex<HashMap<PathBuf, (Signature, Gitlinks)>>> = LazyLock::new(Mutex::default);

/// Gitlinks of an index; `ask` lists it with `git ls-files --stage -z` if its format is unknown.
pub(super) fn gitlinks(index: &Path, ask: impl FnOnce() -> Vec<u8>) -> Gitlinks {
    find(index, || Some(parse_list(&ask()))).unwrap_or_default()
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
    let found = Arc::new(parse(&bytes).or_else(ask)?);
    if signature.is_settled() {
        known().insert(index.to_owned(), (signature, found.clone()));
    }
    Some(found)
}

/// Gitlinks of an index; none if its format is unknown or it is torn.
fn parse(bytes: &[u8]) -> Option<Vec<PathBuf>> {
    ID_BYTES.into_iter().find_map(|id_bytes| parse_with(bytes, id_bytes))
}

fn parse_with(bytes: &[u8], id_bytes: usize) -> Option<Vec<PathBuf>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let short = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    if !(2..=4).contains(&version) {
        return None;
    }
    let (mut at, mut path, mut found) = (12, Vec::new(), Vec::new());
    for _ in 0..count {
        let start = at;
        let mode = number(at + BYTES_AHEAD)?;
        at += STAT_BYTES + id_bytes;
        let flags = short(at)?;
        at += if flags & EXTENDED == 0 { 2 } else { 4 };
        if version == 4 {
            let (removed, used) = variable_length(bytes.get(at..)?)?;
            at += used;
            path.truncate(path.len().checked_sub(removed)?);
        } else {
            path.clear();
        }
        let length = bytes.get(at..)?.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(&bytes[at..at + length]);
        let expected = usize::from(flags & NAME_LENGTH);
        let is_whole = path.len() == expected || expected == usize::from(NAME_LENGTH);
        // A folder is an entry of a sparse index.
        if !is_whole || path.is_empty() || path.ends_with(b"/") {
            return None;
        }
        at += length + 1;
        if version < 4 {
            at = start + (at - start).div_ceil(8) * 8;
        }
        if mode & 0o170_000 == GITLINK {
            found.push(PathBuf::from(OsString::from_vec(path.clone())));
        }
    }
    // Extensions follow; one that starts with a lower-case letter changes how the entries are to be read.
    while bytes.len().checked_sub(at)? > id_bytes {
        if bytes.get(at)?.is_ascii_lowercase() {
            return None;
        }
        at = at.checked_add(8)?.checked_add(usize::try_from(number(at + 4)?).ok()?)?;
    }
    (bytes.len() == at + id_bytes).then_some(found)
}

/// A number of variable length as in pack files, and the bytes it takes.
fn variable_length(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut used = 1;
    while bytes[used - 1] & 0x80 != 0 {
        let next = *bytes.get(used)?;
        value = (value.checked_add(1)?.checked_mul(128)?).checked_add(usize::from(next & 0x7f))?;
        used += 1;
    }
    Some((value, used))
}

/// Gitlinks of a list as `git ls-files --stage -z` prints it.
fn parse_list(listed: &[u8]) -> Vec<PathBuf> {
    let gitlink = |record: &[u8]| {
        let at = record.iter().position(|byte| *byte == b'\t')?;
        record.starts_with(b"160000 ").then(|| PathBuf::from(OsString::from_vec(record[at + 1..].to_owned())))
    };
    listed.split(|byte| *byte == 0).filter_map(gitlink).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_or_foreign_index_is_left_to_git() {
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x01", b"JUNKJUNKJUNK", &[0; 64]] {
            assert_eq!(parse(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_list_of_git_is_read() {
        let listed = b"100644 aa 0\ta.txt\x00160000 bb 0\tlib/\xff\x00120000 cc 0\tlink\x00";
        assert_eq!(parse_list(listed), [PathBuf::from(OsString::from_vec(b"lib/\xff".to_vec()))]);
    }
}
