//! Archives of abandoned runs: document and history, compressed.

use crate::atomic;
use crate::documents::{Documents, read_bytes};
use crate::error::StoreError;
use crate::history;
use charrette_model::checkpoint::DocumentName;
use charrette_model::stamp::Now;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io;
use std::path::{Path, PathBuf};

impl Documents {
    /// Archives a run and frees its name; `None` if there is neither its document nor, of a deleted one, its history. Fails
    /// if another process holds its lease.
    ///
    /// The document need not be readable: its bytes are archived.
    pub fn abandon(&self, name: &DocumentName, now: Now) -> Result<Option<PathBuf>, StoreError> {
        self.folder().check()?;
        let path = self.folder().document(name);
        let is_gone = || -> Result<bool, StoreError> {
            Ok(history::files(&self.folder().history(name)).is_empty() && read_bytes(&path)?.is_none())
        };
        if is_gone()? {
            return Ok(None);
        }
        let lease = self.lease(name)?;
        let lock = self.lock(name)?;
        if is_gone()? {
            return Ok(None);
        }
        let bytes = read_bytes(&path)?;

        let archives = self.folder().prepare_archives()?;
        let archive =
            free_name(&archives, &format!("{}-{}", name.stem(), now.at().strftime("%Y%m%dT%H%M%SZ")));
        if let Some(bytes) = &bytes {
            write(&archive.with_extension("json.zst"), bytes)?;
        }
        let changes = history::files(&self.folder().history(name));
        if !changes.is_empty() {
            let all =
                changes.iter().map(|file| history::read_file(file)).collect::<io::Result<Vec<_>>>()?.concat();
            write(&archive.with_extension("history.jsonl.zst"), &all)?;
        }

        // The history first, durably: without its document it would be what is left of a deleted run.
        for file in changes.iter().chain([&self.folder().temp(name)]) {
            remove_if_exists(file)?;
        }
        atomic::sync_folders_of(&changes)?;
        remove_if_exists(&path)?;
        atomic::sync_folder_of(&path)?;
        remove_if_exists(&self.folder().lock(name))?;
        drop(lock);
        lease.remove()?;
        Ok(Some(archive.with_extension(if bytes.is_some() { "json.zst" } else { "history.jsonl.zst" })))
    }
}

/// Reads an archived document.
pub fn read_archive(path: &Path) -> io::Result<Vec<u8>> {
    let compressed = fs_err::read(path)?;
    let mut bytes = Vec::new();
    let mut decoder =
        ruzstd::decoding::StreamingDecoder::new(compressed.as_slice()).map_err(io::Error::other)?;
    io::Read::read_to_end(&mut decoder, &mut bytes)?;
    Ok(bytes)
}

fn write(target: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let compressed = compress_to_vec(bytes, CompressionLevel::Fastest);
    let temp = target.with_added_extension("tmp");
    atomic::replace(target, &temp, &compressed).map_err(|error| match error {
        atomic::ReplaceError::BeforeRename(cause) | atomic::ReplaceError::AfterRename(cause) => {
            StoreError::Io(cause)
        }
    })
}

/// A path without extension that no archive has yet.
fn free_name(archives: &Path, stem: &str) -> PathBuf {
    let candidate = |n: usize| archives.join(if n == 1 { stem.to_owned() } else { format!("{stem}-{n}") });
    let is_free = |path: &PathBuf| {
        ["json.zst", "history.jsonl.zst"].iter().all(|kind| !path.with_extension(kind).exists())
    };
    (1..=usize::MAX).map(candidate).find(is_free).unwrap_or_else(|| archives.join(stem))
}

pub(crate) fn remove_if_exists(path: &Path) -> io::Result<()> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
