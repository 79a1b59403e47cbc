//! The state documents of a repository: loading, and every change as one durable transition.
//!
//! A transition takes the document's lock, reads the file, lets the model decide on the new document,
//! replaces the file atomically and appends the change to the history. No transition relies on memory of an
//! earlier one: the file on disk counts. (It is not parsed again if it is unchanged; see `parse_cache`.)

use crate::atomic::{self, ReplaceError};
use crate::error::StoreError;
use crate::head::head;
use crate::history::{self, ChangeLabel, DocumentVersion};
use crate::layout::StateFolder;
use crate::lock::{DocumentLock, Holder, Lease};
use crate::parse_cache::ParseCache;
use crate::pretty;
use crate::repository::Repository;
use crate::signature::Signature;
use charrette_model::checkpoint::transition::{self, TransitionContext};
use charrette_model::checkpoint::{Checkpoint, DocumentName, ReadError, TransitionError};
use charrette_model::stamp::Now;
use serde_json::Value;
use std::fmt;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Maximum size of a state document; a larger file is not read.
pub const MAX_DOCUMENT_BYTES: u64 = 16 << 20;

/// The state documents of one repository, and the holder of their locks.
#[derive(Debug, Clone)]
pub struct Documents {
    folder: StateFolder,
    repository: Option<Repository>,
    holder: Holder,
    summary_words: usize,
    parse_cache: ParseCache,
}

/// A document read from disk.
#[derive(Debug, Clone)]
pub struct LoadedDocument {
    pub document: Checkpoint,
    /// Present if HEAD has moved since the document was saved.
    pub stale: Option<StaleHead>,
}

/// HEAD at the last save, and now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleHead {
    pub saved_at: String,
    pub head: String,
}

impl fmt::Display for StaleHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |commit: &str| commit.chars().take(7).collect::<String>();
        let (saved, head) = (short(&self.saved_at), short(&self.head));
        write!(f, "Checkpoint is stale (saved at {saved}, current HEAD is {head})")
    }
}

/// Result of a transition.
#[derive(Debug, Clone)]
pub struct TransitionResult {
    /// The document on disk.
    pub document: Checkpoint,
    /// True if the file is new.
    pub created: bool,
    /// Error of the history. The change itself is safe.
    pub history_error: Option<String>,
}

impl Documents {
    /// `repository` is used to read HEAD, `holder` is written into the locks.
    pub fn new(
        folder: StateFolder,
        repository: Option<Repository>,
        holder: Holder,
        summary_words: usize,
    ) -> Documents {
        Documents { folder, repository, holder, summary_words, parse_cache: ParseCache::default() }
    }

    pub fn folder(&self) -> &StateFolder {
        &self.folder
    }

