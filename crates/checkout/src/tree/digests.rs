//! Content digests of small files, kept by signature: a file that has not changed is not read again.

use super::known::Known;
use charrette_git::read_regular;
use charrette_store::Signature;
use charrette_store::workspace::sha256;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Permission to execute, for anyone.
const EXECUTABLE: u32 = 0o111;

/// Digests by file. Sample hooks are the most of what is read, and never change.
static DIGESTS: Known<String> = Known::new();
/// Contents by file.
static TEXTS: Known<String> = Known::new();

/// Maximum size of a file whose content counts (64 MB). Of a larger one its length and the time of its last change do.
const MAX_BYTES: u64 = 64 << 20;

/// Digest of a file's content or of a link's target; none if there is nothing at that path. Of anything else only what it is
/// counts.
pub(super) fn digest(file: &Path) -> io::Result<Option<String>> {
    let Some(meta) = metadata(file)? else { return Ok(None) };
    if meta.is_symlink() {
        return Ok(Some(format!("link {}", sha256(fs_err::read_link(file)?.as_os_str().as_bytes()))));
    }
    content_digest(file, &meta)
}

/// The same for a file that git reads behind links: of a link, the content behind it counts, too.
pub(super) fn digest_behind(file: &Path) -> io::Result<Option<String>> {
    let Some(digest) = digest(file)? else { return Ok(None) };
    if !file.is_symlink() {
        return Ok(Some(digest));
    }
    // What cannot be read is not read by git, either.
    let behind = file.metadata().and_then(|meta| content_digest(file, &meta));
    Ok(Some(format!("{digest} to {}", behind.ok().flatten().unwrap_or_default())))
}

/// The same with whether it can be executed.
pub(super) fn digest_with_permission(file: &Path) -> io::Result<Option<String>> {
    let digest = digest_behind(file)?;
    // Hooks are: those that were written down by an earlier version are the same.
    let is_as_usual = !file.is_file() || is_executable(file);
    Ok(digest.map(|digest| if is_as_usual { digest } else { format!("{digest} not executable") }))
}

/// True for a file that someone may execute.
pub(super) fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.mode() & EXECUTABLE != 0)
}

/// Digest of the content of a file with that metadata, or what it is.
fn content_digest(file: &Path, meta: &Metadata) -> io::Result<Option<String>> {
    match meta.file_type() {
        kind if kind.is_file() => content(file, meta, &DIGESTS, sha256),
        kind => Ok(Some(if kind.is_dir() { "folder" } else { "special" }.to_owned())),
    }
}

/// Content of a small file without spaces around it, or a link's target; none if there is nothing at that path.
pub(super) fn text(file: &Path) -> io::Result<Option<String>> {
    let trimmed = |content: &[u8]| String::from_utf8_lossy(content).trim().to_owned();
    let Some(meta) = metadata(file)? else { return Ok(None) };
    if meta.is_symlink() {
        return Ok(Some(trimmed(fs_err::read_link(file)?.as_os_str().as_bytes())));
    }
    content(file, &meta, &TEXTS, trimmed)
}

/// None if there is nothing at that path. Links are not followed.
fn metadata(file: &Path) -> io::Result<Option<Metadata>> {
    match file.symlink_metadata() {
        Err(error) if is_absent(&error) => Ok(None),
        other => other.map(Some),
    }
}

/// Content of a file with that metadata, as `read` returns it; the same for all values that are known.
fn content(
    file: &Path,
    meta: &Metadata,
    known: &Known<String>,
    read: impl FnOnce(&[u8]) -> String,
) -> io::Result<Option<String>> {
    if !meta.is_file() {
        return Ok(Some(read(b"")));
    }
    let signature = Signature::of(meta);
    if let Some(value) = known.find(file, signature) {
        return Ok(Some(value));
    }
    let value = match read_regular(file, MAX_BYTES) {
        // Git replaces branches at any moment.
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            return Ok(Some(format!("large {} {} {}", meta.len(), meta.ctime(), meta.ctime_nsec())));
        }
        other => read(&other?),
    };
    known.keep(file, signature, &value);
    Ok(Some(value))
}

/// True if there is no such file: nothing of that name, or a file where its folder would be.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
