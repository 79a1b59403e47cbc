//! Ignored files that worktrees need, such as local settings: `.worktreeinclude` names them, in the syntax of
//! `.gitignore`. Only ignored files are copied, and no links.

use super::error::{Result, refused};
use super::places::Places;
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// File with the patterns, at the root of the user's work tree.
const INCLUDES: &str = ".worktreeinclude";
/// Maximum number of files that are copied.
const MAX_FILES: usize = 10_000;
/// Maximum number of files in one git command line.
const MAX_NAMES: usize = 200;
/// Maximum size of all of them.
const MAX_BYTES: u64 = 512 << 20;

impl Places {
    /// Copies the included files to a worktree; returns those that it did not have.
    pub(super) fn copy_includes(&self, worktree: &Path) -> Result<Vec<String>> {
        let file = self.root.join(INCLUDES);
        if !file.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
            return Ok(Vec::new());
        }
        let exclude_from = format!("--exclude-from={INCLUDES}");
        let named = self.git().bytes(&["ls-files", "-z", "--others", "--ignored", &exclude_from])?;
        let named: Vec<&[u8]> = named.split(|byte| *byte == 0).filter(|path| !path.is_empty()).collect();
        if named.len() > MAX_FILES {
            return refused(format!(
                "{INCLUDES} names {} files, and at most {MAX_FILES} are copied to a worktree; name fewer, and install \
                 packages with [verify] setup",
                named.len()
            ));
        }
        let ignored = self.ignored_among(&named)?;
        let (from, to) = (open_folder(&self.root)?, open_folder(worktree)?);
        let (mut copied, mut bytes) = (Vec::new(), 0);
        for path in &ignored {
            let Some(source) = open_source(&from, path)? else { continue };
            bytes += source.metadata()?.len();
            if bytes > MAX_BYTES {
                return refused(format!(
                    "{INCLUDES} names more than {} MB, which is the most that is copied to a worktree; name fewer files",
                    MAX_BYTES >> 20
                ));
            }
            if copy(source, &to, path)? {
                copied.push(String::from_utf8_lossy(path).into_owned());
            }
        }
        Ok(copied)
    }

    /// Of these untracked files, those that git ignores.
    fn ignored_among(&self, paths: &[&[u8]]) -> Result<Vec<Vec<u8>>> {
        let mut ignored = Vec::new();
        let args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"].map(OsStr::new);
        for chunk in paths.chunks(MAX_NAMES) {
            let args: Vec<&OsStr> =
                args.iter().copied().chain(chunk.iter().map(|path| OsStr::from_bytes(path))).collect();
            let listed = self.git().bytes(&args)?;
            let listed = listed.split(|byte| *byte == 0).filter(|path| chunk.contains(path));
            ignored.extend(listed.map(<[u8]>::to_vec));
        }
        Ok(ignored)
    }
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, FOLDER, Mode::empty())?)
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens a file below a folder; none if it is no regular file, is gone, or is reached through a link.
fn open_source(root: &OwnedFd, path: &[u8]) -> io::Result<Option<File>> {
    let (folders, name) = split(path);
    let mut folder = root.try_clone()?;
    for part in folders {
        match openat(&folder, part, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(inner) => folder = inner,
            Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match openat(&folder, name, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT | Errno::LOOP | Errno::NXIO) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    Ok(file.metadata()?.is_file().then_some(file))
}

/// Copies a file into a folder that may hold links of the repository; false if there is something at its path already.
fn copy(mut source: File, root: &OwnedFd, path: &[u8]) -> io::Result<bool> {
    let (folders, name) = split(path);
    let mut folder = root.try_clone()?;
    for part in folders {
        match mkdirat(&folder, part, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        match openat(&folder, part, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(inner) => folder = inner,
            Err(Errno::LOOP | Errno::NOTDIR) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
    }
    let mode = source.metadata()?.mode();
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut target = match openat(&folder, name, flags, Mode::from_raw_mode(0o600)) {
        Ok(target) => File::from(target),
        Err(Errno::EXIST) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    io::copy(&mut source, &mut target)?;
    target.set_permissions(std::fs::Permissions::from_mode(mode & 0o777))?;
    Ok(true)
}

fn split(path: &[u8]) -> (Vec<&OsStr>, &OsStr) {
    let mut parts: Vec<&OsStr> = path.split(|byte| *byte == b'/').map(OsStr::from_bytes).collect();
    let name = parts.pop().unwrap_or_default();
    (parts, name)
}
