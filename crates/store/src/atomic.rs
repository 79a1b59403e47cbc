//! Replacing a file so that a reader, or a machine that lost power, sees the old one or the new one.
//!
//! Temp file in the same folder, fsync, rename, fsync of the folder. The caller holds the lock that makes it
//! the only writer, so the temp file has a fixed name and whatever a killed writer left there is replaced.

use fs_err::os::unix::fs::OpenOptionsExt as _;
use std::io::{self, Write as _};
use std::path::Path;

/// How far a replacement got before it failed.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// Before the rename: the target is untouched and the temp file removed.
    #[error("{0}")]
    BeforeRename(io::Error),
    /// After the rename: the new content is visible, but may not survive a power loss.
    #[error("{0}")]
    AfterRename(io::Error),
}

/// Puts `bytes` in place of `target`, by way of `temp` in the same folder.
pub fn replace(target: &Path, temp: &Path, bytes: &[u8]) -> Result<(), ReplaceError> {
    replace_with_mode(target, temp, bytes, 0o666)
}

/// The same for something that only its owner may read, such as a prompt. `temp` is chosen here.
pub fn replace_private(target: &Path, bytes: &[u8]) -> Result<(), ReplaceError> {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".tmp");
    replace_with_mode(target, &target.with_file_name(name), bytes, 0o600)
}

fn replace_with_mode(target: &Path, temp: &Path, bytes: &[u8], mode: u32) -> Result<(), ReplaceError> {
    let before = write_temp(temp, bytes, mode).and_then(|()| fs_err::rename(temp, target));
    if let Err(error) = before {
        let _ = fs_err::remove_file(temp);
        return Err(ReplaceError::BeforeRename(error));
    }
    sync_folder_of(target).map_err(ReplaceError::AfterRename)
}

/// Makes the folder's entries durable.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    fs_err::File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
}

fn write_temp(temp: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file = match create_new(temp, mode) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs_err::remove_file(temp)?;
            create_new(temp, mode)?
        }
        other => other?,
    };
    file.write_all(bytes)?;
    file.sync_all()
}

/// Exclusive, so that nothing planted under that name is ever written through.
fn create_new(temp: &Path, mode: u32) -> io::Result<fs_err::File> {
    fs_err::OpenOptions::new().write(true).create_new(true).mode(mode).open(temp)
}
