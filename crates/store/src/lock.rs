//! Document locks and leases, both kernel locks on side files.
//!
//! A document lock is held for one change; a lease is held for as long as a process drives a run. The kernel
//! decides on the holder of a lock and frees it when the process dies, however it dies. The contents of a
//! lock file only describe the holder.

use crate::error::StoreError;
use crate::plain_file::{self, Links, PlainFileError};
use charrette_model::escape::printable;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Timeout of a document lock. A change takes milliseconds.
const DOCUMENT_LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// Timeout of a lease: long enough for a process that only inspects it.
const LEASE_TIMEOUT: Duration = Duration::from_millis(200);

/// True if this process was asked to end.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends all waits for locks of this process, now and later: what is not free at once counts as locked.
pub fn interrupt_waits() {
    IS_INTERRUPTED.store(true, Ordering::Relaxed);
}

/// The process that holds a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    /// Start of that process.
    pub since: String,
    /// Its command line.
    pub command: String,
    /// Namespace that its id belongs to: in another one, the same number is another process (Linux).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

impl Holder {
    /// This process.
    pub fn of_this_process(since: String, command: String) -> Holder {
        Holder { pid: std::process::id(), since, command, namespace: process_namespace() }
    }

    /// True unless the holder is known to be in another process namespace than this process.
    pub fn shares_process_ids(&self) -> bool {
        self.namespace.is_none() || self.namespace == process_namespace()
    }

    /// Description, to follow "locked" or "driven".
    pub fn describe(holder: Option<&Holder>) -> String {
        match holder {
            Some(holder) => {
                format!(
                    " by process {} ({}), since {}",
                    holder.pid,
                    printable(&holder.command),
                    printable(&holder.since)
                )
            }
            None => " by another process".to_owned(),
        }
    }
}

/// The lock of one document, for one change. Freed on drop.
#[derive(Debug)]
pub struct DocumentLock(File);

impl Drop for DocumentLock {
    fn drop(&mut self) {
        unlock(&self.0);
    }
}

impl DocumentLock {
    /// Waits for the lock.
    pub fn acquire(path: &Path, holder: &Holder) -> Result<DocumentLock, StoreError> {
        Ok(DocumentLock(acquire(path, holder, DOCUMENT_LOCK_TIMEOUT)?))
    }
}

/// The lease of a run, for the life of the process that drives it. Freed on drop.
#[derive(Debug)]
pub struct Lease(Arc<HeldLease>);

#[derive(Debug)]
struct HeldLease {
    /// Another file, if somebody removed or replaced the first one.
    file: Mutex<File>,
    path: PathBuf,
}

impl HeldLease {
    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lease again if its file is not at its path; false if it is.
    fn take_back(
        &self,
        holder: &Holder,
        clear: impl Fn(&Path) -> io::Result<()>,
    ) -> Result<bool, StoreError> {
        let is_there = || is_same_file(&self.path, &self.file());
        if matches!(is_there(), Ok(true)) {
            return Ok(false);
        }
        clear(&self.path)?;
        // If its folder was only closed, nobody could take it.
        if !is_there()? {
            let file = acquire(&self.path, holder, LEASE_TIMEOUT)?;
            *self.file() = file;
        }
        Ok(true)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        unlock(&self.0.file());
    }
}

impl Lease {
    /// Takes the lease; the error names its holder.
    pub fn acquire(path: &Path, holder: &Holder) -> Result<Lease, StoreError> {
        let file = Mutex::new(acquire(path, holder, LEASE_TIMEOUT)?);
        Ok(Lease(Arc::new(HeldLease { file, path: path.to_owned() })))
    }

    /// A second handle of the same lease, to be inherited by a worker process: the run is leased for as long
    /// as either has it open.
    pub fn handle(&self) -> io::Result<File> {
        self.0.file().try_clone()
    }

    /// True if a file inherited by this process is the lease of that path, and holds it.
    pub fn is_inherited(path: &Path, file: &File) -> bool {
        is_same_file(path, file).unwrap_or(false) && file.try_lock().is_ok()
    }

    /// Frees the lease and removes its file, when its run is gone.
    pub fn remove(self) -> io::Result<()> {
        fs_err::remove_file(&self.0.path)
    }

