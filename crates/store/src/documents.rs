//! The state documents of a repository: loading, and every change as one durable transition.
//!
//! A transition takes the document's lock, reads the file, lets the model decide on the new document,
//! replaces the file atomically and appends the change to the history. No transition relies on memory of an
//! earlier one: the file on disk counts. (It is not parsed again if it is unchanged; see `parse_cache`.)

use crate::answer_notes::AnswerNotes;
use crate::atomic::{self, ReplaceError};
use crate::document_custody::{self, DocumentCustody, KeptDocument, ReadInCustody};
use crate::error::StoreError;
use crate::head::head;
use crate::history::{self, ChangeLabel, DocumentVersion};
use crate::layout::StateFolder;
use crate::lock::{DocumentLock, HeldLeases, Holder, Lease};
use crate::parse_cache::ParseCache;
use crate::plain_file::{self, Links};
use crate::pretty;
use crate::repository::Repository;
use crate::signature::Signature;
use charrette_model::checkpoint::given::GivenAnswers;
use charrette_model::checkpoint::transition::{self, TransitionContext};
use charrette_model::checkpoint::{Checkpoint, DocumentName, ReadError, TransitionError};
use charrette_model::stamp::Now;
use serde_json::Value;
use std::cell::RefCell;
use std::fmt;
use std::io;
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
    leases: HeldLeases,
    /// True to change no run that is being driven.
    spares_driven: bool,
    custody: DocumentCustody,
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
        Documents {
            folder,
            repository,
            holder,
            summary_words,
            parse_cache: ParseCache::default(),
            leases: HeldLeases::default(),
            spares_driven: false,
            custody: DocumentCustody::default(),
        }
    }

    /// The same documents, but every change of a run that is being driven is refused, under the document's lock.
    #[must_use]
    pub fn sparing_driven(self) -> Documents {
        Documents { spares_driven: true, ..self }
    }

    /// Shares the documents in custody with other handles of this process.
    #[must_use]
    pub fn with_custody(mut self, custody: DocumentCustody) -> Documents {
        self.custody = custody;
        self
    }

    pub(crate) fn custody(&self) -> &DocumentCustody {
        &self.custody
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

    /// Reads a document under its lock, for a process that has just taken the lease: a change by somebody who still found the
    /// run free is in it, and every later one is refused.
    pub fn load_to_drive(&self, name: &DocumentName) -> Result<Option<LoadedDocument>, StoreError> {
        let _lock = self.lock(name)?;
        self.load(name)
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
        self.transition_with(name, label, now, change, || Ok(()))
    }

    /// Records answers that a person gave, which `change` returns along with the document. They are noted first, so that the
    /// driver of the run, if there is one, can tell them from what an agent wrote.
    pub fn answer(
        &self,
        name: &DocumentName,
        notes: &AnswerNotes,
        now: Now,
        change: impl Fn(
            Option<Checkpoint>,
            &TransitionContext,
        ) -> Result<(Checkpoint, Vec<GivenAnswers>), TransitionError>,
    ) -> Result<TransitionResult, StoreError> {
        let given = RefCell::default();
        let change = |on_disk: Option<Checkpoint>, context: &TransitionContext| {
            let (document, answers) = change(on_disk, context)?;
            given.replace(answers);
            Ok(document)
        };
        self.transition_with(name, "answer", now, change, || Ok(notes.add(&given.borrow())?))
    }

    /// A durable change; `announce` is called under the document's lock, before it is written.
    fn transition_with(
        &self,
        name: &DocumentName,
        label: &str,
        now: Now,
        change: impl Fn(Option<Checkpoint>, &TransitionContext) -> Result<Checkpoint, TransitionError>,
        announce: impl Fn() -> Result<(), StoreError>,
    ) -> Result<TransitionResult, StoreError> {
        let context = TransitionContext { now, head: self.head(), summary_words: self.summary_words };
        let kept = self.custody.find(&self.folder.document(name));
        let write = |kept: Option<&mut KeptDocument>| -> Result<TransitionResult, StoreError> {
            let exists = self.folder.check()?;
            if !exists && kept.is_none() {
                // A refused change leaves no trace, not even folders.
                change(None, &context)?;
            }
            self.folder.prepare_inside(exists)?;
            self.locked_transition(name, label, &context, (&change, &announce), kept)
        };
        let changed = match kept {
            None => write(None),
            Some(kept) => {
                let mut kept = document_custody::lock(&kept);
                match write(Some(&mut kept)) {
                    // While the run is driven nobody else has a reason to close or to replace its folders.
                    Err(error) if error.is_obstacle() => {
                        document_custody::restore_folders(&self.folder, name, kept.evidence())
                            .map_err(StoreError::from)
                            .and_then(|()| write(Some(&mut kept)))
                    }
                    other => other,
                }
            }
        };
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
        (change, announce): (
            impl FnOnce(Option<Checkpoint>, &TransitionContext) -> Result<Checkpoint, TransitionError>,
            impl FnOnce() -> Result<(), StoreError>,
        ),
        kept: Option<&mut KeptDocument>,
    ) -> Result<TransitionResult, StoreError> {
        let _lock = DocumentLock::acquire(&self.folder.lock(name), &self.holder)?;
        if self.spares_driven {
            self.refuse_driven(name)?;
        }

        let path = self.folder.document(name);
        let (before, on_disk, old, taken_back) = if let Some(kept) = &kept {
            let ReadInCustody { bytes, on_disk, document, taken_back } = kept.read()?;
            (bytes, on_disk, Some(document), taken_back)
        } else {
            let before = read_bytes(&path)?;
            let old = before.as_deref().map(|bytes| self.parse_cache.document(bytes)).transpose();
            let old = old.map_err(|error| unreadable(path, error))?;
            (before, old.clone(), old, Vec::new())
        };
        let document = change(old, context)?;
        announce()?;
        let after = pretty::to_vec(&document, before.as_ref().map_or(0, Vec::len) + 4096)?;
        let put = self.put(name, &after, before.as_deref());
        if let Some(kept) = kept
            && matches!(put, Ok(()) | Err(StoreError::NotDurable { .. }))
        {
            kept.remember(&after, &document, taken_back);
        }
        put?;

        let appended = history::append(
            &self.folder.history(name),
            before
                .as_deref()
                .zip(on_disk.as_ref())
                .map(|(bytes, document)| DocumentVersion { bytes, document }),
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

    /// Refuses if the run is being driven.
    pub fn refuse_driven(&self, name: &DocumentName) -> Result<(), StoreError> {
        match Lease::holder(&self.folder.lease(name))? {
            Some(holder) => Err(StoreError::Driven { run: name.stem(), holder: Box::new(holder) }),
            None => Ok(()),
        }
    }

    /// Takes the lease of a run: this process becomes its driver.
    pub fn lease(&self, name: &DocumentName) -> Result<Lease, StoreError> {
        self.take(&self.folder.lease(name))
    }

    /// Takes the lease of the checkout, for operations that move HEAD or write outside a workspace.
    pub fn lease_checkout(&self) -> Result<Lease, StoreError> {
        self.take(&self.folder.checkout())
    }

    fn take(&self, path: &Path) -> Result<Lease, StoreError> {
        self.folder.prepare()?;
        let lease = Lease::acquire(path, &self.holder)?;
        self.leases.add(&lease);
        Ok(lease)
    }

    /// Takes the leases again that were taken here and whose files somebody removed, replaced or closed: without them a second
    /// process could drive the same run, or move the same checkout. What is found in their place is kept in the folder
    /// `evidence`. Returns the paths of those files; [`StoreError::Locked`] if another process holds one of them now.
    pub fn take_back_leases(&self, evidence: &Path) -> Result<Vec<PathBuf>, StoreError> {
        let clear = |lease: &Path| document_custody::restore_lock(&self.folder, lease, evidence);
        self.leases.take_back(&self.holder, clear)
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
    Ok(plain_file::read_with_signature(path, Links::Refused, MAX_DOCUMENT_BYTES)?)
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
