//! Carries out a plan: all files or none. Receipts are written first, so that no change is without one.

use crate::plan::{FileChange, Plan};
use crate::receipts::Receipts;
use fs_err::os::unix::fs::OpenOptionsExt as _;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A plan that was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    #[error("{} has changed since it was shown; nothing was changed", .0.display())]
    Changed(PathBuf),
    #[error("{0}; nothing was changed")]
    Io(#[from] io::Error),
    /// A change failed, and a file could not be put back.
    #[error("{error}; {} could not be put back", path.display())]
    Torn { error: io::Error, path: PathBuf },
}

/// Carries out a plan and remembers it in the receipts in `folder`.
///
/// The caller holds the lock of that folder and has checked that the plan has no problems.
pub fn apply(plan: &Plan, receipts: &mut Receipts, folder: &Path) -> Result<(), ApplyError> {
    for change in &plan.changes {
        if read(&change.target)? != change.before {
            return Err(ApplyError::Changed(change.path.clone()));
        }
    }
    let old = receipts.clone();
    let mut staged = Staged::default();
    let prepared = staged.write_all(&plan.changes);
    let prepared = prepared.and_then(|()| {
        // Before the changes those that will be needed, after them those that are not needed any more.
        for change in plan.changes.iter().filter(|change| change.receipt.is_some()) {
            receipts.set(&change.target, change.receipt.clone());
        }
        receipts.write(folder)
    });
    if let Err(error) = prepared {
        staged.discard();
        *receipts = old;
        return Err(error.into());
    }
    if let Err(error) = Staged::commit(&plan.changes) {
        staged.discard();
        *receipts = old;
        let _ = receipts.write(folder);
        return Err(error);
    }
    for change in plan.changes.iter().filter(|change| change.receipt.is_none()) {
        receipts.set(&change.target, None);
    }
    remove_folders(plan, receipts);
    for path in &plan.forgotten {
        receipts.set(path, None);
    }
    if *receipts != old {
        receipts.write(folder)?;
    }
    Ok(())
}

/// Makes one change, without remembering it.
pub fn apply_change(change: &FileChange) -> Result<(), ApplyError> {
    if read(&change.target)? != change.before {
        return Err(ApplyError::Changed(change.path.clone()));
    }
    let changes = std::slice::from_ref(change);
    let mut staged = Staged::default();
    let placed = staged.write_all(changes).map_err(ApplyError::from).and_then(|()| Staged::commit(changes));
    if placed.is_err() {
        staged.discard();
    }
    placed
}

/// Removes the folders that were created for files that are removed. One that is still needed for another file of ours
/// goes away with that file; one with files of somebody else stays.
fn remove_folders(plan: &Plan, receipts: &mut Receipts) {
    let removed = plan.changes.iter().filter(|change| change.receipt.is_none());
    let mut folders: Vec<&PathBuf> = removed.flat_map(|change| &change.folders).collect();
    folders.sort();
    folders.dedup();
    for folder in folders.into_iter().rev() {
        if fs_err::remove_dir(folder).is_err() {
            receipts.hand_over(folder);
        }
    }
}

/// Text of a file; none if there is none.
fn read(path: &Path) -> io::Result<Option<String>> {
    match fs_err::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// New contents beside their targets, not yet in place.
#[derive(Default)]
struct Staged {
    temps: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Staged {
    fn write_all(&mut self, changes: &[FileChange]) -> io::Result<()> {
        for change in changes {
            let Some(after) = &change.after else { continue };
            for folder in &change.folders {
                match fs_err::create_dir(folder) {
                    Ok(()) => self.folders.push(folder.clone()),
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
            }
            let temp = temp_path(&change.target);
            self.temps.push(temp.clone());
            write_temp(&temp, &change.target, after.as_bytes())?;
        }
        Ok(())
    }

    /// Puts all files in place. After a failure those already changed are put back.
    fn commit(changes: &[FileChange]) -> Result<(), ApplyError> {
        for (at, change) in changes.iter().enumerate() {
            let placed = match &change.after {
                Some(_) => fs_err::rename(temp_path(&change.target), &change.target),
                None => fs_err::remove_file(&change.target),
            };
            let Err(error) = placed else { continue };
            for done in &changes[..at] {
                if let Err(error) = put_back(done) {
                    return Err(ApplyError::Torn { error, path: done.target.clone() });
                }
            }
            return Err(error.into());
        }
        for change in changes {
            // The files are in place; a folder that cannot be synced is no reason to take them back.
            let _ = charrette_store::atomic::sync_folder_of(&change.target);
        }
        Ok(())
    }

    /// Removes the new contents and the folders that were created.
    fn discard(&self) {
        for temp in &self.temps {
            let _ = fs_err::remove_file(temp);
        }
        for folder in self.folders.iter().rev() {
            let _ = fs_err::remove_dir(folder);
        }
    }
}

fn put_back(change: &FileChange) -> io::Result<()> {
    let Some(before) = &change.before else { return fs_err::remove_file(&change.target) };
    let temp = temp_path(&change.target);
    write_temp(&temp, &change.target, before.as_bytes())?;
    fs_err::rename(temp, &change.target)
}

/// Writes and syncs a file with the mode of its target.
fn write_temp(temp: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mode = target.metadata().ok().map(|meta| meta.permissions().mode() & 0o7777);
    // Left behind by a killed process.
    match fs_err::remove_file(temp) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file =
        fs_err::OpenOptions::new().write(true).create_new(true).mode(mode.unwrap_or(0o666)).open(temp)?;
    file.write_all(bytes)?;
    if let Some(mode) = mode {
        // The umask has no say in the mode of a file that exists.
        fs_err::set_permissions(temp, std::fs::Permissions::from_mode(mode))?;
    }
    file.sync_all()
}

fn temp_path(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".charrette-tmp");
    target.with_file_name(name)
}
