//! Git's index, read without a process.
//!
//! Formats that this reader does not know (a split or a sparse index) and torn files are left to `git ls-files`, whose
//! list [`parse_index_list`] reads.

/// Maximum size of an index that is read: some millions of files.
pub const MAX_INDEX: u64 = 512 << 20;

/// Mode of a gitlink: the commit of another repository, usually a submodule.
const GITLINK: u32 = 0o160_000;

/// Bytes of an entry ahead of its mode: times, device, inode.
const MODE_AT: usize = 24;
/// Bytes of an entry ahead of its object id: those, mode, owner, size.
const ID_AT: usize = 40;
/// Lengths of object ids, and of the hash at the end of the file.
const ID_LENGTHS: [usize; 2] = [20, 32];

const ASSUME_UNCHANGED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const SKIP_WORKTREE: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;

/// Arguments of git for the list that [`parse_index_list`] reads.
pub const LIST_INDEX: [&str; 4] = ["ls-files", "-v", "--stage", "-z"];

/// An entry of the index: a tracked path and its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexRecord<'a> {
    pub path: &'a [u8],
    pub mode: u32,
    /// Object id of the content, in bytes.
    pub id: &'a [u8],
    /// True if git was told not to look at the file (`assume-unchanged`, `skip-worktree`).
    pub is_flagged: bool,
}

impl IndexRecord<'_> {
    /// True for a path at which git looks for another repository.
    pub fn is_gitlink(&self) -> bool {
        self.mode == GITLINK
    }
}

/// What `pick` makes of each entry of an index, in the order of the file. None if the format is unknown or the file is torn.
pub fn parse_index<T>(bytes: &[u8], pick: impl Fn(IndexRecord<'_>) -> Option<T>) -> Option<Vec<T>> {
    // Nothing in the file says how long ids are; with the wrong length it does not end where it should.
    ID_LENGTHS.into_iter().find_map(|id_length| parse_with(bytes, id_length, &pick))
}

fn parse_with<T>(
    bytes: &[u8],
    id_length: usize,
    pick: &impl Fn(IndexRecord<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let short = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    if !(2..=4).contains(&version) {
        return None;
    }
    let (mut at, mut path, mut picked) = (12, Vec::new(), Vec::new());
    for _ in 0..count {
        let start = at;
        let mode = number(at + MODE_AT)?;
        at += ID_AT + id_length;
        let id = bytes.get(at - id_length..at)?;
        let flags = short(at)?;
        at += 2;
        let mut is_skipped = false;
        if flags & EXTENDED != 0 {
            is_skipped = short(at)? & SKIP_WORKTREE != 0;
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
        let is_flagged = flags & ASSUME_UNCHANGED != 0 || is_skipped;
        picked.extend(pick(IndexRecord { path: &path, mode, id, is_flagged }));
    }
    // Extensions follow; one that starts with a lower-case letter changes how the entries are to be read.
    while bytes.len().checked_sub(at)? > id_length {
        if bytes.get(at)?.is_ascii_lowercase() {
            return None;
        }
        at = at.checked_add(8)?.checked_add(usize::try_from(number(at + 4)?).ok()?)?;
    }
    (bytes.len() == at + id_length).then_some(picked)
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

/// What `pick` makes of each entry of a list that git printed for [`LIST_INDEX`].
pub fn parse_index_list<T>(listed: &[u8], pick: impl Fn(IndexRecord<'_>) -> Option<T>) -> Vec<T> {
    listed.split(|byte| *byte == 0).filter_map(|record| parse_listed(record, &pick)).collect()
}

/// Parses the letter, mode, id and stage of an entry, and its path after a tab.
fn parse_listed<T>(record: &[u8], pick: &impl Fn(IndexRecord<'_>) -> Option<T>) -> Option<T> {
    let at = record.iter().position(|byte| *byte == b'\t')?;
    let facts = std::str::from_utf8(&record[..at]).ok()?;
    let mut facts = facts.split(' ');
    let (letter, mode, id) = (facts.next()?, facts.next()?, facts.next()?);
    let byte = |at: usize| u8::from_str_radix(id.get(at..at + 2)?, 16).ok();
    let id: Vec<u8> = (0..id.len() / 2).map(|at| byte(2 * at)).collect::<Option<_>>()?;
    pick(IndexRecord {
        path: &record[at + 1..],
        mode: u32::from_str_radix(mode, 8).ok()?,
        id: &id,
        is_flagged: letter == "S" || letter.starts_with(|letter: char| letter.is_ascii_lowercase()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
        parse_index(bytes, |record| Some(record.path.to_owned()))
    }

    /// An index with one file and an extension of that length, as far as it says.
    fn with_extension(length: u32) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
        bytes.extend([0; MODE_AT]);
        bytes.extend(0o100_644_u32.to_be_bytes());
        bytes.extend([0; ID_AT - MODE_AT - 4]);
        bytes.extend([7; 20]);
        bytes.extend([0, 1, b'a', 0]);
        bytes.extend(b"TREE");
        bytes.extend(length.to_be_bytes());
        bytes.extend([0; 20]);
        bytes
    }

    #[test]
    fn a_torn_or_foreign_file_is_left_to_git() {
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x01", b"JUNKJUNKJUNK", &[0; 64]] {
            assert_eq!(paths(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn an_extension_is_skipped_and_one_without_an_end_is_left_to_git() {
        assert_eq!(paths(&with_extension(0)), Some(vec![b"a".to_vec()]));
        for length in [1, u32::MAX] {
            assert_eq!(paths(&with_extension(length)), None, "{length}");
        }
    }

    #[test]
    fn a_list_of_git_is_read() {
        let listed =
            b"H 100644 aa01 0\ta.txt\0h 160000 bb 0\tlib/\xff\0S 120000 cc 0\tlink\0H torn\0H 9 dd 0\tx\0";
        let facts = |record: IndexRecord<'_>| {
            Some((record.path.to_owned(), record.id.to_owned(), record.is_gitlink(), record.is_flagged))
        };
        assert_eq!(
            parse_index_list(listed, facts),
            [
                (b"a.txt".to_vec(), vec![0xaa, 1], false, false),
                (b"lib/\xff".to_vec(), vec![0xbb], true, true),
                (b"link".to_vec(), vec![0xcc], false, true),
            ]
        );
    }
}
