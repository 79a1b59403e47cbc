//! Regular files, opened so that nothing in their place holds this process up: a pipe waits for a writer for ever, a device
//! may have no end, and a file with holes may be longer than any memory.

use rustix::fs::OFlags;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Opens a regular file for reading; anything else at that path is an error of the kind `InvalidInput`. Links are followed.
pub fn open_regular(path: &Path) -> io::Result<fs_err::File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = fs_err::OpenOptions::new();
    options.read(true);
    options.options_mut().custom_flags(flags.bits().cast_signed());
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(irregular(path)) }
}

/// Content of a regular file that has at most `limit` bytes; a longer one is an error of the kind `FileTooLarge`.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    if length > limit {
        return Err(too_large(path, limit));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default() + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
        Ok(bytes)
    } else {
        Err(too_large(path, limit))
    }
}

/// Checks that git can read a file to its end, if there is one: it is regular, and has at most `limit` bytes. True if there
/// is one.
pub(crate) fn check_regular(path: &Path, limit: u64) -> io::Result<bool> {
    match path.metadata() {
        // Git finds none, either.
        Err(_) => Ok(false),
        Ok(meta) if !meta.is_file() => Err(irregular(path)),
        Ok(meta) if meta.len() > limit => Err(too_large(path, limit)),
        Ok(_) => Ok(true),
    }
}

fn irregular(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{} is no regular file", path.display()))
}

fn too_large(path: &Path, limit: u64) -> io::Error {
    let reason = format!("{} is longer than {limit} bytes", path.display());
    io::Error::new(io::ErrorKind::FileTooLarge, reason)
}
