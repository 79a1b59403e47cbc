//! `trust.json` in the user's state folder: contents of repositories that a person accepted.
//!
//! The file decides what may run, so it is believed only if nobody else can have written it: a plain file of this user
//! that others cannot write. A torn file is moved aside and trusts nothing.

use crate::atomic::replace_private;
use crate::error::StoreError;
use crate::lock::{DocumentLock, Holder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Version of the format.
const VERSION: u32 = 1;
/// Maximum size of the file.
const MAX_BYTES: u64 = 64 << 20;
/// Torn files that are kept beside it.
const MAX_TORN: usize = 100;
/// Accepted contents that are remembered for a repository: its branches may differ.
const MAX_ACCEPTED: usize = 16;

/// The file in one state folder.
#[derive(Debug, Clone)]
pub struct TrustFile {
    path: PathBuf,
}

/// Accepted contents of all repositories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustRecords {
    repositories: BTreeMap<String, Vec<Acceptance>>,
}

/// A content that a person accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    /// SHA-256 of the text.
    pub digest: String,
    /// Time of the answer.
    pub at: String,
    /// The text, to compare a changed one with; only of the last content that was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TrustFileError {
    #[error("{} belongs to user {owner}, not to you", .path.display())]
    ForeignOwner { path: PathBuf, owner: u32 },
    #[error("{} can be written by others (mode {mode:03o})", .path.display())]
    WritableByOthers { path: PathBuf, mode: u32 },
    #[error("{} is not a plain file", .0.display())]
    NotAFile(PathBuf),
    #[error("{} has version {version}; this charrette reads version {VERSION}", .path.display())]
    Version { path: PathBuf, version: u64 },
    #[error("{} is larger than {} MB", .0.display(), MAX_BYTES >> 20)]
    TooLarge(PathBuf),
    /// Moved aside, so that the next answer can be kept.
    #[error("{} was torn ({reason}) and is moved to {}", .path.display(), .moved_to.display())]
    MovedAside { path: PathBuf, moved_to: PathBuf, reason: String },
    #[error("{} is torn ({reason}) and cannot be moved aside: {cause}", .path.display())]
    Torn { path: PathBuf, reason: String, cause: String },
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Lock(#[from] StoreError),
}

impl TrustFileError {
    /// The file, if it must be repaired by a person before it is used again.
    pub fn to_repair(&self) -> Option<&Path> {
        match self {
            TrustFileError::ForeignOwner { path, .. }
            | TrustFileError::WritableByOthers { path, .. }
            | TrustFileError::NotAFile(path)
            | TrustFileError::Version { path, .. }
            | TrustFileError::TooLarge(path) => Some(path),
            _ => None,
        }
    }
}

impl TrustRecords {
    /// The contents that were accepted for a repository, the last one last.
    pub fn accepted(&self, repository: &Path) -> &[Acceptance] {
        self.repositories.get(&key(repository)).map_or(&[], Vec::as_slice)
    }

    /// All repositories with accepted contents.
    pub fn all(&self) -> impl Iterator<Item = (&str, &[Acceptance])> {
        self.repositories.iter().map(|(repository, accepted)| (repository.as_str(), accepted.as_slice()))
    }
}

#[derive(Serialize, Deserialize)]
struct Content {
    version: u32,
    repositories: BTreeMap<String, Vec<Acceptance>>,
}

