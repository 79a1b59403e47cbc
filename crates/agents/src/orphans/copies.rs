//! Folders in which the agents of a driver may write: removed after each call, with the driver, or by the next start if the
//! driver was killed.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The folder for copies of a driver, beside its record. Its name begins with a dot, so it is no record.
pub(super) fn copies_folder(drivers: &Path, driver: &str) -> PathBuf {
    drivers.join(format!(".{driver}.copies"))
}

/// Removes a folder with everything in it, read-only folders too. Links are not followed.
pub(crate) fn remove_folder(path: &Path) -> io::Result<()> {
    match fs_err::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_writable(path)?;
            fs_err::remove_dir_all(path)
        }
        other => other,
    }
}

/// Lets the owner change this folder and those in it.
fn make_writable(folder: &Path) -> io::Result<()> {
    fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_only_folders_are_removed_and_links_are_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        fs_err::write(outside.path().join("kept"), "kept").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy");
        let locked = copy.join("a/locked");
        fs_err::create_dir_all(&locked).unwrap();
        fs_err::write(locked.join("file"), "file").unwrap();
        std::os::unix::fs::symlink(outside.path(), locked.join("link")).unwrap();
        fs_err::set_permissions(&locked, std::fs::Permissions::from_mode(0o500)).unwrap();
        remove_folder(&copy).unwrap();
        assert!(!copy.exists() && outside.path().join("kept").exists());
        remove_folder(&copy).unwrap();
    }
}
