//! Git's index: the tracked paths with their contents, and which of them git was told not to look at
//! (`assume-unchanged`, `skip-worktree`). Changes of those are invisible to `git status`.
//!
//! Git is asked only about a format that its reader in crate `git` does not know. What was read is kept until the file
//! changes.

use super::digests::is_absent;
use super::error::TreeError;
use super::known::Known;
use charrette_git::{Git, IndexRecord, LIST_INDEX, parse_index, parse_index_list};
use charrette_model::tree::TreePath;
use charrette_store::Signature;
use charrette_store::workspace::sha256;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// An entry of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) path: TreePath,
    /// True if git was told not to look at the file.
    pub(crate) is_flagged: bool,
    pub(super) is_submodule: bool,
    mode: u32,
    id: Vec<u8>,
}

impl IndexEntry {
    fn new(record: IndexRecord<'_>) -> IndexEntry {
        IndexEntry {
            path: TreePath::new(record.path),
            is_flagged: record.is_flagged,
            is_submodule: record.is_gitlink(),
            mode: record.mode,
            id: record.id.to_owned(),
        }
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

    /// Reads the index at `file`; git, which must be one that uses it, is asked if the format is unknown.
    pub(super) fn read(git: Git<'_>, file: &Path) -> Result<Arc<Index>, TreeError> {
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
                None => list_index(git)?,
            },
        };
        let index = Arc::new(Index::new(entries));
        KNOWN.keep(file, signature, &index);
        Ok(index)
    }
}

/// Entries as git lists them.
pub(crate) fn list_index(git: Git<'_>) -> Result<Vec<IndexEntry>, TreeError> {
    Ok(parse_index_list(&git.bytes(&LIST_INDEX)?, |record| Some(IndexEntry::new(record))))
}

/// None if the format is unknown or the file is torn.
pub(crate) fn parse(bytes: &[u8]) -> Option<Vec<IndexEntry>> {
    parse_index(bytes, |record| Some(IndexEntry::new(record)))
}
