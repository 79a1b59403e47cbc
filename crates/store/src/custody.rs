//! Custody of a run's files: their content as the driver wrote or accepted it, so that a change by anybody else is
//! noticed and taken back.
//!
//! A person's edits count between runs and at gates: the driver then accepts the files as they are. In between, nobody but
//! the driver writes them.

use charrette_model::tree::ChangeKind;
use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A change that did not pass through the driver. It is taken back already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignChange {
    pub path: PathBuf,
    pub kind: ChangeKind,
}

/// Files of a run, by path. Inactive until [`Custody::begin`].
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
    signature: Signature,
    bytes: Arc<[u8]>,
}

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
}

impl Custody {
    fn state(&self) -> MutexGuard<'_, CustodyState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_active(&self) -> bool {
        self.state().is_active
    }

    /// Accepts these files as they are now, and forgets all others.
    pub(crate) fn begin(&self, paths: impl IntoIterator<Item = PathBuf>) -> io::Result<()> {
        let mut state = self.state();
        let before = std::mem::take(&mut state.files);
        state.is_active = true;
        for path in paths {
            let Some(signature) = Signature::read(&path)? else { continue };
            let kept = match before.get(&path).filter(|kept| kept.signature == signature) {
                Some(kept) => kept.clone(),
                None => KeptFile { signature, bytes: fs_err::read(&path)?.into() },
            };
            state.files.insert(path, kept);
        }
        Ok(())
    }

    /// Takes note of files that the driver has just written.
    pub(crate) fn keep(&self, files: &[(PathBuf, &[u8])]) -> io::Result<()> {
        let mut state = self.state();
        if !state.is_active {
            return Ok(());
        }
        for (path, bytes) in files {
            if let Some(signature) = Signature::read(path)? {
                state.files.insert(path.clone(), KeptFile { signature, bytes: (*bytes).into() });
            }
        }
        Ok(())
    }

    /// Takes note that the driver has moved a file.
    pub(crate) fn moved(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        let Some(kept) = state.files.remove(from) else { return Ok(()) };
        if let Some(signature) = Signature::read(to)? {
            state.files.insert(to.to_owned(), KeptFile { signature, ..kept });
        }
        Ok(())
    }

    /// Takes note that the driver has touched a file without changing its content, such as by a second link.
    pub(crate) fn touched(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        if let (Some(kept), Some(signature)) = (state.files.get_mut(path), Signature::read(path)?) {
            kept.signature = signature;
        }
        Ok(())
    }

    /// Forgets files that the driver removes.
    pub(crate) fn forget(&self, is_gone: impl Fn(&Path) -> bool) {
        self.state().files.retain(|path, _| !is_gone(path));
    }

    /// Paths of all files in custody.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.state().files.keys().cloned().collect()
    }

    /// The foreign change of one file, if there is one, with the content to put back; none if it should not exist.
    pub(crate) fn foreign_change(
        &self,
        path: &Path,
    ) -> io::Result<Option<(ForeignChange, Option<Arc<[u8]>>)>> {
        let mut state = self.state();
        if !state.is_active {
            return Ok(None);
        }
        let change = |kind| ForeignChange { path: path.to_owned(), kind };
        let now = Signature::read(path)?;
        let Some(kept) = state.files.get_mut(path) else {
            let is_there = path.symlink_metadata().is_ok();
            return Ok(is_there.then(|| (change(ChangeKind::Added), None)));
        };
        let kind = match now {
            Some(signature) if signature == kept.signature => return Ok(None),
            Some(signature) if *fs_err::read(path)? == *kept.bytes => {
                kept.signature = signature;
                return Ok(None);
            }
            Some(_) => ChangeKind::Modified,
            None if path.symlink_metadata().is_ok() => ChangeKind::Modified,
            None => ChangeKind::Deleted,
        };
        Ok(Some((change(kind), Some(kept.bytes.clone()))))
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
