//! Tidying up: what killed processes left behind, runs long completed, archives nobody will miss.

use crate::archive::remove_if_there;
use crate::documents::Documents;
use crate::error::StoreError;
use crate::listing::{Row, entries};
use charrette_model::checkpoint::DocumentName;
use charrette_model::stamp::Now;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// How long things are kept.
#[derive(Debug, Clone, Copy)]
pub struct Keep {
    /// Completed runs, before they are archived.
    pub completed_days: u32,
    /// Archives, before they are removed.
    pub archive_days: u32,
}

/// One thing that was done, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tidied {
    /// What: `archive-completed`, `remove-archive`, `remove-temp`, `remove-lock` or `remove-history`.
    pub action: &'static str,
    /// The file.
    pub path: PathBuf,
    /// How large it is.
    pub bytes: u64,
}

impl Documents {
    /// Tidies up. With `dry_run`, only says what it would do.
    pub fn gc(&self, keep: Keep, now: Now, dry_run: bool) -> Result<Vec<Tidied>, StoreError> {
        self.folder().check()?;
        let mut done = self.archive_completed(keep.completed_days, now, dry_run)?;
        done.extend(self.remove_temps(dry_run)?);
        done.extend(self.remove_orphans(dry_run)?);
        done.extend(self.remove_archives(keep.archive_days, now, dry_run)?);
        Ok(done)
    }

    fn archive_completed(&self, days: u32, now: Now, dry_run: bool) -> Result<Vec<Tidied>, StoreError> {
        let is_old = |row: &Row| {
            let completed = row.glance.as_ref().ok().and_then(|glance| glance.completed_at.as_ref());
            completed.is_some_and(|completed| is_older(completed.at(), days, now)) && row.driver.is_none()
        };
        let mut done = Vec::new();
        for row in self.list()?.into_iter().filter(is_old) {
            done.push(tidied("archive-completed", &row.path)?);
            if !dry_run {
                self.abandon(&row.name, now)?;
            }
        }
        Ok(done)
    }

    /// A temp file is a leftover if nobody holds the lock of its document.
    fn remove_temps(&self, dry_run: bool) -> Result<Vec<Tidied>, StoreError> {
        let mut done = Vec::new();
        for file in entries(self.folder().path().to_owned())? {
            let stem = file.strip_prefix('.').and_then(|file| file.strip_suffix(".json.tmp"));
            let Some(name) = stem.and_then(DocumentName::from_stem) else { continue };
            let temp = self.folder().temp(&name);
            let lock = if dry_run { None } else { Some(self.lock(&name)?) };
            let Ok(found) = tidied("remove-temp", &temp) else { continue };
            if lock.is_some() {
                remove_if_there(&temp)?;
            }
            done.push(found);
        }
        Ok(done)
    }

    /// Locks and histories of documents that no longer exist.
    fn remove_orphans(&self, dry_run: bool) -> Result<Vec<Tidied>, StoreError> {
        let mut done = Vec::new();
        let folders = [(self.folder().locks(), "remove-lock"), (self.folder().histories(), "remove-history")];
        for (folder, action) in folders {
            for file in entries(folder.clone())? {
                let Some(name) = owner_of(&file) else { continue };
                if self.folder().document(&name).exists() {
                    continue;
                }
                let found = tidied(action, &folder.join(&file))?;
                if dry_run || self.remove_orphan(&name, &found.path)? {
                    done.push(found);
                }
            }
        }
        Ok(done)
    }

    /// False if somebody is at work on the document after all: whoever holds a lock may be about to create it.
    fn remove_orphan(&self, name: &DocumentName, path: &Path) -> Result<bool, StoreError> {
        let (Ok(lease), Ok(_lock)) = (self.lease(name), self.lock(name)) else { return Ok(false) };
        if self.folder().document(name).exists() {
            return Ok(false);
        }
        remove_if_there(path)?;
        remove_if_there(&self.folder().lock(name))?;
        remove_if_there(&self.folder().lease(name))?;
        drop(lease);
        Ok(true)
    }

    fn remove_archives(&self, days: u32, now: Now, dry_run: bool) -> Result<Vec<Tidied>, StoreError> {
        let mut done = Vec::new();
        for file in entries(self.folder().archives())? {
            let path = self.folder().archives().join(&file);
            let written = path.symlink_metadata()?.modified()?;
            let Ok(written) = Timestamp::try_from(written) else { continue };
            if !file.ends_with(".zst") || !is_older(written, days, now) {
                continue;
            }
            done.push(tidied("remove-archive", &path)?);
            if !dry_run {
                remove_if_there(&path)?;
            }
        }
        Ok(done)
    }
}

/// The document a lock or history file belongs to: `design-x.lock`, `design-x.jsonl.1`.
fn owner_of(file: &str) -> Option<DocumentName> {
    let stem = [".lock", ".lease", ".jsonl", ".jsonl.1", ".jsonl.2"]
        .iter()
        .find_map(|suffix| file.strip_suffix(suffix))?;
    DocumentName::from_stem(stem)
}

fn tidied(action: &'static str, path: &Path) -> io::Result<Tidied> {
    let bytes = path.symlink_metadata()?.len();
    Ok(Tidied { action, path: path.to_owned(), bytes })
}

fn is_older(at: Timestamp, days: u32, now: Now) -> bool {
    now.at().duration_since(at) > SignedDuration::from_hours(24 * i64::from(days))
}
