//! Two kinds of lock, both kernel locks on side files.
//!
//! A document lock is held for one change; a lease is held for as long as a process drives a run. The kernel
//! decides who holds a lock and frees it when the holder dies, however it dies. What is written in a lock
//! file only says who that is.

use crate::error::StoreError;
use charrette_model::shown::shown;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a change waits for another one to finish. One takes milliseconds.
const DOCUMENT_PATIENCE: Duration = Duration::from_secs(30);

/// How long a driver waits before it believes that another one is there: somebody may just be looking.
const LEASE_PATIENCE: Duration = Duration::from_millis(200);

/// Who holds a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process.
    pub pid: u32,
    /// When that process started.
    pub since: String,
    /// What it was asked to do.
    pub command: String,
}

impl Holder {
    /// In words, to follow "locked" or "driven".
    pub fn described(holder: Option<&Holder>) -> String {
        match holder {
            Some(holder) => {
                format!(
                    " by process {} ({}), since {}",
                    holder.pid,
                    shown(&holder.command),
                    shown(&holder.since)
                )
            }
            None => " by another process".to_owned(),
        }
    }
}

/// The lock of one document, for one change. Dropping it frees it.
#[derive(Debug)]
pub struct DocumentLock(File);

impl Drop for DocumentLock {
    fn drop(&mut self) {
        free(&self.0);
    }
}

impl DocumentLock {
    /// Waits for the lock.
    pub fn acquire(path: &Path, holder: &Holder) -> Result<DocumentLock, StoreError> {
        Ok(DocumentLock(acquire(path, holder, DOCUMENT_PATIENCE)?))
    }
}

/// The lease of a run, for the life of the process that drives it. Dropping it frees it.
#[derive(Debug)]
pub struct Lease {
    file: File,
    path: PathBuf,
}

impl Drop for Lease {
    fn drop(&mut self) {
        free(&self.file);
    }
}

impl Lease {
    /// Takes the lease, or says who has it.
    pub fn acquire(path: &Path, holder: &Holder) -> Result<Lease, StoreError> {
        let file = acquire(path, holder, LEASE_PATIENCE)?;
        Ok(Lease { file, path: path.to_owned() })
    }

    /// A second handle of the same lease, to be handed to a process that works for this one: the run is leased for as
    /// long as either has it open.
    pub fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Whether a file that was handed to this process is the lease of that path, and holds it.
    pub fn is_handed(path: &Path, file: &File) -> bool {
        is_still(path, file).unwrap_or(false) && file.try_lock().is_ok()
    }

    /// Frees the lease and removes its file, when the run it belonged to is gone.
    pub fn remove(self) -> io::Result<()> {
        fs_err::remove_file(&self.path)
    }

    /// Who drives the run right now, if anybody does.
    pub fn holder(path: &Path) -> io::Result<Option<Holder>> {
        let file = match open(path, false) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => {
                let unknown = Holder { pid: 0, since: "?".to_owned(), command: "?".to_owned() };
                Ok(Some(read_holder(&file).unwrap_or(unknown)))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Closing the file would free it too, but only when a child that is just being started has closed its copy.
fn free(file: &File) {
    let _ = file.unlock();
}

fn acquire(path: &Path, holder: &Holder, patience: Duration) -> Result<File, StoreError> {
    let deadline = Instant::now() + patience;
    let mut pause = Duration::from_micros(200);
    loop {
        let file = open(path, true)?;
        match file.try_lock() {
            // The lock is worth something only if the file we locked is still the one others will open.
            Ok(()) if is_still(path, &file)? => {
                sign(&file, holder);
                return Ok(file);
            }
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
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

fn open(path: &Path, create: bool) -> io::Result<File> {
    let mut options = fs_err::OpenOptions::new();
    options.read(true).write(true).create(create).truncate(false);
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    options.options_mut().custom_flags(no_follow);
    Ok(options.open(path)?.into_file())
}

/// Whether a file is the one that has that name.
pub(crate) fn is_still(path: &Path, file: &File) -> io::Result<bool> {
    let ours = file.metadata()?;
    match path.symlink_metadata() {
        Ok(theirs) => Ok((ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Leaves word of who holds the lock. Only for messages, so a full disk does not stop anybody here.
///
/// Most often that is who held it before, and then nothing is written: the disk would have to keep it.
fn sign(file: &File, holder: &Holder) {
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