    /// The current holder of a lease, if any.
    pub fn holder(path: &Path) -> io::Result<Option<Holder>> {
        let Some(file) = open(path, false)? else { return Ok(None) };
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => {
                let unknown =
                    Holder { pid: 0, since: "?".to_owned(), command: "?".to_owned(), namespace: None };
                Ok(Some(read_holder(&file).unwrap_or(unknown)))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Leases that this process holds, as long as they are held. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeldLeases(Arc<Mutex<Vec<Weak<HeldLease>>>>);

impl HeldLeases {
    pub(crate) fn add(&self, lease: &Lease) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|lease| lease.strong_count() > 0);
        held.push(Arc::downgrade(&lease.0));
    }

    /// Takes each lease again whose file was removed, replaced or closed, and returns the paths of those. `clear` removes what
    /// is in the way of a lock. An error if another process has taken one of them meanwhile, which is told before any other.
    pub(crate) fn take_back(
        &self,
        holder: &Holder,
        clear: impl Fn(&Path) -> io::Result<()>,
    ) -> Result<Vec<PathBuf>, StoreError> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (mut lost, mut problem) = (Vec::new(), None);
        for lease in held.iter().filter_map(Weak::upgrade) {
            match lease.take_back(holder, &clear) {
                Ok(false) => {}
                Ok(true) => lost.push(lease.path.clone()),
                Err(locked @ StoreError::Locked { .. }) => return Err(locked),
                Err(other) => problem = Some(other),
            }
        }
        problem.map_or(Ok(lost), Err)
    }
}

/// Name of the namespace that the id of this process belongs to (Linux).
pub fn process_namespace() -> Option<String> {
    let name = fs_err::read_link("/proc/self/ns/pid").ok()?;
    Some(name.to_string_lossy().into_owned())
}

/// Explicit, because closing the file frees the lock only after a child that is just being spawned has closed
/// its copy.
fn unlock(file: &File) {
    let _ = file.unlock();
}

fn acquire(path: &Path, holder: &Holder, timeout: Duration) -> Result<File, StoreError> {
    let deadline = Instant::now() + timeout;
    let mut pause = Duration::from_micros(200);
    loop {
        let Some(file) = open(path, true)? else { return Err(gone(path).into()) };
        match file.try_lock() {
            // The lock counts only if the locked file is still the one at that path.
            Ok(()) if is_same_file(path, &file)? => {
                write_holder(&file, holder);
                return Ok(file);
            }
            Ok(()) => {}
            Err(TryLockError::WouldBlock)
                if Instant::now() >= deadline || IS_INTERRUPTED.load(Ordering::Relaxed) =>
            {
                return Err(StoreError::Locked { path: path.to_owned(), holder: read_holder(&file) });
            }
            Err(TryLockError::WouldBlock) => {
                sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(5));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// Opens a lock file; none if there is no such file.
fn open(path: &Path, create: bool) -> Result<Option<File>, PlainFileError> {
    let mut options = fs_err::OpenOptions::new();
    options.read(true).write(true).create(create).truncate(false);
    let file = plain_file::open(path, Links::Refused, &mut options)?;
    Ok(file.map(fs_err::File::into_file))
}

/// The folder of a lock is missing.
fn gone(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("the folder of {} is gone", path.display()))
}

/// True if an open file is still the one at that path.
pub(crate) fn is_same_file(path: &Path, file: &File) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs_err::symlink_metadata(path) {
        Ok(theirs) => Ok((ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes the holder into the lock file. Only for messages, so errors are ignored.
///
/// Most often it is the previous holder again; then nothing is written, to spare the disk.
fn write_holder(file: &File, holder: &Holder) {
    let mut text = serde_json::to_vec(holder).unwrap_or_default();
    text.push(b'\n');
    let mut found = vec![0; text.len() + 1];
    if file.read_at(&mut found, 0).is_ok_and(|length| found[..length] == text) {
        return;
    }
    if file.write_all_at(&text, 0).is_ok() {
        let _ = file.set_len(text.len() as u64);
    }
}

fn read_holder(file: &File) -> Option<Holder> {
    let mut text = [0; 4096];
    let length = file.read_at(&mut text, 0).ok()?;
    serde_json::Deserializer::from_slice(&text[..length]).into_iter().next()?.ok()
}
