//! Folder of one call: `prompt.md`, `call.json`, and as it goes on `lease.json`, `answer.md`, `taken.md`, `over.json`.
//!
//! All of it is private to the user. Changes are made under the lock of the queue; every file is replaced atomically.

use super::error::QueueError;
use charrette_model::queue::{CallEnd, CallLease, EndReason, QUEUE_VERSION, QueuedCall};
use charrette_model::stamp::Stamp;
use charrette_store::atomic::{replace_private, sync_folder_of};
use charrette_store::{Holder, Lease, StoreError};
use fs_err::os::unix::fs::OpenOptionsExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

const CALL: &str = "call.json";
const PROMPT: &str = "prompt.md";
const LEASE: &str = "lease.json";
const ANSWER: &str = "answer.md";
/// The answer, once a run has read it. A run that is killed before it records the answer finds it here.
const TAKEN: &str = "taken.md";
const OVER: &str = "over.json";
/// Locked by the process that waits for the answer.
const DRIVER: &str = "driver.lock";

/// The folder of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallFolder {
    path: PathBuf,
}

impl CallFolder {
    pub(super) fn at(path: PathBuf) -> CallFolder {
        CallFolder { path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn prompt(&self) -> PathBuf {
        self.path.join(PROMPT)
    }

    pub(super) fn answer(&self) -> PathBuf {
        self.path.join(ANSWER)
    }

    pub(super) fn taken(&self) -> PathBuf {
        self.path.join(TAKEN)
    }

    /// Creates the folder of a call: it appears with all its files, or not at all.
    pub(super) fn create(path: PathBuf, call: &QueuedCall, prompt: &str) -> io::Result<CallFolder> {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        let unfinished = path.with_file_name(name);
        remove_folder(&unfinished)?;
        create_private_folder(&unfinished)?;
        write_new(&unfinished.join(PROMPT), prompt.as_bytes())?;
        write_new(&unfinished.join(CALL), &serde_json::to_vec_pretty(call).map_err(io::Error::other)?)?;
        sync_folder_of(&unfinished.join(CALL))?;
        fs_err::rename(&unfinished, &path)?;
        sync_folder_of(&path)?;
        Ok(CallFolder { path })
    }

    /// Its record; `None` if there is none that can be read.
    pub(super) fn call(&self) -> Option<QueuedCall> {
        self.read(CALL)
    }

    pub(super) fn replace_call(&self, call: &QueuedCall) -> Result<(), QueueError> {
        self.replace(CALL, call)
    }

    /// The last lease, expired or not.
    pub(super) fn lease(&self) -> Option<CallLease> {
        self.read(LEASE)
    }

    pub(super) fn replace_lease(&self, lease: &CallLease) -> Result<(), QueueError> {
        self.replace(LEASE, lease)
    }

    /// True if a server has answered, whether or not a run has read it. `answer.md` is looked for first: a run renames it.
    pub(super) fn is_answered(&self) -> bool {
        exists(&self.answer()) || self.is_taken()
    }

    pub(super) fn is_taken(&self) -> bool {
        exists(&self.taken())
    }

    pub(super) fn write_answer(&self, text: &str) -> Result<(), QueueError> {
        Ok(replace_private(&self.answer(), text.as_bytes())?)
    }

    /// Remembers that a run has read the answer.
    pub(super) fn mark_taken(&self) -> io::Result<()> {
        fs_err::rename(self.answer(), self.taken())?;
        sync_folder_of(&self.taken())
    }

    pub(super) fn end(&self) -> Option<CallEnd> {
        self.read(OVER)
    }

    /// Ends the call: its id and the reason are kept, its texts are removed.
    pub(super) fn finish(&self, reason: EndReason, at: Stamp) -> Result<(), QueueError> {
        self.replace(OVER, &CallEnd { v: QUEUE_VERSION, reason, at })?;
        for name in [PROMPT, ANSWER, TAKEN, LEASE] {
            match fs_err::remove_file(self.path.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes the place of the process that waits for the answer, until the lease is dropped.
    pub(super) fn drive(&self, holder: &Holder, id: &str) -> Result<Lease, QueueError> {
        Lease::acquire(&self.path.join(DRIVER), holder).map_err(|error| match error {
            StoreError::Locked { .. } => QueueError::Driven(id.to_owned()),
            error => QueueError::Locked(error),
        })
    }

    /// True if a process waits for the answer.
    pub(super) fn is_driven(&self) -> bool {
        matches!(Lease::holder(&self.path.join(DRIVER)), Ok(Some(_)))
    }

    pub(super) fn remove(&self) -> io::Result<()> {
        remove_folder(&self.path)
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_slice(&fs_err::read(self.path.join(name)).ok()?).ok()
    }

    fn replace(&self, name: &str, value: &impl Serialize) -> Result<(), QueueError> {
        let bytes = serde_json::to_vec_pretty(value).map_err(io::Error::other)?;
        Ok(replace_private(&self.path.join(name), &bytes)?)
    }
}

/// Creates a folder that only this user may open, unless it exists.
pub(super) fn create_private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    match std::fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(io::Error::new(error.kind(), format!("cannot create {}: {error}", path.display()))),
        Ok(()) => sync_folder_of(path),
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs_err::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn remove_folder(path: &Path) -> io::Result<()> {
    match fs_err::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
