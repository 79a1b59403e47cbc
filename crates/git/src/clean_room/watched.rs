//! Files that decide which programs git starts, as they were when they were read.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time after which a further write changes the signature of a file for certain; file systems count time in steps.
const SETTLING_TIME: Duration = Duration::from_millis(50);

/// A path, and what was there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Watched {
    pub(super) path: PathBuf,
    mark: Mark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Nothing,
    /// A folder, whatever is in it.
    Folder {
        device: u64,
        inode: u64,
    },
    File(Signature),
    /// Something that changes often and only has to be there.
    Present,
}

/// Metadata of a file of which any write changes at least one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signature {
    device: u64,
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl Watched {
    pub(super) fn new(path: impl Into<PathBuf>) -> Watched {
        let path = path.into();
        let mark = Mark::read(&path);
        Watched { path, mark }
    }

    /// Watches only whether something is there.
    pub(super) fn presence(path: impl Into<PathBuf>) -> Watched {
        let path = path.into();
        let mark = if path.symlink_metadata().is_ok() { Mark::Present } else { Mark::Nothing };
        Watched { path, mark }
    }

    pub(super) fn is_same(&self) -> bool {
        match self.mark {
            Mark::Present => self.path.symlink_metadata().is_ok(),
            mark => mark == Mark::read(&self.path),
        }
    }

    /// True if a change from now on is certain to show.
    pub(super) fn is_settled(&self) -> bool {
        match self.mark {
            Mark::File(signature) => signature.is_settled(),
            _ => true,
        }
    }
}

impl Mark {
    fn read(path: &Path) -> Mark {
        match path.metadata() {
            Err(_) => Mark::Nothing,
            Ok(meta) if meta.is_dir() => Mark::Folder { device: meta.dev(), inode: meta.ino() },
            Ok(meta) => Mark::File(Signature::of(&meta)),
        }
    }
}

impl Signature {
    fn of(meta: &std::fs::Metadata) -> Signature {
        Signature {
            device: meta.dev(),
            inode: meta.ino(),
            bytes: meta.len(),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// Of the file at that path; none if there is none.
    pub(super) fn read(path: &Path) -> Option<Signature> {
        path.metadata().ok().map(|meta| Signature::of(&meta))
    }

    pub(super) fn is_settled(&self) -> bool {
        let (Ok(seconds), Ok(nanoseconds)) = (u64::try_from(self.changed.0), u32::try_from(self.changed.1))
        else {
            return false;
        };
        let changed = UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        SystemTime::now().duration_since(changed).is_ok_and(|age| age > SETTLING_TIME)
    }
}
