//! Saved start of a sandbox: home and work folder as they were, so that each run starts from the same files in the same
//! folder.

use crate::TaskResult;
use charrette_testkit::panel::Panel;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Saves the current files.
pub(crate) fn save(panel: &Panel) -> TaskResult {
    for name in ["home", "work"] {
        let saved = saved_folder(panel, name);
        if saved.exists() {
            fs_err::remove_dir_all(&saved)?;
        }
        copy(&panel.sandbox.outside(name), &saved)?;
    }
    Ok(())
}

/// Restores the saved files.
pub(crate) fn restore(panel: &Panel) -> TaskResult {
    for name in ["home", "work"] {
        fs_err::remove_dir_all(panel.sandbox.outside(name))?;
        copy(&saved_folder(panel, name), &panel.sandbox.outside(name))?;
    }
    let _ = fs_err::remove_file(panel.log());
    Ok(())
}

/// Like [`restore`], for measurements: moves the old files away instead of deleting them. For five seconds ext4 does not
/// reuse the inodes of deleted files, and searches around them for each new file.
pub(crate) fn restore_without_deleting(panel: &Panel) -> TaskResult {
    let old_files = tempfile::tempdir_in(panel.sandbox.outside("."))?.keep();
    for name in ["home", "work"] {
        fs_err::rename(panel.sandbox.outside(name), old_files.join(name))?;
        copy(&saved_folder(panel, name), &panel.sandbox.outside(name))?;
    }
    let _ = fs_err::remove_file(panel.log());
    Ok(())
}

fn saved_folder(panel: &Panel, name: &str) -> PathBuf {
    panel.sandbox.outside(&format!("start-{name}"))
}

fn copy(from: &Path, to: &Path) -> TaskResult {
    let status = Command::new("cp").arg("-a").arg(from).arg(to).status()?;
    if status.success() { Ok(()) } else { Err(format!("{} cannot be copied", from.display()).into()) }
}