    /// A path relative to the repository, if it is inside.
    pub fn relative_path(&self, path: &Path) -> PathBuf {
        let root = self.repository.as_ref().map(|repository| &repository.work_tree);
        root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path).to_owned()
    }

    /// HEAD of the repository, if any.
    pub fn head(&self) -> Option<String> {
        self.repository.as_ref().and_then(|repository| head(repository).ok().flatten())
    }

    /// Reads a document; `None` if there is no such file.
    pub fn load(&self, name: &DocumentName) -> Result<Option<LoadedDocument>, StoreError> {
        self.folder.check()?;
        let path = self.folder.document(name);
        let Some(bytes) = read_bytes(&path)? else { return Ok(None) };
        let document = self.parse_cache.document(&bytes).map_err(|error| unreadable(path, error))?;
        let stale = match (&document.head_commit, self.head()) {
            (Some(saved_at), Some(head)) if *saved_at != head => {
                Some(StaleHead { saved_at: saved_at.clone(), head })
            }
            _ => None,
        };
        Ok(Some(LoadedDocument { document, stale }))
    }

    /// True if the document is byte for byte as this process wrote it last.
    pub fn is_as_written(&self, name: &DocumentName) -> bool {
        let found = read_bytes(&self.folder.document(name)).ok().flatten();
        found.is_some_and(|bytes| self.parse_cache.is_known(&bytes))
    }

    /// Replaces the document on disk.
    pub fn save(
        &self,
        name: &DocumentName,
        document: &Checkpoint,
        now: Now,
    ) -> Result<TransitionResult, StoreError> {
        self.transition(name, "save", now, |on_disk, context| {
            transition::save(on_disk.as_ref(), document.clone(), name.key(), context)
        })
    }

    /// Merges data into a phase; the first update of a run creates its document.
    pub fn update_phase(
        &self,
        name: &DocumentName,
        phase: &str,
        data: &Value,
        now: Now,
    ) -> Result<TransitionResult, StoreError> {
        self.transition(name, &format!("update-phase {phase}"), now, |on_disk, context| {
            transition::update_phase(on_disk, name.key(), phase, data.clone(), context)
        })
    }

    /// Completes a run.
    pub fn complete(&self, name: &DocumentName, now: Now) -> Result<TransitionResult, StoreError> {
        self.transition(name, "complete", now, transition::complete)
    }

    /// Makes one durable change; all other changes use it.
    pub fn transition(
        &self,
        name: &DocumentName,
        label: &str,
        now: Now,
        change: impl Fn(Option<Checkpoint>, &TransitionContext) -> Result<Checkpoint, TransitionError>,
    ) -> Result<TransitionResult, StoreError> {
        let context = TransitionContext { now, head: self.head(), summary_words: self.summary_words };
        let exists = self.folder.check()?;
        if !exists {
            // A refused change leaves no trace, not even folders.
            change(None, &context)?;
        }
        let changed = self
            .folder
            .prepare_inside(exists)
            .and_then(|()| self.locked_transition(name, label, &context, change));
        changed.map_err(|error| match error {
            StoreError::Io(cause) => StoreError::NotWritten {
                cause,
                existed: self.folder.document(name).symlink_metadata().is_ok(),
            },
            other => other,
        })
    }

    fn locked_transition(
        &self,
        name: &DocumentName,
        label: &str,
        context: &TransitionContext,
        change: impl FnOnce(Option<Checkpoint>, &TransitionContext) -> Result<Checkpoint, TransitionError>,
    ) -> Result<TransitionResult, StoreError> {
        let _lock = DocumentLock::acquire(&self.folder.lock(name), &self.holder)?;

        let path = self.folder.document(name);
        let before = read_bytes(&path)?;
        let old = before.as_deref().map(|bytes| self.parse_cache.document(bytes)).transpose();
        let old = old.map_err(|error| unreadable(path, error))?;
        let document = change(old.clone(), context)?;
        let after = pretty::to_vec(&document, before.as_ref().map_or(0, Vec::len) + 4096)?;
        self.put(name, &after, before.as_deref())?;

        let appended = history::append(
            &self.folder.history(name),
            before.as_deref().zip(old.as_ref()).map(|(bytes, document)| DocumentVersion { bytes, document }),
            DocumentVersion { bytes: &after, document: &document },
            &ChangeLabel { actor: &self.holder.command, label },
        );
        self.parse_cache.remember(after, &document);
        Ok(TransitionResult {
            document,
            created: before.is_none(),
            history_error: appended.err().map(|error| error.to_string()),
        })
    }

    /// Puts back a document whose file cannot be read any more, and returns what was found in it; none if it can be read.
    pub fn put_back(
        &self,
        name: &DocumentName,
        document: &Checkpoint,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let _lock = DocumentLock::acquire(&self.folder.lock(name), &self.holder)?;
        let Some(found) = read_bytes(&self.folder.document(name))? else { return Ok(None) };
        if self.parse_cache.document(&found).is_ok() {
            return Ok(None);
        }
        let text = pretty::to_vec(document, found.len() + 4096)?;
        self.put(name, &text, None)?;
        self.parse_cache.remember(text, document);
        Ok(Some(found))
    }

    /// Takes the lease of a run: this process becomes its driver.
    pub fn lease(&self, name: &DocumentName) -> Result<Lease, StoreError> {
        self.folder.prepare()?;
        Lease::acquire(&self.folder.lease(name), &self.holder)
    }

    /// Takes the lease of the checkout, for operations that move HEAD or write outside a workspace.
    pub fn lease_checkout(&self) -> Result<Lease, StoreError> {
        self.folder.prepare()?;
        Lease::acquire(&self.folder.checkout(), &self.holder)
    }

    /// Takes the document's lock without a change, to inspect or move its files.
    pub(crate) fn lock(&self, name: &DocumentName) -> Result<DocumentLock, StoreError> {
        self.folder.prepare()?;
        DocumentLock::acquire(&self.folder.lock(name), &self.holder)
    }

    /// Replaces the file. If that fails after the new document is already visible, the old one is restored.
    fn put(&self, name: &DocumentName, after: &[u8], before: Option<&[u8]>) -> Result<(), StoreError> {
        let (target, temp) = (self.folder.document(name), self.folder.temp(name));
        let cause = match atomic::replace(&target, &temp, after) {
            Ok(()) => return Ok(()),
            Err(ReplaceError::BeforeRename(cause)) => {
                return Err(StoreError::NotWritten { cause, existed: before.is_some() });
            }
            Err(ReplaceError::AfterRename(cause)) => cause,
        };
        let undone = match before {
            None => fs_err::remove_file(&target).is_ok(),
            Some(before) => {
                !matches!(atomic::replace(&target, &temp, before), Err(ReplaceError::BeforeRename(_)))
            }
        };
        Err(if undone {
            StoreError::NotWritten { cause, existed: before.is_some() }
        } else {
            StoreError::NotDurable { cause }
        })
    }
}

/// The bytes of a document; `None` if there is no such file. Links are not followed.
pub(crate) fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    Ok(read_bytes_and_signature(path)?.map(|(bytes, _)| bytes))
}

/// The same, with the signature of the file that was read.
pub(crate) fn read_bytes_and_signature(path: &Path) -> Result<Option<(Vec<u8>, Signature)>, StoreError> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut options = fs_err::OpenOptions::new();
    options.read(true);
    options.options_mut().custom_flags(no_follow.bits().cast_signed());
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(_) if path.is_symlink() => return Err(StoreError::Symlink(path.to_owned())),
        Err(error) => return Err(error.into()),
    };
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(StoreError::NotAFile(path.to_owned()));
    }
    if meta.len() > MAX_DOCUMENT_BYTES {
        return Err(StoreError::TooLarge { path: path.to_owned(), limit: MAX_DOCUMENT_BYTES });
    }
    Ok(Some((read_small(file, meta.len())?, Signature::of(&meta))))
}

/// Reads a file of about `expected` bytes: `read_to_end` would ask for its length again.
pub(crate) fn read_small(mut file: impl io::Read, expected: u64) -> io::Result<Vec<u8>> {
    // One more than expected, so that the end of the file is seen in the same read.
    let mut bytes = vec![0; usize::try_from(expected).unwrap_or_default() + 1];
    let mut length = 0;
    loop {
        match file.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if length == bytes.len() {
            bytes.resize(2 * length, 0);
        } else if length + 1 == bytes.len() {
            // Of the expected length: a regular file fills the buffer as far as it goes.
            break;
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

pub(crate) fn unreadable(path: PathBuf, error: ReadError) -> StoreError {
    match error {
        ReadError::Version(version) => StoreError::Version { path, version },
        other => StoreError::Corrupt { path, reason: other.to_string() },
    }
}
