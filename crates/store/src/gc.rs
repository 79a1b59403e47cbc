//! Garbage collection: leftovers of killed processes, runs completed long ago, old archives.

use crate::archive::remove_if_exists;
use crate::documents::Documents;
use crate::error::StoreError;
use crate::listing::{RunListing, entries};
use charrette_model::checkpoint::DocumentName;
use charrette_model::stamp::Now;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// Retention periods.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// Days before a completed run is archived.
    pub completed_days: u32,
    /// Days before an archive is removed.
    pub archive_days: u32,
}

/// One action of the garbage collection, done or (in a dry run) planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GcAction {
    /// `archive-completed`, `remove-archive`, `remove-temp`, `remove-lock`, `remove-history` or `remove-workspace`.
    pub action: &'static str,
    pub path: PathBuf,
    /// Size of the file.
    pub bytes: u64,
}

impl Documents {
    /// Collects garbage. With `dry_run`, only returns the planned actions.
    pub fn gc(&self, retention: Retention, now: Now, dry_run: bool) -> Result<Vec<GcAction>, StoreError> {
        self.folder().check()?;
        let mut done = self.archive_completed(retention.completed_days, now, dry_run)?;
        done.extend(self.remove_temps(dry_run)?);
        done.extend(self.remove_orphans(dry_run)?);
        done.extend(self.remove_archives(retention.archive_days, now, dry_run)?);
        Ok(done)
    }

    fn archive_completed(&self, days: u32, now: Now, dry_run: bool) -> Result<Vec<GcAction>, StoreError> {
        let is_old = |row: &RunListing| {
            let completed = row.overview.as_ref().ok().and_then(|overview| overview.completed_at.as_ref());
            completed.is_some_and(|completed| is_older(completed.at(), days, now)) && row.driver.is_none()
        };
        let mut done = Vec::new();
        for row in self.list()?.into_iter().filter(is_old) {
            done.push(gc_action("archive-completed", &row.path)?);
            if !dry_run {
                self.abandon(&row.name, now)?;
            }
        }
        Ok(done)
    }

    /// A temp file is a leftover if the lock of its document is free.
    fn remove_temps(&self, dry_run: bool) -> Result<Vec<GcAction>, StoreError> {
        let mut done = Vec::new();
        for file in entries(self.folder().path().to_owned())? {
            let stem = file.strip_prefix('.').and_then(|file| file.strip_suffix(".json.tmp"));
            let Some(name) = stem.and_then(DocumentName::from_stem) else { continue };
            let temp = self.folder().temp(&name);
            let lock = if dry_run { None } else { Some(self.lock(&name)?) };
            let Ok(found) = gc_action("remove-temp", &temp) else { continue };
            if lock.is_some() {
                remove_if_exists(&temp)?;
            }
            done.push(found);
        }
        Ok(done)
    }

    /// Removes orphaned locks and histories: their documents no longer exist. A history stays as long as the workspace
    /// of its run does: the document can be rebuilt from it.
    fn remove_orphans(&self, dry_run: bool) -> Result<Vec<GcAction>, StoreError> {
        let mut orphans = Vec::new();
        let folders = [(self.folder().locks(), "remove-lock"), (self.folder().histories(), "remove-history")];
        for (folder, action) in folders {
            for file in entries(folder.clone())? {
                let Some(name) = owner_of(&file) else { continue };
                if self.folder().document(&name).exists() || self.can_be_resumed(&name) {
                    continue;
                }
                match gc_action(action, &folder.join(&file)) {
                    Ok(found) => orphans.push((name, found)),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        let mut done = Vec::new();
        // Each takes the locks of its run with it, which may be listed too.
        for (name, found) in orphans {
            if dry_run || self.remove_orphan(&name, &found.path)? {
                done.push(found);
            }
        }
        Ok(done)
    }

    /// True if the document of a run was deleted, and can be rebuilt for the workspace that is still there.
    fn can_be_resumed(&self, name: &DocumentName) -> bool {
        let remains = self.remains(name).ok().flatten();
        let run = remains.and_then(|remains| remains.document?.run);
        let workspace = run.and_then(|run| run.workspace);
        workspace.is_some_and(|workspace| self.folder().root().join(workspace).is_dir())
    }

    /// False if the document is in use after all: the holder of a lock may be about to create it.
    fn remove_orphan(&self, name: &DocumentName, path: &Path) -> Result<bool, StoreError> {
        let (Ok(lease), Ok(_lock)) = (self.lease(name), self.lock(name)) else { return Ok(false) };
        if self.folder().document(name).exists() {
            return Ok(false);
        }
        remove_if_exists(path)?;
        remove_if_exists(&self.folder().lock(name))?;
        remove_if_exists(&self.folder().lease(name))?;
        drop(lease);
        Ok(true)
    }

    fn remove_archives(&self, days: u32, now: Now, dry_run: bool) -> Result<Vec<GcAction>, StoreError> {
        let mut done = Vec::new();
        for file in entries(self.folder().archives())? {
            let path = self.folder().archives().join(&file);
            let written = path.symlink_metadata()?.modified()?;
            let Ok(written) = Timestamp::try_from(written) else { continue };
            if !file.ends_with(".zst") || !is_older(written, days, now) {
                continue;
            }
            done.push(gc_action("remove-archive", &path)?);
            if !dry_run {
                remove_if_exists(&path)?;
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

fn gc_action(action: &'static str, path: &Path) -> io::Result<GcAction> {
    let bytes = path.symlink_metadata()?.len();
    Ok(GcAction { action, path: path.to_owned(), bytes })
}

fn is_older(at: Timestamp, days: u32, now: Now) -> bool {
    now.at().duration_since(at) > SignedDuration::from_hours(24 * i64::from(days))
}
