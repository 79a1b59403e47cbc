//! File system access for the manifest rules. Links are not followed.

use charrette_model::manifest::{FileSystem, PathKind};
use charrette_store::documents::MAX_DOCUMENT_BYTES;
use rustix::fs::OFlags;
use std::fs::Metadata;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The file system, relative to the current folder.
#[derive(Debug)]
pub struct Disk;

impl FileSystem for Disk {
    fn kind(&self, path: &str) -> PathKind {
        match Path::new(path).symlink_metadata() {
            Ok(found) if found.is_symlink() => PathKind::Symlink,
            Ok(found) if found.is_file() => PathKind::File,
            Ok(found) if found.is_dir() => PathKind::Directory,
            Err(error) if is_absence(&error) => PathKind::Missing,
            // A path that cannot be inspected does not count as missing.
            Ok(_) | Err(_) => PathKind::Other,
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        Path::new(path).symlink_metadata().ok().filter(Metadata::is_file).map(|found| found.len())
    }

    fn canonical(&self, path: &str) -> Option<String> {
        Path::new(path).canonicalize().ok()?.into_os_string().into_string().ok()
    }

    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let file = open_regular(Path::new(path)).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_DOCUMENT_BYTES + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= MAX_DOCUMENT_BYTES).then_some(bytes)
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Opens a regular file for reading: no link, no pipe, no device.
pub fn open_regular(path: &Path) -> io::Result<fs_err::File> {
    let mut options = fs_err::OpenOptions::new();
    options.read(true);
    options.options_mut().custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other(format!("{} is not a regular file", path.display())));
    }
    Ok(file)
}
