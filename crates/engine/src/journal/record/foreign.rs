//! What others have changed while a run was driven: found, taken back and told. Another driver of the same run ends this one.

use super::{ChangeError, Record, lock};
use crate::event::EventKind;
use crate::stop::{FlowResult, Stop};
use charrette_model::escape::printable;
use charrette_model::tree::{ChangeKind, TreeChange, TreePath};
use charrette_store::{ForeignChange, Holder, StoreError};
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::sync::atomic::Ordering;

/// What others have changed while the run was driven.
#[derive(Debug, Default)]
pub(crate) struct ForeignChanges {
    /// Changes that were taken back.
    pub(crate) changes: Vec<TreeChange>,
    /// Why this process may not go on: another one holds a lease of it.
    lost_lease: Option<String>,
    /// What could not be taken back.
    pub(crate) problems: Vec<String>,
}

impl ForeignChanges {
    /// The changes; a failure if something could not be taken back.
    pub(crate) fn into_result(self) -> FlowResult<Vec<TreeChange>> {
        if let Some(problem) = self.lost_lease {
            return Err(Stop::Failed(problem));
        }
        if self.problems.is_empty() {
            return Ok(self.changes);
        }
        Err(Stop::Failed(unrestored_message(&self.problems)))
    }
}

pub(super) fn unrestored_message(problems: &[String]) -> String {
    let more = problems.len().saturating_sub(1);
    let more = if more == 0 { String::new() } else { format!(", and {more} more") };
    let first = problems.first().map_or("", String::as_str);
    format!(
        "{first}{more}. It was changed while the run was driven and is not believed: give back the rights, and resume; \
         it is put back first"
    )
}

impl Record {
    /// Checks document and files of the run. Returns all changes since the last call that did not pass through this driver,
    /// and what could not be put back. Once another process drives the run, all of it is that process's.
    pub(crate) fn take_foreign_changes(&self) -> ForeignChanges {
        if !self.workspace.is_in_custody() {
            return ForeignChanges::default();
        }
        let mut problems = Vec::new();
        if let Err(error) = self.check_leases() {
            problems.push(format!("cannot check the locks of the run: {error}"));
        }
        if self.lost_lease.get().is_none()
            && let Err(error) = self.check_document()
        {
            problems.push(format!("cannot put back the record of the run: {error}"));
        }
        if let Some(lost) = self.lost_lease.get() {
            return ForeignChanges { lost_lease: Some(lost.clone()), ..ForeignChanges::default() };
        }
        let checked = self.workspace.foreign_changes();
        for ForeignChange { path, kind } in checked.changes {
            self.note_foreign(&path, kind, None);
        }
        let names =
            |path: &Path| printable(&self.documents.relative_path(path).to_string_lossy()).to_string();
        problems.extend(
            checked.problems.iter().map(|(path, error)| format!("cannot put back {}: {error}", names(path))),
        );
        ForeignChanges { changes: std::mem::take(&mut *lock(&self.foreign)), lost_lease: None, problems }
    }

    /// Stops the flow if another process drives the run now.
    pub(crate) fn require_leases(&self) -> FlowResult<()> {
        self.find_lost_lease().map_or(Ok(()), |lost| Err(Stop::Failed(lost.to_owned())))
    }

    /// Why this process may not go on, if another one holds a lease of it now or did so before. Locks that cannot be looked
    /// at are told with the next check of all files.
    pub(super) fn find_lost_lease(&self) -> Option<&str> {
        let _ = self.check_leases();
        self.lost_lease.get().map(String::as_str)
    }

    /// Takes leases of this process again whose files others removed or replaced. If another process holds one of them now,
    /// it is lost for good: two must not drive the same run or move the same checkout.
    fn check_leases(&self) -> Result<(), StoreError> {
        if self.lost_lease.get().is_some() {
            return Ok(());
        }
        match self.documents.take_back_leases(&self.workspace.folder().join("evidence")) {
            Ok(taken) => {
                for path in taken {
                    self.note_foreign(&path, ChangeKind::Modified, None);
                }
                Ok(())
            }
            Err(StoreError::Locked { path, holder }) => {
                let (file, by) = (self.documents.relative_path(&path), Holder::describe(holder.as_ref()));
                let _ = self.lost_lease.set(format!(
                    "{} was removed while the run was driven, and is held{by} now, so this process stops and records \
                     nothing more. See both: charrette status",
                    file.display()
                ));
                Ok(())
            }
            Err(other) => Err(other),
        }
    }

    /// Puts the document back if others have changed more than waiting gates.
    fn check_document(&self) -> Result<(), ChangeError> {
        if self.unsaved.load(Ordering::Relaxed) || self.keeper.is_in_order() {
            return Ok(());
        }
        self.change("restore", |document, _| Ok(document))
    }

    pub(super) fn note_foreign(&self, path: &Path, kind: ChangeKind, what: Option<&str>) {
        let relative = self.documents.relative_path(path);
        let what = what.map_or_else(String::new, |what| format!(" ({what})"));
        let message = format!(
            "{} was {kind} by another process while the run was driven{what}; it is as before again",
            printable(&relative.to_string_lossy())
        );
        self.emit(EventKind::warning(message));
        let path = TreePath::new(relative.into_os_string().into_vec());
        lock(&self.foreign).push(TreeChange { path, kind, dirty_before: false, restored: true });
    }
}
