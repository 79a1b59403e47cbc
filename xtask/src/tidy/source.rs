//! Lists the files of the project with git.

use crate::TaskResult;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tracked files and new files that are not ignored, below `root`.
pub(super) fn project_files(root: &Path) -> TaskResult<Vec<PathBuf>> {
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
