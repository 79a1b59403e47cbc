//! Removes a file of the work tree without leaving the tree through links that an agent may have made.

use charrette_model::tree::TreePath;
use rustix::fs::{AtFlags, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Removes the file or link at `path`. Folders on the way are opened one by one, and none of them may be a link.
pub(super) fn unlink(root: &Path, path: &TreePath) -> io::Result<()> {
    let mut parts: Vec<&OsStr> = path.as_bytes().split(|b| *b == b'/').map(OsStr::from_bytes).collect();
    let name = parts.pop().unwrap_or_default();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = rustix::fs::open(root, flags, Mode::empty())?;
    for part in parts {
        folder = openat(&folder, part, flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    match unlinkat(&folder, name, AtFlags::empty()) {
        Err(Errno::NOENT) => Ok(()),
        other => Ok(other?),
    }
}
