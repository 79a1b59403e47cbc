//! Custody of a run's files: their content as the driver wrote or accepted it, so that a change by anybody else is
//! noticed and taken back.
//!
//! A person's edits count between runs and at gates: the driver then accepts the files as they are. In between, nobody but
//! the driver writes them.

use crate::plain_file::{Links, PlainFileError, read_with_signature};
use crate::signature::{Found, Signature};
use charrette_model::tree::ChangeKind;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum size of a file in custody: its content is kept in memory.
const MAX_KEPT_BYTES: u64 = 64 << 20;

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

/// Result of a check of one file.
pub(crate) enum Checked {
    /// The file is as the driver left it, or custody is inactive. With its signature, if it was looked at and is there.
    Unchanged(Option<Signature>),
    Changed(Restoration),
}

/// Files of a run, by path. Inactive until [`Custody::begin`]: until then it only remembers what was read.
#[derive(Debug, Default)]
pub(crate) struct Custody(Mutex<CustodyState>);

#[derive(Debug, Default)]
struct CustodyState {
    is_active: bool,
    /// By path, as text: a path is hashed and compared name by name.
    files: HashMap<OsString, KeptFile>,
    /// Changes by others that were taken back and nobody was told about yet.
    foreign: Vec<ForeignChange>,
    /// Links that lead to these files.
    links: Vec<PathBuf>,
}

#[derive(Debug, Clone)]
struct KeptFile {
    /// Metadata of a file whose bytes were compared, long enough after its last change that a later one would show. None
    /// for a younger file: its bytes are compared each time.
    signature: Option<Signature>,
    bytes: Arc<[u8]>,
}

impl CustodyState {
    /// A file as it is now; none if there is no regular file.
    fn accepted(&self, path: &Path) -> io::Result<Option<KeptFile>> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let Found::File(signature) = Found::at(path).map_err(named)? else { return Ok(None) };
        let known = self.files.get(path.as_os_str()).filter(|kept| kept.signature == Some(signature));
        if let Some(kept) = known {
            return Ok(Some(kept.clone()));
        }
        let read = read_with_signature(path, Links::Refused, MAX_KEPT_BYTES)?;
        Ok(read.map(|(bytes, signature)| KeptFile { signature: signature.settled(), bytes: bytes.into() }))
    }
}

impl Custody {
    fn state(&self) -> MutexGuard<'_, CustodyState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_active(&self) -> bool {
        self.state().is_active
    }

    /// Accepts these files as they are now, and forgets all others but those below `except`. If one cannot be read, nothing
    /// changes: what is not in custody would count as added by others. True if a file that was in custody is another one now,
    /// or gone.
    pub(crate) fn begin(
        &self,
        paths: impl IntoIterator<Item = PathBuf>,
        except: Option<&Path>,
    ) -> io::Result<bool> {
        let mut state = self.state();
        let mut files = HashMap::new();
        for path in paths {
            if let Some(kept) = state.accepted(&path)? {
                files.insert(path.into_os_string(), kept);
            }
        }
        let is_excepted = |path: &OsString| except.is_some_and(|except| Path::new(path).starts_with(except));
        let is_same = |path: &OsString, kept: &KeptFile| {
            files.get(path).is_some_and(|found: &KeptFile| found.bytes == kept.bytes)
        };
        let mut accepted = state.files.iter().filter(|(path, _)| !is_excepted(path));
        let has_changed = state.is_active && accepted.any(|(path, kept)| !is_same(path, kept));
        state.files.retain(|path, _| is_excepted(path));
        state.files.extend(files);
        state.is_active = true;
        Ok(has_changed)
    }

    /// Accepts the links that lead to the files in custody.
    pub(crate) fn accept_links(&self, links: Vec<PathBuf>) {
        self.state().links = links;
    }

    /// True for a link that was accepted; before custody each is.
    pub(crate) fn has_link(&self, path: &Path) -> bool {
        let state = self.state();
        !state.is_active || state.links.iter().any(|link| link == path)
    }

    /// Takes note of a file that was read before custody begins, so that it need not be read again.
    pub(crate) fn remember(&self, path: PathBuf, signature: Signature, bytes: Vec<u8>) {
        let mut state = self.state();
        if let Some(signature) = signature.settled().filter(|_| !state.is_active) {
            let kept = KeptFile { signature: Some(signature), bytes: bytes.into() };
            state.files.insert(path.into_os_string(), kept);
        }
    }

    /// Takes note of files that the driver has just written.
    pub(crate) fn keep(&self, files: &[(PathBuf, &[u8])]) {
        let mut state = self.state();
        if state.is_active {
            let kept = |bytes: &[u8]| KeptFile { signature: None, bytes: bytes.into() };
            state
                .files
                .extend(files.iter().map(|(path, bytes)| (path.clone().into_os_string(), kept(bytes))));
        }
    }

    /// Takes note that the driver has moved a file.
    pub(crate) fn moved(&self, from: &Path, to: &Path) {
        let mut state = self.state();
        if let Some(kept) = state.files.remove(from.as_os_str()) {
            state.files.insert(to.as_os_str().to_owned(), KeptFile { signature: None, ..kept });
        }
    }

    /// Forgets files that the driver removes.
    pub(crate) fn forget(&self, is_gone: impl Fn(&Path) -> bool) {
        self.state().files.retain(|path, _| !is_gone(Path::new(path)));
    }

    /// Content of a file as the driver left it; none if there should be no such file, or custody is inactive.
    pub(crate) fn content(&self, path: &Path) -> Option<Arc<[u8]>> {
        let state = self.state();
        state.files.get(path.as_os_str()).filter(|_| state.is_active).map(|kept| kept.bytes.clone())
    }

    /// Paths of all files in custody.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.state().files.keys().map(PathBuf::from).collect()
    }

    /// Checks one file.
    pub(crate) fn check(&self, path: &Path) -> io::Result<Checked> {
        let mut state = self.state();
        if !state.is_active {
            return Ok(Checked::Unchanged(None));
        }
        let change = |kind| ForeignChange { path: path.to_owned(), kind };
        let now = Found::at(path)?;
        let Some(kept) = state.files.get_mut::<OsStr>(path.as_os_str()) else {
            return Ok(match now {
                Found::Nothing => Checked::Unchanged(None),
                Found::File(_) | Found::Other => {
                    Checked::Changed(Restoration { change: change(ChangeKind::Added), bytes: None })
                }
            });
        };
        let kind = match now {
            Found::File(signature) if kept.signature == Some(signature) => {
                return Ok(Checked::Unchanged(Some(signature)));
            }
            // A longer file is another one; it is not read.
            Found::File(_) => match read_with_signature(path, Links::Refused, kept.bytes.len() as u64) {
                Ok(Some((bytes, signature))) if *bytes == *kept.bytes => {
                    kept.signature = signature.settled();
                    return Ok(Checked::Unchanged(Some(signature)));
                }
                // The driver can read its own files.
                Err(PlainFileError::Io(error)) if error.kind() != io::ErrorKind::PermissionDenied => {
                    return Err(error);
                }
                _ => ChangeKind::Modified,
            },
            Found::Other => ChangeKind::Modified,
            Found::Nothing => ChangeKind::Deleted,
        };
        Ok(Checked::Changed(Restoration { change: change(kind), bytes: Some(kept.bytes.clone()) }))
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
