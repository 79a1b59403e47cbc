//! Custody of a run's files: their content as the driver wrote or accepted it, so that a change by anybody else is
//! noticed and taken back.
//!
//! A person's edits count between runs and at gates: the driver then accepts the files as they are. In between, nobody but
//! the driver writes them.

use crate::documents::read_small;
use charrette_model::tree::ChangeKind;
use rustix::fs::{AtFlags, FileType};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// A change that did not pass through the driver. It is taken back already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignChange {
    pub path: PathBuf,
    pub kind: ChangeKind,
}

/// A change to be taken back.
pub(crate) struct Restoration {
    pub(crate) change: ForeignChange,
    /// Content to put back; none if the file should not exist.
    pub(crate) bytes: Option<Arc<[u8]>>,
}

/// Files of a run, by path. Inactive until [`Custody::begin`]: until then it only remembers what was read.
#[derive(Debug, Default)]
pub(crate) struct Custody(Mutex<CustodyState>);

#[derive(Debug, Default)]
struct CustodyState {
    is_active: bool,
    files: BTreeMap<PathBuf, KeptFile>,
    /// Changes by others that were taken back and nobody was told about yet.
    foreign: Vec<ForeignChange>,
}

#[derive(Debug, Clone)]
struct KeptFile {
    /// Metadata of a file whose bytes were compared, long enough after its last change that a later one would show. None
    /// for a younger file: its bytes are compared each time.
    signature: Option<Signature>,
    bytes: Arc<[u8]>,
}

/// Time after which a change of a file shows in its metadata: more than the tick of any kernel's clock.
const SETTLING_TIME: Duration = Duration::from_millis(100);
/// The same on file systems that count whole seconds.
const COARSE_SETTLING_TIME: Duration = Duration::from_secs(2);

/// File metadata that identifies an unchanged file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signature {
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl Signature {
    /// Of a regular file; none if there is none at that path. Links are not followed.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Signature>> {
        match path.symlink_metadata() {
            Ok(meta) => Ok(meta.is_file().then(|| Signature::of(&meta))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn of(meta: &std::fs::Metadata) -> Signature {
        Signature { inode: meta.ino(), bytes: meta.len(), changed: (meta.ctime(), meta.ctime_nsec()) }
    }

    /// Of a regular file in a folder that is open. Links are not followed.
    pub(crate) fn at(folder: impl AsFd, name: &OsStr) -> Option<Signature> {
        let meta = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        (FileType::from_raw_mode(meta.st_mode) == FileType::RegularFile).then(|| Signature {
            inode: meta.st_ino,
            bytes: u64::try_from(meta.st_size).unwrap_or_default(),
            changed: (meta.st_ctime, i64::try_from(meta.st_ctime_nsec).unwrap_or_default()),
        })
    }

    /// Content of the file, which should have this signature.
    pub(crate) fn read_file(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_small(fs_err::File::open(path)?, self.bytes)
    }

    /// This signature, if the last change is long enough ago.
    pub(crate) fn settled(self) -> Option<Signature> {
        let (seconds, nanoseconds) =
            (u64::try_from(self.changed.0).ok()?, u32::try_from(self.changed.1).ok()?);
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        let age = SystemTime::now().duration_since(changed).ok()?;
        let needed = if nanoseconds == 0 { COARSE_SETTLING_TIME } else { SETTLING_TIME };
        (age > needed).then_some(self)
    }
}

impl Custody {
    fn state(&self) -> MutexGuard<'_, CustodyState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_active(&self) -> bool {
        self.state().is_active
    }

    /// Accepts these files as they are now, and forgets all others but those below `except`.
    pub(crate) fn begin(
        &self,
        paths: impl IntoIterator<Item = PathBuf>,
        except: Option<&Path>,
    ) -> io::Result<()> {
        let mut state = self.state();
        let (kept, before): (BTreeMap<_, _>, _) = std::mem::take(&mut state.files)
            .into_iter()
            .partition(|(path, _)| except.is_some_and(|except| path.starts_with(except)));
        state.files = kept;
        state.is_active = true;
        for path in paths {
            let Some(signature) = Signature::read(&path)? else { continue };
            let kept = match before.get(&path).filter(|kept| kept.signature == Some(signature)) {
                Some(kept) => kept.clone(),
                None => {
                    KeptFile { signature: signature.settled(), bytes: signature.read_file(&path)?.into() }
                }
            };
            state.files.insert(path, kept);
        }
        Ok(())
    }

    /// Takes note of a file that was read before custody begins, so that it need not be read again.
    pub(crate) fn remember(&self, path: PathBuf, signature: Signature, bytes: Vec<u8>) {
        let mut state = self.state();
        if let Some(signature) = signature.settled().filter(|_| !state.is_active) {
            state.files.insert(path, KeptFile { signature: Some(signature), bytes: bytes.into() });
        }
    }

    /// Takes note of files that the driver has just written.
    pub(crate) fn keep(&self, files: &[(PathBuf, &[u8])]) {
        let mut state = self.state();
        if state.is_active {
            let kept = |bytes: &[u8]| KeptFile { signature: None, bytes: bytes.into() };
            state.files.extend(files.iter().map(|(path, bytes)| (path.clone(), kept(bytes))));
        }
    }

    /// Takes note that the driver has moved a file.
    pub(crate) fn moved(&self, from: &Path, to: &Path) {
        let mut state = self.state();
        if let Some(kept) = state.files.remove(from) {
            state.files.insert(to.to_owned(), KeptFile { signature: None, ..kept });
        }
    }

    /// Forgets files that the driver removes.
    pub(crate) fn forget(&self, is_gone: impl Fn(&Path) -> bool) {
        self.state().files.retain(|path, _| !is_gone(path));
    }

    /// Paths of all files in custody.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.state().files.keys().cloned().collect()
    }

    /// The foreign change of one file, if there is one, and how to take it back.
    pub(crate) fn foreign_change(&self, path: &Path) -> io::Result<Option<Restoration>> {
        let mut state = self.state();
        if !state.is_active {
            return Ok(None);
        }
        let change = |kind| ForeignChange { path: path.to_owned(), kind };
        let now = Signature::read(path)?;
        let Some(kept) = state.files.get_mut(path) else {
            let is_there = path.symlink_metadata().is_ok();
            return Ok(is_there.then(|| Restoration { change: change(ChangeKind::Added), bytes: None }));
        };
        let kind = match now {
            Some(signature) if kept.signature == Some(signature) => return Ok(None),
            Some(signature) if *signature.read_file(path)? == *kept.bytes => {
                kept.signature = signature.settled();
                return Ok(None);
            }
            Some(_) => ChangeKind::Modified,
            None if path.symlink_metadata().is_ok() => ChangeKind::Modified,
            None => ChangeKind::Deleted,
        };
        Ok(Some(Restoration { change: change(kind), bytes: Some(kept.bytes.clone()) }))
    }

    /// Notes a change that was taken back.
    pub(crate) fn note(&self, change: ForeignChange) {
        let mut state = self.state();
        if !state.foreign.contains(&change) {
            state.foreign.push(change);
        }
    }

    /// Changes that were taken back since the last call.
    pub(crate) fn take_foreign(&self) -> Vec<ForeignChange> {
        std::mem::take(&mut self.state().foreign)
    }
}
