//! Appending a row to a ledger.

use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::{File, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Reason a row was not appended.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// Links are not followed.
    #[error("ledger is a symlink: {}", .0.display())]
    Symlink(PathBuf),
    /// A pipe or a folder.
    #[error("ledger is not a regular file: {}", .0.display())]
    NotAFile(PathBuf),
    /// Lock timeout.
    #[error("ledger is locked: {}", .0.display())]
    Locked(PathBuf),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Appends a row and its line end, in one write. A new file is private to its owner.
///
/// With a timeout, the file's lock is acquired first; rows are written whole without it, too.
pub fn append(path: &Path, row: &str, timeout: Option<Duration>) -> Result<(), LedgerError> {
    let file = open(path)?;
    if let Some(timeout) = timeout {
        lock(&file, path, timeout)?;
    }
    let mut line = Vec::with_capacity(row.len() + 2);
    if !ends_line(&file)? {
        // The last writer was killed in the middle of a row.
        line.push(b'\n');
    }
    line.extend_from_slice(row.as_bytes());
    line.push(b'\n');
    Ok((&file).write_all(&line)?)
}

fn open(path: &Path) -> Result<File, LedgerError> {
    let mut options = fs_err::OpenOptions::new();
    options.read(true).append(true).create(true);
    options
        .options_mut()
        .mode(0o600)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    let file = match options.open(path) {
        Ok(file) => file.into_file(),
        Err(_) if path.is_symlink() => return Err(LedgerError::Symlink(path.to_owned())),
        Err(_) if path.is_dir() => return Err(LedgerError::NotAFile(path.to_owned())),
        Err(error) if Errno::from_io_error(&error) == Some(Errno::NXIO) => {
            return Err(LedgerError::NotAFile(path.to_owned()));
        }
        Err(error) => return Err(error.into()),
    };
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(LedgerError::NotAFile(path.to_owned()));
    }
    if meta.permissions().mode() & 0o777 != 0o600 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

fn lock(file: &File, path: &Path, timeout: Duration) -> Result<(), LedgerError> {
    let deadline = Instant::now() + timeout;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(LedgerError::Locked(path.to_owned()));
            }
            Err(TryLockError::WouldBlock) => sleep(Duration::from_millis(5)),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

fn ends_line(file: &File) -> io::Result<bool> {
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if length > 0 {
        file.read_at(&mut last, length - 1)?;
    }
    Ok(last == *b"\n")
}
