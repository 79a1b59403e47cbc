//! Git's index: the tracked paths, and which of them git was told not to look at (`assume-unchanged`, `skip-worktree`).
//! Changes of those are invisible to `git status`.
//!
//! The index is read directly, because that costs no process. Formats that this reader does not know (a split or a
//! sparse index) are left to `git ls-files`.

use super::error::TreeError;
use charrette_git::Git;
use charrette_model::tree::TreePath;
use std::io;
use std::path::Path;

/// Bytes of an entry before its flags: times, device, inode, mode, owner, size, and the object id follows.
const STAT_BYTES: usize = 40;

const ASSUME_UNCHANGED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const SKIP_WORKTREE: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;

/// An entry of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) path: TreePath,
    /// True if git was told not to look at the file.
    pub(crate) is_flagged: bool,
}

/// Entries of the index at `index`, sorted; git is asked in `root` if the format is unknown.
pub(super) fn read_index(root: &Path, index: &Path) -> Result<Vec<IndexEntry>, TreeError> {
    let bytes = match fs_err::read(index) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut entries = match parse(&bytes) {
        Some(entries) => entries,
        None => list_index(Git::new(root))?,
    };
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    // An unfinished merge has several entries per path.
    entries.dedup_by(|a, b| a.path == b.path);
    Ok(entries)
}

/// Entries as `git ls-files -v` lists them: flagged ones with a lower-case letter, or with `S`.
pub(crate) fn list_index(git: Git<'_>) -> Result<Vec<IndexEntry>, TreeError> {
    let listed = git.bytes(&["ls-files", "-v", "-z"])?;
    let entry = |record: &[u8]| {
        let tag = *record.first()?;
        let path = TreePath::new(record.get(2..)?);
        Some(IndexEntry { path, is_flagged: tag.is_ascii_lowercase() || tag == b'S' })
    };
    Ok(listed.split(|byte| *byte == 0).filter_map(entry).collect())
}

/// None if the format is unknown or the file is torn.
pub(crate) fn parse(bytes: &[u8]) -> Option<Vec<IndexEntry>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    if !(2..=4).contains(&version) {
        return None;
    }
    // The index ends with a hash of its own, as long as object ids. The longer kind is left to git.
    let id_bytes = 20;
    let (mut at, mut path, mut entries) = (12, Vec::new(), Vec::new());
    for _ in 0..count {
        let start = at;
        at += STAT_BYTES + id_bytes;
        let flags = u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?);
        at += 2;
        let mut is_skipped = false;
        if flags & EXTENDED != 0 {
            let more = u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?);
            is_skipped = more & SKIP_WORKTREE != 0;
            at += 2;
        }
        if version == 4 {
            let (removed, used) = variable_length(bytes.get(at..)?)?;
            at += used;
            path.truncate(path.len().checked_sub(removed)?);
        } else {
            path.clear();
        }
        let length = bytes.get(at..)?.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(&bytes[at..at + length]);
        let is_whole =
            version == 4 || length >= usize::from(NAME_LENGTH) || length == usize::from(flags & NAME_LENGTH);
        // A folder is an entry of a sparse index.
        if !is_whole || path.is_empty() || path.ends_with(b"/") {
            return None;
        }
        at += length + 1;
        if version < 4 {
            at = start + (at - start).div_ceil(8) * 8;
        }
        let is_flagged = flags & ASSUME_UNCHANGED != 0 || is_skipped;
        entries.push(IndexEntry { path: TreePath::new(path.clone()), is_flagged });
    }
    // Extensions follow; one that starts with a lower-case letter changes how the entries are to be read.
    while bytes.len().checked_sub(at)? > id_bytes {
        if bytes.get(at)?.is_ascii_lowercase() {
            return None;
        }
        at += 8 + usize::try_from(number(at + 4)?).ok()?;
    }
    (bytes.len() == at + id_bytes).then_some(entries)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_or_foreign_file_is_left_to_git() {
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x01", b"JUNKJUNKJUNK", &[0; 64]] {
            assert_eq!(parse(bytes), None, "{bytes:?}");
        }
    }
}
