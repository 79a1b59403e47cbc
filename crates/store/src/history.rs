//! Every change of a document, one line each: when, who, what, and a merge patch.
//!
//! The history is never load-bearing: it is not synced, and a run continues without it. It heals itself
//! instead. Each line ends with the digest of the document it led to; when the next change finds that the
//! last line led elsewhere (a kill before the line was written, an edit by hand, a rotation), it first writes
//! the whole document it found. So every document since the oldest whole one can be rebuilt.

use charrette_model::checkpoint::Checkpoint;
use charrette_model::checkpoint::patch::{compact, patch};
use charrette_model::merge_patch;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// A history file is put aside when it is larger than this.
const ROTATE_BYTES: u64 = 4 << 20;

/// How many files that were put aside are kept.
const KEPT: usize = 2;

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When.
    pub at: String,
    /// Who made it.
    pub actor: String,
    /// What was asked for.
    pub change: String,
    /// What it changed, as an RFC 7396 merge patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
    /// The whole document, where a patch has nothing to stand on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Value>,
    /// Digest of the document after it. The last member, so that the end of the file tells it.
    to: String,
}

/// Who changes what.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// Who.
    pub actor: &'a str,
    /// What was asked for.
    pub label: &'a str,
}

/// Notes a change from `before` to `after`, both as bytes on disk and as documents.
pub(crate) fn append(
    path: &Path,
    before: Option<(&[u8], &Checkpoint)>,
    after: (&[u8], &Checkpoint),
    change: &Change<'_>,
) -> io::Result<()> {
    let known = before.map(|(bytes, _)| digest(bytes));
    let mut file = open(path)?;
    let mut tail = Tail::of(&file)?;
    if tail.length > ROTATE_BYTES {
        rotate(path)?;
        file = open(path)?;
        tail = Tail::of(&file)?;
    }

    let mut lines = Vec::new();
    if !tail.ends_line {
        lines.push(b'\n');
    }
    let at = after.1.updated_at.as_ref().map(ToString::to_string).unwrap_or_default();
    let (patch, whole) = match before {
        None => (None, Some(compact(after.1))),
        Some((_, old)) => {
            if tail.to != known {
                let found = Entry {
                    at: old.updated_at.as_ref().map(ToString::to_string).unwrap_or_default(),
                    actor: "unknown".to_owned(),
                    change: "found on disk".to_owned(),
                    patch: None,
                    whole: Some(compact(old)),
                    to: known.unwrap_or_default(),
                };
                push(&mut lines, &found)?;
            }
            (Some(patch(old, after.1)), None)
        }
    };
    let to = digest(after.0);
    push(
        &mut lines,
        &Entry { at, actor: change.actor.to_owned(), change: change.label.to_owned(), patch, whole, to },
    )?;
    file.write_all(&lines)
}

fn push(lines: &mut Vec<u8>, entry: &Entry) -> io::Result<()> {
    serde_json::to_writer(&mut *lines, entry)?;
    lines.push(b'\n');
    Ok(())
}

/// The end of a history file: all that a change needs to know of it.
struct Tail {
    length: u64,
    ends_line: bool,
    to: Option<String>,
}

impl Tail {
    fn of(file: &fs_err::File) -> io::Result<Tail> {
        const SUFFIX: &[u8] = b"\"}\n";
        let length = file.metadata()?.len();
        let mut end = [0; DIGEST_CHARS + SUFFIX.len()];
        let from = length.saturating_sub(end.len() as u64);
        let read = file.file().read_at(&mut end, from)?;
        let end = &end[..read];
        let to = end.strip_suffix(SUFFIX).and_then(|digest| String::from_utf8(digest.to_vec()).ok());
        Ok(Tail { length, ends_line: end.last().is_none_or(|&last| last == b'\n'), to })
    }
}

fn open(path: &Path) -> io::Result<fs_err::File> {
    let mut options = fs_err::OpenOptions::new();
    options.read(true).append(true).create(true);
    options.options_mut().custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    options.open(path)
}

fn rotate(path: &Path) -> io::Result<()> {
    for n in (1..=KEPT).rev() {
        let from = if n == 1 { path.to_owned() } else { aside(path, n - 1) };
        match fs_err::rename(from, aside(path, n)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
    }
    Ok(())
}

fn aside(path: &Path, n: usize) -> PathBuf {
    path.with_added_extension(n.to_string())
}

/// All files of a history that exist, oldest first.
pub fn files(path: &Path) -> Vec<PathBuf> {
    let asides = (1..=KEPT).rev().map(|n| aside(path, n));
    asides.chain([path.to_owned()]).filter(|path| path.is_file()).collect()
}

/// All changes that can be read, oldest first, and how many lines could not.
pub fn read(path: &Path) -> io::Result<(Vec<Entry>, usize)> {
    let mut entries = Vec::new();
    let mut unreadable = 0;
    for file in files(path) {
        for line in fs_err::read(file)?.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(entry) => entries.push(entry),
                Err(_) => unreadable += 1,
            }
        }
    }
    Ok((entries, unreadable))
}

/// The document after the `n`th of these changes, counted from 1, without its null members.
pub fn rebuild(entries: &[Entry], n: usize) -> Option<Value> {
    let entries = entries.get(..n)?;
    let start = entries.iter().rposition(|entry| entry.whole.is_some())?;
    let mut document = entries[start].whole.clone()?;
    for entry in &entries[start + 1..] {
        merge_patch::apply(&mut document, entry.patch.as_ref()?);
    }
    Some(document)
}

const DIGEST_CHARS: usize = 16;

/// Tells versions of one document apart; nothing is secured by it.
fn digest(bytes: &[u8]) -> String {
    format!("{:0width$x}", XxHash3_64::oneshot(bytes), width = DIGEST_CHARS)
}
