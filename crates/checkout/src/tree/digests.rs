//! Content digests of small files, kept by signature: a file that has not changed is not read again.

use super::known::Known;
use charrette_store::Signature;
use charrette_store::workspace::sha256;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Digests by file. Sample hooks are the most of what is read, and never change.
static DIGESTS: Known<String> = Known::new();
/// Contents by file.
static TEXTS: Known<String> = Known::new();

/// Digest of a file's content or of a link's target; none if there is nothing at that path.
pub(super) fn digest(file: &Path) -> io::Result<Option<String>> {
    value(file, &DIGESTS, sha256)
}

/// Content of a small file without spaces around it, or a link's target; none if there is nothing at that path.
pub(super) fn text(file: &Path) -> io::Result<Option<String>> {
    value(file, &TEXTS, |content| String::from_utf8_lossy(content).trim().to_owned())
}

/// What `read` makes of the content of a file; the same for all values that are known.
fn value(
    file: &Path,
    known: &Known<String>,
    read: impl FnOnce(&[u8]) -> String,
) -> io::Result<Option<String>> {
    let meta = match file.symlink_metadata() {
        Err(error) if is_absent(&error) => return Ok(None),
        other => other?,
    };
    if meta.is_symlink() {
        return Ok(Some(read(fs_err::read_link(file)?.as_os_str().as_bytes())));
    }
    if !meta.is_file() {
        return Ok(Some(read(b"")));
    }
    let signature = Signature::of(&meta);
    if let Some(value) = known.find(file, signature) {
        return Ok(Some(value));
    }
    let value = match fs_err::read(file) {
        // Git replaces branches at any moment.
        Err(error) if is_absent(&error) => return Ok(None),
        other => read(&other?),
    };
    known.keep(file, signature, &value);
    Ok(Some(value))
}

/// True if there is no such file: nothing of that name, or a file where its folder would be.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
