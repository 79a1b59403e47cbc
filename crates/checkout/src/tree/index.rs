//! Git's index: the tracked paths with their contents, and which of them git was told not to look at
//! (`assume-unchanged`, `skip-worktree`). Changes of those are invisible to `git status`.
//!
//! The index is read directly, because that costs no process. Formats that this reader does not know (a split or a
//! sparse index) are left to `git ls-files`. What was read is kept until the file changes.

use super::digests::is_absent;
use super::error::TreeError;
use super::known::Known;
use charrette_git::Git;
use charrette_model::tree::TreePath;
use charrette_store::Signature;
use charrette_store::workspace::sha256;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Bytes of an entry before its flags: times, device, inode, mode, owner, size, and the object id follows.
const STAT_BYTES: usize = 40;
/// Where the mode is among them.
const MODE: usize = 24;

const ASSUME_UNCHANGED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const SKIP_WORKTREE: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;

/// Mode of a submodule.
const SUBMODULE: u32 = 0o160_000;

/// Lengths of object ids, and of the hash at the end of the index.
const ID_BYTES: [usize; 2] = [20, 32];

/// An entry of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) path: TreePath,
    /// True if git was told not to look at the file.
    pub(crate) is_flagged: bool,
    mode: u32,
    id: Vec<u8>,
}

impl IndexEntry {
    /// True for a submodule.
    pub(super) fn is_submodule(&self) -> bool {
        self.mode == SUBMODULE
    }

    /// True if both have the same content.
    pub(super) fn has_content_of(&self, other: &IndexEntry) -> bool {
        (self.mode, &self.id) == (other.mode, &other.id)
    }

    /// Object id of the content, as git writes it.
    pub(super) fn object_id(&self) -> String {
        let mut text = String::with_capacity(2 * self.id.len());
        for byte in &self.id {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// Entries of an index, sorted by path, each path once.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) entries: Vec<IndexEntry>,
    /// Digest of all paths and contents.
    pub(super) digest: String,
}

impl Index {
    fn new(mut entries: Vec<IndexEntry>) -> Index {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        // An unfinished merge has several entries per path.
        entries.dedup_by(|a, b| a.path == b.path);
        let mut bytes = Vec::new();
        for entry in &entries {
            bytes.extend_from_slice(entry.path.as_bytes());
            bytes.push(0);
            bytes.extend_from_slice(&entry.mode.to_be_bytes());
            bytes.extend_from_slice(&entry.id);
        }
        Index { entries, digest: sha256(&bytes) }
    }

    pub(super) fn entry(&self, path: &TreePath) -> Option<&IndexEntry> {
        self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok().map(|at| &self.entries[at])
    }

    /// Reads the index at `file`; git is asked in `root` if the format is unknown.
    pub(super) fn read(root: &Path, file: &Path) -> Result<Arc<Index>, TreeError> {
        static KNOWN: Known<Arc<Index>> = Known::new();
        let meta = match file.metadata() {
            Err(error) if is_absent(&error) => return Ok(Arc::default()),
            other => other?,
        };
        let signature = Signature::of(&meta);
        if let Some(index) = KNOWN.find(file, signature) {
            return Ok(index);
        }
        let entries = match fs_err::read(file) {
            Err(error) if is_absent(&error) => return Ok(Arc::default()),
            other => match parse(&other?) {
                Some(entries) => entries,
                None => list_index(Git::new(root))?,
            },
        };
        let index = Arc::new(Index::new(entries));
        KNOWN.keep(file, signature, &index);
        Ok(index)
    }
}

/// Entries as `git ls-files` lists them: flagged ones with a lower-case letter, or with `S`.
pub(crate) fn list_index(git: Git<'_>) -> Result<Vec<IndexEntry>, TreeError> {
    let listed = git.bytes(&["ls-files", "-v", "--stage", "-z"])?;
    Ok(listed.split(|byte| *byte == 0).filter_map(parse_listed).collect())
}

/// Parses the letter, mode, id and stage of an entry, and its path after a tab.
fn parse_listed(record: &[u8]) -> Option<IndexEntry> {
    let at = record.iter().position(|byte| *byte == b'\t')?;
    let facts = String::from_utf8_lossy(&record[..at]);
    let mut facts = facts.split(' ');
    let (letter, mode, id) = (facts.next()?, facts.next()?, facts.next()?);
    let byte = |at: usize| u8::from_str_radix(id.get(at..at + 2)?, 16).ok();
    Some(IndexEntry {
        path: TreePath::new(&record[at + 1..]),
        is_flagged: letter == "S" || letter.starts_with(|letter: char| letter.is_ascii_lowercase()),
        mode: u32::from_str_radix(mode, 8).ok()?,
        id: (0..id.len() / 2).map(|at| byte(2 * at)).collect::<Option<_>>()?,
    })
}

/// None if the format is unknown or the file is torn.
pub(crate) fn parse(bytes: &[u8]) -> Option<Vec<IndexEntry>> {
    // Nothing in the file says how long ids are; with the wrong length it does not end where it should.
    ID_BYTES.into_iter().find_map(|id_bytes| parse_entries(bytes, id_bytes))
}

fn parse_entries(bytes: &[u8], id_bytes: usize) -> Option<Vec<IndexEntry>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    if !(2..=4).contains(&version) {
        return None;
    }
    let (mut at, mut path, mut entries) = (12, Vec::new(), Vec::new());
    for _ in 0..count {
        let start = at;
        let mode = number(at + MODE)?;
        at += STAT_BYTES + id_bytes;
        let id = bytes.get(at - id_bytes..at)?.to_owned();
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
        entries.push(IndexEntry { path: TreePath::new(path.clone()), is_flagged, mode, id });
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
