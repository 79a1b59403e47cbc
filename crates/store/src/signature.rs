//! Metadata of a file by which an unchanged one is known without reading it.

use crate::documents::read_small;
use rustix::fs::{AtFlags, FileType};
use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Time after which a change of a file shows in its metadata: more than the tick of any kernel's clock.
const SETTLING_TIME: Duration = Duration::from_millis(100);
/// The same on file systems that count whole seconds.
const COARSE_SETTLING_TIME: Duration = Duration::from_secs(2);

/// File metadata that identifies an unchanged file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

/// What is at a path. Links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    File(Signature),
    /// A link, a folder, a pipe.
    Other,
}

impl Found {
    pub(crate) fn at(path: &Path) -> io::Result<Found> {
        match path.symlink_metadata() {
            Ok(meta) if meta.is_file() => Ok(Found::File(Signature::of(&meta))),
            Ok(_) => Ok(Found::Other),
            Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => {
                Ok(Found::Nothing)
            }
            Err(error) => Err(error),
        }
    }
}

impl Signature {
    /// Of the metadata of a regular file.
    pub fn of(meta: &std::fs::Metadata) -> Signature {
        Signature { inode: meta.ino(), bytes: meta.len(), changed: (meta.ctime(), meta.ctime_nsec()) }
    }

    /// Of a regular file in a folder that is open. Links are not followed.
    pub(crate) fn at(folder: impl AsFd, name: &OsStr) -> Option<Signature> {
        let meta = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        (FileType::from_raw_mode(meta.st_mode) == FileType::RegularFile).then(|| Signature {
            inode: meta.st_ino,
            bytes: u64::try_from(meta.st_size).unwrap_or_default(),
            changed: (meta.st_ctime, i64::try_from(meta.st_ctime_nsec).unwrap_or_default()),
        })
    }

    /// Content of the file, which should have this signature.
    pub(crate) fn read_file(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_small(fs_err::File::open(path)?, self.bytes)
    }

    /// This signature, if the last change is long enough ago.
    pub fn settled(self) -> Option<Signature> {
        let (seconds, nanoseconds) =
            (u64::try_from(self.changed.0).ok()?, u32::try_from(self.changed.1).ok()?);
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        let age = SystemTime::now().duration_since(changed).ok()?;
        let needed = if nanoseconds == 0 { COARSE_SETTLING_TIME } else { SETTLING_TIME };
        (age > needed).then_some(self)
    }
}
