//! Metadata of a file by which an unchanged one is known without reading it.

use crate::regular::read_regular;
use rustix::fs::{AtFlags, FileType};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time after which a change of a file shows in its metadata: more than the tick of any kernel's clock.
const SETTLING_TIME: Duration = Duration::from_millis(100);
/// The same on file systems that count whole seconds.
const COARSE_SETTLING_TIME: Duration = Duration::from_secs(2);

/// File metadata of which any write changes at least one field, once it is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    device: u64,
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl Signature {
    pub fn of(meta: &Metadata) -> Signature {
        Signature {
            device: meta.dev(),
            inode: meta.ino(),
            bytes: meta.len(),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// Of a regular file in a folder that is open; none if there is none. Links are not followed.
    pub fn at(folder: impl AsFd, name: &OsStr) -> Option<Signature> {
        let meta = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        (FileType::from_raw_mode(meta.st_mode) == FileType::RegularFile).then(|| Signature {
            device: meta.st_dev,
            inode: meta.st_ino,
            bytes: u64::try_from(meta.st_size).unwrap_or_default(),
            changed: (meta.st_ctime, i64::try_from(meta.st_ctime_nsec).unwrap_or_default()),
        })
    }

    /// Length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Content of the regular file, which should have this signature: a longer one is an error.
    pub fn read_file(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_regular(path, self.bytes)
    }

    /// This signature, if the last change is long enough ago.
    pub fn settled(self) -> Option<Signature> {
        let (seconds, nanoseconds) =
            (u64::try_from(self.changed.0).ok()?, u32::try_from(self.changed.1).ok()?);
        let age = SystemTime::now().duration_since(UNIX_EPOCH + Duration::new(seconds, nanoseconds)).ok()?;
        let needed = if nanoseconds == 0 { COARSE_SETTLING_TIME } else { SETTLING_TIME };
        (age > needed).then_some(self)
    }
}
