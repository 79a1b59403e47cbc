//! Atomic file replacement: a reader, or a machine after a power loss, sees the old file or the new one.
//!
//! Temp file in the same folder, fsync, rename, fsync of the folder. Of several files that are replaced
//! together, each is old or new by itself, and each folder is synced once. The caller holds the lock that
//! makes it the only writer, so the temp file has a fixed name and a killed writer's leftover is replaced.

use fs_err::os::unix::fs::OpenOptionsExt as _;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A failed replacement, and its stage.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// Before the rename: the target is untouched and the temp file removed.
    #[error("{0}")]
    BeforeRename(io::Error),
    /// After the rename: the new content is visible, but may not survive a power loss.
    #[error("{0}")]
    AfterRename(io::Error),
}

/// Replaces `target` by `bytes`, via `temp` in the same folder.
pub fn replace(target: &Path, temp: &Path, bytes: &[u8]) -> Result<(), ReplaceError> {
    replace_with_mode(target, temp, bytes, 0o666)
}

/// [`replace`] for a file that only its owner may read, such as a prompt. `temp` is chosen here.
pub fn replace_private(target: &Path, bytes: &[u8]) -> Result<(), ReplaceError> {
    replace_with_mode(target, &hidden_temp(target), bytes, 0o600)
}

/// [`replace`] for a file that only matters while processes live. Its content is synced, its name is not: after a power
/// loss the old file may be back, whole.
pub(crate) fn replace_until_reboot(target: &Path, temp: &Path, bytes: &[u8]) -> io::Result<()> {
    write_temp(temp, bytes, 0o666).and_then(|()| fs_err::rename(temp, target)).inspect_err(|_| {
        let _ = fs_err::remove_file(temp);
    })
}

/// Replaces several files: all temp files are written and synced, then all are renamed.
///
/// The folders are not synced yet, so that the caller can do that once for everything it moves; see
/// [`sync_folders_of`]. A failure leaves each target old or new, and no temp file.
pub(crate) fn place_all(files: &[(PathBuf, &[u8])]) -> io::Result<()> {
    let temps: Vec<PathBuf> = files.iter().map(|(target, _)| hidden_temp(target)).collect();
    let write_all = || {
        let mut written = temps.iter().zip(files);
        written.try_for_each(|(temp, (target, bytes))| write_temp(temp, bytes, mode_of(target)))
    };
    let rename_all =
        || temps.iter().zip(files).try_for_each(|(temp, (target, _))| fs_err::rename(temp, target));
    let placed = write_all().and_then(|()| rename_all());
    if placed.is_err() {
        for temp in &temps {
            let _ = fs_err::remove_file(temp);
        }
    }
    placed
}

/// Syncs the folders of these paths, each once.
pub(crate) fn sync_folders_of<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> io::Result<()> {
    let folders: BTreeSet<&Path> = paths.into_iter().map(|path| folder_of(path)).collect();
    folders.into_iter().try_for_each(sync_folder)
}

/// A patch of undone changes may contain anything from the tree, an answer anything that its agent has seen: only their
/// owner may read them.
fn mode_of(target: &Path) -> u32 {
    let is_private =
        target.extension().is_some_and(|extension| extension == "patch" || extension == "answer");
    if is_private { 0o600 } else { 0o666 }
}

fn replace_with_mode(target: &Path, temp: &Path, bytes: &[u8], mode: u32) -> Result<(), ReplaceError> {
    let before = write_temp(temp, bytes, mode).and_then(|()| fs_err::rename(temp, target));
    if let Err(error) = before {
        let _ = fs_err::remove_file(temp);
        return Err(ReplaceError::BeforeRename(error));
    }
    sync_folder_of(target).map_err(ReplaceError::AfterRename)
}

/// Syncs the folder of a path.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    sync_folder(folder_of(path))
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    fs_err::File::open(folder)?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// `.NAME.tmp`, which listings ignore.
fn hidden_temp(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".tmp");
    target.with_file_name(name)
}

fn write_temp(temp: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file = match create_new(temp, mode) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            remove_leftover(temp)?;
            create_new(temp, mode)?
        }
        other => other?,
    };
    file.write_all(bytes)?;
    file.sync_all()
}

/// Removes what has the name of a temp file: the leftover of a killed writer, or anything that somebody has planted. A folder
/// that cannot be removed is moved out of the way.
fn remove_leftover(temp: &Path) -> io::Result<()> {
    if !temp.symlink_metadata()?.is_dir() {
        return fs_err::remove_file(temp);
    }
    let Err(error) = fs_err::remove_dir_all(temp) else { return Ok(()) };
    let beside = |n: usize| {
        let mut name = temp.file_name().unwrap_or_default().to_owned();
        name.push(format!("-{n}"));
        temp.with_file_name(name)
    };
    let free = (1..1_000).map(beside).find(|beside| beside.symlink_metadata().is_err());
    free.map_or(Err(error), |beside| fs_err::rename(temp, beside))
}

/// Exclusive, so that a planted link is never written through.
fn create_new(temp: &Path, mode: u32) -> io::Result<fs_err::File> {
    fs_err::OpenOptions::new().write(true).create_new(true).mode(mode).open(temp)
}
