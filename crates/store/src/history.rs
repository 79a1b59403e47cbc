//! History of a document: one line per change, with time, actor, label and merge patch.
//!
//! The history is never load-bearing: it is not synced, and a run continues without it. It heals itself
//! instead. Each line ends with the digest of the resulting document; when the next change finds another
//! digest (a kill before the line was written, an edit by hand, a rotation), it first writes the whole
//! document it found. So every document since the oldest whole one can be rebuilt.

use crate::documents::MAX_DOCUMENT_BYTES;
use crate::plain_file::{self, Links};
use charrette_model::checkpoint::Checkpoint;
use charrette_model::checkpoint::patch::{compact, patch};
use charrette_model::merge_patch;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// Size at which a history file is rotated.
const ROTATE_BYTES: u64 = 4 << 20;

/// Size that a history file never reaches: it is rotated before, and a line is at most two documents.
const MAX_FILE_BYTES: u64 = ROTATE_BYTES + 4 * MAX_DOCUMENT_BYTES;

/// Number of rotated files that are kept.
const MAX_ROTATED: usize = 2;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Time of the change.
    pub at: String,
    /// Command of the process that made it.
    pub actor: String,
    /// Label of the change.
    pub change: String,
    /// RFC 7396 merge patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
    /// The whole document, where there is no predecessor to patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Value>,
    /// Digest of the resulting document. The last member, so that it can be read from the end of the file.
    to: String,
}

/// Actor and label of a change.
#[derive(Debug, Clone, Copy)]
pub struct ChangeLabel<'a> {
    pub actor: &'a str,
    pub label: &'a str,
}

/// One version of a document, parsed and as bytes on disk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentVersion<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) document: &'a Checkpoint,
}

/// Appends a change from `before` to `after`.
pub(crate) fn append(
    path: &Path,
    before: Option<DocumentVersion<'_>>,
    after: DocumentVersion<'_>,
    change: &ChangeLabel<'_>,
) -> io::Result<()> {
    let known = before.map(|before| digest(before.bytes));
    let mut file = open_to_append(path)?;
    let mut tail = Tail::read(&file)?;
    if tail.length > ROTATE_BYTES {
        rotate(path)?;
        file = open_to_append(path)?;
        tail = Tail::read(&file)?;
    }

    let mut lines = Vec::new();
    if !tail.ends_line {
        lines.push(b'\n');
    }
    let at = after.document.updated_at.as_ref().map(ToString::to_string).unwrap_or_default();
    let (patch, whole) = match before {
        None => (None, Some(compact(after.document))),
        Some(DocumentVersion { document: old, .. }) => {
            if tail.to != known {
                let found = HistoryEntry {
                    at: old.updated_at.as_ref().map(ToString::to_string).unwrap_or_default(),
                    actor: "unknown".to_owned(),
                    change: "found on disk".to_owned(),
                    patch: None,
                    whole: Some(compact(old)),
                    to: known.unwrap_or_default(),
                };
                push(&mut lines, &found)?;
            }
            (Some(patch(old, after.document)), None)
        }
    };
    let to = digest(after.bytes);
    push(
        &mut lines,
        &HistoryEntry {
            at,
            actor: change.actor.to_owned(),
            change: change.label.to_owned(),
            patch,
            whole,
            to,
        },
    )?;
    file.write_all(&lines)
}

fn push(lines: &mut Vec<u8>, entry: &HistoryEntry) -> io::Result<()> {
    serde_json::to_writer(&mut *lines, entry)?;
    lines.push(b'\n');
    Ok(())
}

/// The end of a history file, which is all that a change reads of it.
struct Tail {
    length: u64,
    ends_line: bool,
    to: Option<String>,
}

impl Tail {
    fn read(file: &fs_err::File) -> io::Result<Tail> {
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

/// True if the last change in the history made the document what these bytes are.
pub fn ends_with(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    Ok(Tail::read(&open(path, fs_err::OpenOptions::new().read(true))?)?.to == Some(digest(bytes)))
}

/// Opens a history; other things in its place are not opened.
fn open(path: &Path, options: &mut fs_err::OpenOptions) -> io::Result<fs_err::File> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, format!("{} is gone", path.display()));
    plain_file::open(path, Links::Refused, options)?.ok_or_else(missing)
}

fn open_to_append(path: &Path) -> io::Result<fs_err::File> {
    open(path, fs_err::OpenOptions::new().read(true).append(true).create(true))
}

fn rotate(path: &Path) -> io::Result<()> {
    for n in (1..=MAX_ROTATED).rev() {
        let from = if n == 1 { path.to_owned() } else { rotated_path(path, n - 1) };
        match fs_err::rename(from, rotated_path(path, n)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
    }
    Ok(())
}

fn rotated_path(path: &Path, n: usize) -> PathBuf {
    path.with_added_extension(n.to_string())
}

/// All files of a history that exist, oldest first.
pub fn files(path: &Path) -> Vec<PathBuf> {
    let rotated = (1..=MAX_ROTATED).rev().map(|n| rotated_path(path, n));
    rotated.chain([path.to_owned()]).filter(|path| path.is_file()).collect()
}

/// Content of one file of a history.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    Ok(plain_file::read(path, Links::Refused, MAX_FILE_BYTES)?.unwrap_or_default())
}

/// All readable changes, oldest first, and the number of unreadable lines.
pub fn read(path: &Path) -> io::Result<(Vec<HistoryEntry>, usize)> {
    let mut entries = Vec::new();
    let mut unreadable = 0;
    for file in files(path) {
        for line in read_file(&file)?.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(entry) => entries.push(entry),
                Err(_) => unreadable += 1,
            }
        }
    }
    Ok((entries, unreadable))
}

/// The document after the `n`th change, counted from 1, without its null members.
pub fn rebuild(entries: &[HistoryEntry], n: usize) -> Option<Value> {
    let entries = entries.get(..n)?;
    let start = entries.iter().rposition(|entry| entry.whole.is_some())?;
    let mut document = entries[start].whole.clone()?;
    for entry in &entries[start + 1..] {
        merge_patch::apply(&mut document, entry.patch.as_ref()?);
    }
    Some(document)
}

const DIGEST_CHARS: usize = 16;

/// Distinguishes versions of one document; not cryptographic.
fn digest(bytes: &[u8]) -> String {
    format!("{:0width$x}", XxHash3_64::oneshot(bytes), width = DIGEST_CHARS)
}
