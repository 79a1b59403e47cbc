//! Files that decide which programs git starts, as they were when they were read.

use super::folders::MAX_LINK;
use crate::signature::Signature;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

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
    /// A link, wherever it leads.
    Link(Signature),
    /// Something that changes often and only has to be there.
    Present,
}

impl Watched {
    pub(super) fn new(path: impl Into<PathBuf>) -> Watched {
        let path = path.into();
        let mark = Mark::read(&path);
        Watched { path, mark }
    }

    /// Watches only whether something is there that git can read.
    pub(super) fn presence(path: impl Into<PathBuf>) -> Watched {
        let path = path.into();
        let mark = Mark::read_presence(&path);
        Watched { path, mark }
    }

    /// Watches that a link stays one; none if there is no link.
    pub(super) fn link(path: &Path) -> Option<Watched> {
        Some(Watched { path: path.to_owned(), mark: Mark::read_link(path)? })
    }

    pub(super) fn is_same(&self) -> bool {
        match self.mark {
            Mark::Present => Mark::read_presence(&self.path) == Mark::Present,
            Mark::Link(_) => Mark::read_link(&self.path) == Some(self.mark),
            mark => mark == Mark::read(&self.path),
        }
    }

    /// True if a change from now on is certain to show.
    pub(super) fn is_settled(&self) -> bool {
        match self.mark {
            Mark::File(signature) | Mark::Link(signature) => signature.settled().is_some(),
            _ => true,
        }
    }
}

impl Mark {
    fn read(path: &Path) -> Mark {
        path.metadata().map_or(Mark::Nothing, |meta| Mark::of(&meta))
    }

    fn read_presence(path: &Path) -> Mark {
        match path.symlink_metadata() {
            Err(_) => Mark::Nothing,
            Ok(meta) if meta.is_symlink() => match path.metadata() {
                Ok(meta) if is_endless(&meta) => Mark::of(&meta),
                // A HEAD may be a link that leads nowhere yet.
                _ => Mark::Present,
            },
            Ok(meta) if is_endless(&meta) => Mark::of(&meta),
            Ok(_) => Mark::Present,
        }
    }

    fn read_link(path: &Path) -> Option<Mark> {
        let meta = path.symlink_metadata().ok()?;
        meta.is_symlink().then(|| Mark::Link(Signature::of(&meta)))
    }

    fn of(meta: &Metadata) -> Mark {
        if meta.is_dir() {
            Mark::Folder { device: meta.dev(), inode: meta.ino() }
        } else {
            Mark::File(Signature::of(meta))
        }
    }
}

/// True for a pipe, a device, a socket or a file that is far too long.
fn is_endless(meta: &Metadata) -> bool {
    !meta.is_dir() && (!meta.is_file() || meta.len() > MAX_LINK)
}
