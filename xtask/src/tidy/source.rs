//! The files of the project, as git knows them.

use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every file that is tracked, or new and not ignored, below `root`.
pub(super) fn files(root: &Path) -> Outcome<Vec<PathBuf>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()?;
    let names = String::from_utf8(output.stdout)?;
    Ok(names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
        .filter(|path| root.join(path).is_file())
        .collect())
}