impl TrustFile {
    /// The file in this state folder of the user.
    pub fn new(state_folder: &Path) -> TrustFile {
        TrustFile { path: state_folder.join("trust.json") }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file. No file trusts nothing; a torn one is moved aside.
    pub fn read(&self, holder: &Holder) -> Result<TrustRecords, TrustFileError> {
        match self.parse()? {
            Ok(records) => Ok(records),
            Err(reason) => {
                let cannot = |cause: String| TrustFileError::Torn {
                    path: self.path.clone(),
                    reason: reason.clone(),
                    cause,
                };
                let _lock = self.lock(holder).map_err(|error| cannot(error.to_string()))?;
                // Another process may have moved it meanwhile.
                match self.parse()? {
                    Ok(records) => Ok(records),
                    Err(reason) => {
                        let moved_to = self.unused_name();
                        fs_err::rename(&self.path, &moved_to).map_err(|error| cannot(error.to_string()))?;
                        Err(TrustFileError::MovedAside { path: self.path.clone(), moved_to, reason })
                    }
                }
            }
        }
    }

    /// Keeps a content as accepted.
    pub fn accept(
        &self,
        repository: &Path,
        acceptance: Acceptance,
        holder: &Holder,
    ) -> Result<(), TrustFileError> {
        self.change(holder, |repositories| {
            let accepted = repositories.entry(key(repository)).or_default();
            accepted.retain(|earlier| earlier.digest != acceptance.digest);
            for earlier in accepted.iter_mut() {
                earlier.text = None;
            }
            accepted.push(acceptance);
            let surplus = accepted.len().saturating_sub(MAX_ACCEPTED);
            accepted.drain(..surplus);
        })
    }

    /// Forgets all contents of a repository. Returns their number.
    pub fn revoke(&self, repository: &Path, holder: &Holder) -> Result<usize, TrustFileError> {
        if self.read(holder)?.accepted(repository).is_empty() {
            return Ok(0);
        }
        let mut count = 0;
        self.change(holder, |repositories| {
            count = repositories.remove(&key(repository)).map_or(0, |accepted| accepted.len());
        })?;
        Ok(count)
    }

    fn change(
        &self,
        holder: &Holder,
        change: impl FnOnce(&mut BTreeMap<String, Vec<Acceptance>>),
    ) -> Result<(), TrustFileError> {
        if let Some(folder) = self.path.parent() {
            fs_err::create_dir_all(folder)?;
        }
        // A torn file is moved aside under its own lock, before the change.
        match self.read(holder) {
            Ok(_) | Err(TrustFileError::MovedAside { .. }) => {}
            Err(error) => return Err(error),
        }
        let _lock = self.lock(holder)?;
        let mut repositories = self.parse()?.unwrap_or_default().repositories;
        change(&mut repositories);
        let text = serde_json::to_string_pretty(&Content { version: VERSION, repositories })
            .map_err(io::Error::other)?;
        replace_private(&self.path, (text + "\n").as_bytes())
            .map_err(|error| TrustFileError::Io(io::Error::other(error)))
    }

    fn lock(&self, holder: &Holder) -> Result<DocumentLock, StoreError> {
        DocumentLock::acquire(&self.path.with_extension("lock"), holder)
    }

    /// The records; the inner error says why the text is torn.
    fn parse(&self) -> Result<Result<TrustRecords, String>, TrustFileError> {
        let Some(bytes) = self.bytes()? else { return Ok(Ok(TrustRecords::default())) };
        let value: serde_json::Value = match serde_json::from_slice(&bytes) {
            Ok(value) => value,
            Err(error) => return Ok(Err(error.to_string())),
        };
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(version) if version != u64::from(VERSION) => {
                return Err(TrustFileError::Version { path: self.path.clone(), version });
            }
            _ => {}
        }
        let content: Result<Content, _> = serde_json::from_value(value);
        Ok(content
            .map(|content| TrustRecords { repositories: content.repositories })
            .map_err(|error| error.to_string()))
    }

    /// The bytes of the file, if it is there and nobody else can have written it.
    fn bytes(&self) -> Result<Option<Vec<u8>>, TrustFileError> {
        let path = || self.path.clone();
        match self.path.symlink_metadata() {
            Ok(meta) if !meta.is_file() => return Err(TrustFileError::NotAFile(path())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            _ => {}
        }
        let mut options = fs_err::OpenOptions::new();
        options.read(true).options_mut().custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
        let file = options.open(&self.path)?;
        let meta = file.metadata()?;
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(TrustFileError::ForeignOwner { path: path(), owner: meta.uid() });
        }
        if meta.mode() & 0o022 != 0 {
            return Err(TrustFileError::WritableByOthers { path: path(), mode: meta.mode() & 0o777 });
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(TrustFileError::TooLarge(path()));
        }
        Ok(Some(bytes))
    }

    /// A name beside the file that does not exist; the last one is used again and again.
    fn unused_name(&self) -> PathBuf {
        let name = |n: usize| self.path.with_extension(format!("json.torn-{n}"));
        let unused = (1..MAX_TORN).map(name).find(|path| path.symlink_metadata().is_err());
        unused.unwrap_or_else(|| name(MAX_TORN))
    }
}

/// Key of a repository: its path. A path that is not Unicode is escaped, and cannot be mistaken for one that is.
fn key(repository: &Path) -> String {
    match repository.to_str() {
        Some(path) => path.to_owned(),
        None => format!("bytes:{}", repository.as_os_str().as_encoded_bytes().escape_ascii()),
    }
}
