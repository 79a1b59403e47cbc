//! Files and folders in a worktree that its index does not list.

use super::error::Result;
use crate::tree::parse_index;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// True if there is a file or folder, ignored ones included, that an index does not list; also if only git can read the
/// index.
pub(super) fn has_other_files(worktree: &Path, index: &Path) -> Result<bool> {
    let Some(entries) = parse_index(&fs_err::read(index)?) else { return Ok(true) };
    let files: HashSet<&[u8]> = entries.iter().map(|entry| entry.path.as_bytes()).collect();
    let mut folders: HashSet<&[u8]> = HashSet::new();
    for mut path in files.iter().copied() {
        while let Some(end) = path.iter().rposition(|byte| *byte == b'/') {
            path = &path[..end];
            if !folders.insert(path) {
                break;
            }
        }
    }
    let mut open = vec![Vec::new()];
    while let Some(folder) = open.pop() {
        // A folder that a command has locked is left to git.
        let Ok(listed) = fs_err::read_dir(worktree.join(OsStr::from_bytes(&folder))) else { return Ok(true) };
        for entry in listed {
            let entry = entry?;
            let name = entry.file_name();
            let path = if folder.is_empty() {
                name.as_bytes().to_vec()
            } else {
                [&folder, &b"/"[..], name.as_bytes()].concat()
            };
            // A folder that is listed like a file is a submodule.
            if files.contains(path.as_slice()) || path == b".git" {
                continue;
            }
            if !folders.contains(path.as_slice()) || !entry.file_type()?.is_dir() {
                return Ok(true);
            }
            open.push(path);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use charrette_testkit::Sandbox;

    #[test]
    fn everything_that_git_would_clean_is_seen() {
        let sandbox = Sandbox::repository();
        sandbox.write("a.txt", "a");
        sandbox.write("deep/er/b.txt", "b");
        sandbox.write(".gitignore", "*.o\n");
        sandbox.git(["add", "-A"]);
        sandbox.commit("files");
        let index = sandbox.path(".git/index");
        let is_seen = || has_other_files(&sandbox.work(), &index).unwrap();
        assert!(!is_seen());
        for path in ["c.txt", "deep/c", "deep/er/c.o", "a.txt~", "deep/.git"] {
            sandbox.write(path, "c");
            assert!(is_seen(), "{path}");
            fs_err::remove_file(sandbox.path(path)).unwrap();
        }
        fs_err::create_dir(sandbox.path("deep/empty")).unwrap();
        assert!(is_seen(), "an empty folder");
        fs_err::remove_dir(sandbox.path("deep/empty")).unwrap();
        fs_err::remove_dir_all(sandbox.path("deep")).unwrap();
        assert!(!is_seen(), "what is missing is not to be cleaned");
        fs_err::os::unix::fs::symlink(sandbox.work(), sandbox.path("deep")).unwrap();
        assert!(is_seen(), "a link in the place of a folder");
    }
}
