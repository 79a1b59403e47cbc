//! The state documents of a repository: loading, and every change as one durable transition.
//!
//! A transition takes the document's lock, reads what is on disk, lets the model decide on the new document,
//! replaces the file atomically and notes the change in the history. No transition relies on what an earlier one
//! left in memory: what is on disk counts. (It is not parsed again if it has not changed; see `parsed`.)

use crate::atomic::{self, ReplaceError};
use crate::error::StoreError;
use crate::head::head;
use crate::history::{self, Change};
use crate::layout::StateFolder;
use crate::lock::{DocumentLock, Holder, Lease};
use crate::parsed::Parsed;
use crate::pretty;
use crate::repository::Repository;
use charrette_model::checkpoint::transition::{self, Circumstances};
use charrette_model::checkpoint::{Checkpoint, DocumentName, ReadError, TransitionError, read};
use charrette_model::feature::name::FeaturePath;
use charrette_model::stamp::Now;
use serde_json::Value;
use std::fmt;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// No state document is larger than this; a larger file is not read.
pub const MAX_DOCUMENT_BYTES: u64 = 16 << 20;

/// The state documents of one repository, and who is working with them.
#[derive(Debug, Clone)]
pub struct Documents {
    folder: StateFolder,
    repository: Option<Repository>,
    holder: Holder,
    summary_words: usize,
    parsed: Parsed,
}

/// A document as it was found.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The document.
    pub document: Checkpoint,
    /// HEAD has moved since it was saved.
    pub stale: Option<Stale>,
}

/// A document that was saved at another commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// HEAD when it was saved.
    pub saved_at: String,
    /// HEAD now.
    pub head: String,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |commit: &str| commit.chars().take(7).collect::<String>();
        let (saved, head) = (short(&self.saved_at), short(&self.head));
        write!(f, "Checkpoint is stale (saved at {saved}, current HEAD is {head})")
    }
}

/// What a transition led to.
#[derive(Debug, Clone)]
pub struct Changed {
    /// The document as it is on disk now.
    pub document: Checkpoint,
    /// Whether the file was not there before.
    pub created: bool,
    /// The change is safe, but the history could not note it.
    pub history_error: Option<String>,
}

impl Documents {
    /// The documents in `folder`; `repository` is where HEAD is read, `holder` who signs the locks.
    pub fn new(
        folder: StateFolder,
        repository: Option<Repository>,
        holder: Holder,
        summary_words: usize,
    ) -> Documents {
        Documents { folder, repository, holder, summary_words, parsed: Parsed::default() }
    }

    /// The folder they are in.
    pub fn folder(&self) -> &StateFolder {
        &self.folder
    }

    /// HEAD of the repository, if there is one and it can be told.
    pub fn head(&self) -> Option<String> {
        self.repository.as_ref().and_then(|repository| head(repository).ok().flatten())
    }

    /// Reads a document; none if there is no such file.
    pub fn load(&self, name: &DocumentName) -> Result<Option<Loaded>, StoreError> {
        self.folder.check()?;
        let path = self.folder.document(name);
        let Some(bytes) = read_bytes(&path)? else { return Ok(None) };
        let document = read(&bytes).map_err(|error| unreadable(path, error))?;
        let stale = match (&document.head_commit, self.head()) {
            (Some(saved_at), Some(head)) if *saved_at != head => {
                Some(Stale { saved_at: saved_at.clone(), head })
            }
            _ => None,
        };
        Ok(Some(Loaded { document, stale }))
    }

    /// Puts a whole document in place of the one on disk.
    pub fn save(&self, name: &DocumentName, document: &Checkpoint, now: Now) -> Result<Changed, StoreError> {
        self.transition(name, "save", now, |on_disk, circumstances| {
            transition::save(on_disk.as_ref(), document.clone(), owner(name), circumstances)
        })
    }

    /// Merges data into a phase; the first update of a run creates its document.
    pub fn update_phase(
        &self,
        name: &DocumentName,
        phase: &str,
        data: &Value,
        now: Now,
    ) -> Result<Changed, StoreError> {
        self.transition(name, &format!("update-phase {phase}"), now, |on_disk, circumstances| {
            transition::update_phase(on_disk, owner(name), phase, data.clone(), circumstances)
        })
    }

    /// Closes a run.
    pub fn complete(&self, name: &DocumentName, now: Now) -> Result<Changed, StoreError> {
        self.transition(name, "complete", now, transition::complete)
    }

    /// Makes one change, durably: what every other change here is made of.
    pub fn transition(
        &self,
        name: &DocumentName,
        label: &str,
        now: Now,
        change: impl Fn(Option<Checkpoint>, &Circumstances) -> Result<Checkpoint, TransitionError>,
    ) -> Result<Changed, StoreError> {
        let circumstances = Circumstances { now, head: self.head(), summary_words: self.summary_words };
        let is_there = self.folder.check()?;
        if !is_there {
            // A change that is refused leaves no trace, not even folders.
            change(None, &circumstances)?;
        }
        let changed = self
            .folder
            .prepare_inside(is_there)
            .and_then(|()| self.locked_transition(name, label, &circumstances, change));
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
        circumstances: &Circumstances,
        change: impl FnOnce(Option<Checkpoint>, &Circumstances) -> Result<Checkpoint, TransitionError>,
    ) -> Result<Changed, StoreError> {
        let _lock = DocumentLock::acquire(&self.folder.lock(name), &self.holder)?;

        let path = self.folder.document(name);
        let before = read_bytes(&path)?;
        let old = before.as_deref().map(|bytes| self.parsed.document(bytes)).transpose();
        let old = old.map_err(|error| unreadable(path, error))?;
        let document = change(old.clone(), circumstances)?;
        let after = pretty::to_vec(&document, before.as_ref().map_or(0, Vec::len) + 4096)?;
        self.put(name, &after, before.as_deref())?;

        let noted = history::append(
            &self.folder.history(name),
            before.as_deref().zip(old.as_ref()),
            (&after, &document),
            &Change { actor: &self.holder.command, label },
        );
        self.parsed.remember(after, &document);
        Ok(Changed {
            document,
            created: before.is_none(),
            history_error: noted.err().map(|error| error.to_string()),
        })
    }

    /// Takes the lease of a run: from here on, this process drives it.
    pub fn lease(&self, name: &DocumentName) -> Result<Lease, StoreError> {
        self.folder.prepare()?;
        Lease::acquire(&self.folder.lease(name), &self.holder)
    }

    /// Takes the checkout for something that moves HEAD or writes outside a workspace, or says who has it.
    pub fn checkout(&self) -> Result<Lease, StoreError> {
        self.folder.prepare()?;
        Lease::acquire(&self.folder.checkout(), &self.holder)
    }

    /// Takes the document's lock without making a change, to look at or move what belongs to it.
    pub(crate) fn lock(&self, name: &DocumentName) -> Result<DocumentLock, StoreError> {
        self.folder.prepare()?;
        DocumentLock::acquire(&self.folder.lock(name), &self.holder)
    }

    /// Replaces the file. If that fails so late that the new document is already visible, the old one is put back.
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

/// The bytes of a document; none if there is no such file. Links are not followed.
pub(crate) fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
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
    Ok(Some(read_small(file, meta.len())?))
}

/// The rest of a file that is `expected` bytes long, or about: `read_to_end` would ask for its length again.
pub(crate) fn read_small(mut file: impl io::Read, expected: u64) -> io::Result<Vec<u8>> {
    // One more than expected, so that the end is seen where it is.
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

fn owner(name: &DocumentName) -> (&str, Option<&str>) {
    (name.command(), name.feature().map(FeaturePath::as_str))
}
