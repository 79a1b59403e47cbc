//! Appending a row to a ledger.

use crate::log_folder::{LogError, LogFolder};
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
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

impl From<LogError> for LedgerError {
    fn from(error: LogError) -> LedgerError {
        match error {
            LogError::Symlink(path) => LedgerError::Symlink(path),
            LogError::NotAFile(path) => LedgerError::NotAFile(path),
            LogError::Io(error) => LedgerError::Io(error),
        }
    }
}

/// Appends a row and its line end, in one write. A new file is private to its owner.
///
/// With a timeout, the file's lock is acquired first; rows are written whole without it, too.
pub fn append(path: &Path, row: &str, timeout: Option<Duration>) -> Result<(), LedgerError> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str)) else {
        return Err(LedgerError::NotAFile(path.to_owned()));
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let file = LogFolder::new(folder).open_log(name)?;
    if let Some(timeout) = timeout {
        lock(&file, path, timeout)?;
    }
    write_row(&file, row)
}

/// Appends a row to a ledger of a folder, as [`append`] does without a timeout.
pub fn append_in(folder: &LogFolder, name: &str, row: &str) -> Result<(), LedgerError> {
    write_row(&folder.open_log(name)?, row)
}

fn write_row(mut file: &File, row: &str) -> Result<(), LedgerError> {
    let mut line = Vec::with_capacity(row.len() + 2);
    if !ends_line(file)? {
        // The last writer was killed in the middle of a row.
        line.push(b'\n');
    }
    line.extend_from_slice(row.as_bytes());
    line.push(b'\n');
    Ok(file.write_all(&line)?)
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
