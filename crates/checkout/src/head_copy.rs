//! Copy of HEAD in a folder of its own, where an agent may write and run programs.
//!
//! The copy is a repository with a detached HEAD that borrows the objects of the original. It has no branches and no
//! remotes, and the original does not know of it: unlike a worktree, it leaves no trace there. No program of the
//! repository runs: hooks are off, and filters of attributes do not apply. Submodules stay empty.

use crate::located::repository_in_use;
use crate::tree::TreeError;
use charrette_git::Git;
use charrette_store::head::head;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// Length of an object id in the older format.
const SHA1_LENGTH: usize = 40;

/// Copies HEAD of the repository at `root` to the new folder `to`; an empty folder if there is no commit yet.
pub(crate) fn copy_head(root: &Path, to: &Path) -> Result<(), TreeError> {
    let original = Original::read(root)?;
    fs_err::create_dir_all(to)?;
    let Some(original) = original else { return Ok(()) };
    let copy = Git::new(to).separate();
    copy.edit(&["init", "--quiet", "--template=", &format!("--object-format={}", original.format)], b"")?;
    let own = to.join(".git");
    let mut alternates = original.folder.join("objects").into_os_string().into_vec();
    alternates.push(b'\n');
    fs_err::create_dir_all(own.join("objects/info"))?;
    fs_err::write(own.join("objects/info/alternates"), alternates)?;
    // The history of a shallow clone ends where this file says.
    match fs_err::copy(original.folder.join("shallow"), own.join("shallow")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    fs_err::create_dir_all(own.join("info"))?;
    fs_err::write(own.join("info/attributes"), "* -filter\n")?;
    copy.edit(&["checkout", "--quiet", "--force", "--detach", &original.head], b"")?;
    Ok(())
}

/// The repository whose HEAD is copied.
struct Original {
    /// Format of its objects.
    format: &'static str,
    /// Commit id of HEAD.
    head: String,
    /// Folder that all worktrees share.
    folder: PathBuf,
}

impl Original {
    /// None if there is no commit yet.
    fn read(root: &Path) -> Result<Option<Original>, TreeError> {
        let repository = repository_in_use(root)?.ok_or_else(|| TreeError::NoRepository(root.to_owned()))?;
        let Some(head) = head(&repository)? else { return Ok(None) };
        let format = if head.len() == SHA1_LENGTH { "sha1" } else { "sha256" };
        Ok(Some(Original { format, head, folder: fs_err::canonicalize(repository.common_dir())? }))
    }
}
