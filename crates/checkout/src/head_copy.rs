//! Copy of HEAD in a folder of its own, where an agent may write and run programs.
//!
//! The copy is a repository with a detached HEAD that borrows the objects of the original. It has no branches and no
//! remotes, and the original does not know of it: unlike a worktree, it leaves no trace there. No program of the
//! repository runs: hooks are off, and filters of attributes do not apply. Submodules stay empty.

use crate::tree::TreeError;
use charrette_git::Git;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Copies HEAD of the repository at `root` to the new folder `to`; an empty folder if there is no commit yet.
pub(crate) fn copy_head(root: &Path, to: &Path) -> Result<(), TreeError> {
    let original = Git::new(root);
    original.text(&["rev-parse", "--git-dir"])?;
    fs_err::create_dir_all(to)?;
    let Some(head) = original.find(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]) else {
        return Ok(());
    };
    let copy = Git::new(to).separate();
    let format = original.find(&["rev-parse", "--show-object-format"]).unwrap_or_else(|| "sha1".to_owned());
    copy.edit(&["init", "--quiet", "--template=", &format!("--object-format={format}")], b"")?;
    let own = to.join(".git");
    let mut alternates = git_path(original, root, "objects")?.as_os_str().as_bytes().to_vec();
    alternates.push(b'\n');
    fs_err::create_dir_all(own.join("objects/info"))?;
    fs_err::write(own.join("objects/info/alternates"), alternates)?;
    // The history of a shallow clone ends where this file says.
    match fs_err::copy(git_path(original, root, "shallow")?, own.join("shallow")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    fs_err::create_dir_all(own.join("info"))?;
    fs_err::write(own.join("info/attributes"), "* -filter\n")?;
    copy.edit(&["checkout", "--quiet", "--force", "--detach", &head], b"")?;
    Ok(())
}

/// Absolute path of a file of the repository.
fn git_path(git: Git<'_>, root: &Path, name: &str) -> Result<PathBuf, TreeError> {
    let path = git.text(&["rev-parse", "--git-path", name])?;
    Ok(fs_err::canonicalize(root)?.join(path))
}
