//! Reading of files that others can write.
//!
//! Any program can put a pipe in the place of a file, which blocks whoever opens it, or a file of terabytes that needs no space
//! on the disk. So a pipe is not waited for, and nothing is read that exceeds a limit. `cargo xtask tidy` keeps the plain
//! readers of `fs_err` out of the files of this crate and of `app` that read such places.

use crate::documents::read_small;
use crate::error::StoreError;
use crate::signature::Signature;
use charrette_model::escape::shell_word;
use fs_err::os::unix::fs::OpenOptionsExt as _;
use rustix::fs::OFlags;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// What becomes of a link in the place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    Followed,
    Refused,
}

/// Reason a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum PlainFileError {
    #[error("{} is a symbolic link, which is not followed here{}", .0.display(), cure(.0))]
    Symlink(PathBuf),
    /// A pipe, a folder, a device.
    #[error("{} is not a regular file{}", .0.display(), cure(.0))]
    NotAFile(PathBuf),
    #[error("{} is larger than {limit} bytes, the limit for such a file{}", .path.display(), cure(.path))]
    TooLarge { path: PathBuf, limit: u64 },
    #[error(transparent)]
    Io(#[from] io::Error),
}

fn cure(path: &Path) -> String {
    let path = path.display().to_string();
    format!(
        "; look at it, then move it away: mv {} {}",
        shell_word(&path),
        shell_word(&format!("{path}.aside"))
    )
}

impl From<PlainFileError> for io::Error {
    fn from(error: PlainFileError) -> io::Error {
        match error {
            PlainFileError::Io(error) => error,
            other => io::Error::new(io::ErrorKind::InvalidInput, other),
        }
    }
}

impl From<PlainFileError> for StoreError {
    fn from(error: PlainFileError) -> StoreError {
        match error {
            PlainFileError::Symlink(path) => StoreError::Symlink(path),
            PlainFileError::NotAFile(path) => StoreError::NotAFile(path),
            PlainFileError::TooLarge { path, limit } => StoreError::TooLarge { path, limit },
            PlainFileError::Io(error) => StoreError::Io(error),
        }
    }
}

/// Content of a file of at most `limit` bytes; none if there is no such file.
pub fn read(path: &Path, links: Links, limit: u64) -> Result<Option<Vec<u8>>, PlainFileError> {
    Ok(read_with_signature(path, links, limit)?.map(|(bytes, _)| bytes))
}

/// The same, with the signature of the file that was read.
pub(crate) fn read_with_signature(
    path: &Path,
    links: Links,
    limit: u64,
) -> Result<Option<(Vec<u8>, Signature)>, PlainFileError> {
    let mut options = fs_err::OpenOptions::new();
    let Some(file) = open(path, links, options.read(true))? else { return Ok(None) };
    let meta = file.metadata()?;
    if meta.len() > limit {
        return Err(PlainFileError::TooLarge { path: path.to_owned(), limit });
    }
    // One more than the limit, for a file that grows meanwhile.
    let bytes = read_small(file.take(limit.saturating_add(1)), meta.len())?;
    if bytes.len() as u64 > limit {
        return Err(PlainFileError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(Some((bytes, Signature::of(&meta))))
}

/// Opens a regular file; none if there is no such file.
pub(crate) fn open(
    path: &Path,
    links: Links,
    options: &mut fs_err::OpenOptions,
) -> Result<Option<fs_err::File>, PlainFileError> {
    let no_follow = if links == Links::Refused { OFlags::NOFOLLOW } else { OFlags::empty() };
    let file = match options.custom_flags((no_follow | OFlags::NONBLOCK).bits().cast_signed()).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(describe(path, links, error)),
    };
    if file.metadata()?.is_file() { Ok(Some(file)) } else { Err(PlainFileError::NotAFile(path.to_owned())) }
}

/// Says what stands in the place of a file that cannot be opened.
fn describe(path: &Path, links: Links, error: io::Error) -> PlainFileError {
    let look = if links == Links::Refused { path.symlink_metadata() } else { path.metadata() };
    match look {
        Ok(meta) if meta.is_symlink() => PlainFileError::Symlink(path.to_owned()),
        Ok(meta) if !meta.is_file() => PlainFileError::NotAFile(path.to_owned()),
        _ => PlainFileError::Io(error),
    }
}
