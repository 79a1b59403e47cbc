//! The commit at HEAD, read from the repository's files.
//!
//! Starting git for this would cost more than the change it is recorded with. The common layouts are parsed
//! here (loose and packed refs, linked work trees, detached and unborn HEADs); anything else is left to `git
//! rev-parse`.

use crate::plain_file::{self, Links, PlainFileError};
use crate::repository::Repository;
use charrette_git::{Git, GitError};
use std::io;
use std::path::Path;

/// Maximum length of a chain of symbolic refs, as in git.
const MAX_DEPTH: usize = 5;

/// Size that a ref never reaches, in bytes.
const MAX_REF_BYTES: u64 = 64 << 10;

/// Size that the packed refs of no repository reach, in bytes: there would be millions.
const MAX_PACKED_BYTES: u64 = 256 << 20;

/// The commit at HEAD; `None` on a branch without commits.
pub fn head(repository: &Repository) -> io::Result<Option<String>> {
    match read(repository)? {
        HeadState::Commit(commit) => Ok(Some(commit)),
        HeadState::Unborn => Ok(None),
        HeadState::Unsupported => read_with_git(&repository.work_tree),
    }
}

/// The commit of a ref of this repository, read from its files; none if there is no such ref. An error if only git can tell.
pub fn find_ref(repository: &Repository, name: &str) -> io::Result<Option<String>> {
    if !is_plain_ref(name) {
        return Err(unsupported());
    }
    let found = match read_ref(&repository.common_dir.join(name))? {
        Some(text) if is_commit(&text) => HeadState::Commit(text),
        Some(_) => HeadState::Unsupported,
        None => read_packed(&repository.common_dir, name)?,
    };
    match found {
        HeadState::Commit(commit) => Ok(Some(commit)),
        HeadState::Unborn => Ok(None),
        HeadState::Unsupported => Err(unsupported()),
    }
}

fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "refs of this repository are in another format")
}

enum HeadState {
    Commit(String),
    Unborn,
    /// Not a layout that is parsed here.
    Unsupported,
}

fn read(repository: &Repository) -> io::Result<HeadState> {
    let Some(mut text) = read_ref(&repository.git_dir.join("HEAD"))? else {
        return Ok(HeadState::Unsupported);
    };
    for _ in 0..MAX_DEPTH {
        if is_commit(&text) {
            return Ok(HeadState::Commit(text));
        }
        let Some(name) = text.strip_prefix("ref:").map(str::trim_start) else {
            return Ok(HeadState::Unsupported);
        };
        if !is_plain_ref(name) {
            return Ok(HeadState::Unsupported);
        }
        let own = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        let folder = if own { &repository.git_dir } else { &repository.common_dir };
        match read_ref(&folder.join(name))? {
            Some(next) => text = next,
            None => return read_packed(&repository.common_dir, name),
        }
    }
    Ok(HeadState::Unsupported)
}

/// The text of a loose ref; `None` if there is no such file.
fn read_ref(path: &Path) -> io::Result<Option<String>> {
    match plain_file::read(path, Links::Followed, MAX_REF_BYTES) {
        // Invalid UTF-8 is left to git.
        Ok(bytes) => {
            Ok(bytes.map(|bytes| String::from_utf8(bytes).unwrap_or_default().trim_end().to_owned()))
        }
        Err(PlainFileError::NotAFile(path)) if path.is_dir() => Ok(None),
        Err(PlainFileError::Io(error)) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Looks a ref up in `packed-refs`.
fn read_packed(common_dir: &Path, name: &str) -> io::Result<HeadState> {
    let packed = plain_file::read(&common_dir.join("packed-refs"), Links::Followed, MAX_PACKED_BYTES)?;
    let packed = packed.unwrap_or_default();
    for line in packed.split(|&b| b == b'\n') {
        let Ok(line) = std::str::from_utf8(line) else { continue };
        if let Some((commit, found)) = line.trim_end().split_once(' ')
            && found == name
        {
            return Ok(if is_commit(commit) {
                HeadState::Commit(commit.to_owned())
            } else {
                HeadState::Unsupported
            });
        }
    }
    // A repository that keeps its refs in tables has no loose or packed ones at all.
    Ok(if common_dir.join("reftable").exists() { HeadState::Unsupported } else { HeadState::Unborn })
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// True if the ref may be joined to a path.
fn is_plain_ref(name: &str) -> bool {
    name.starts_with("refs/")
        && name.split('/').all(|part| !part.is_empty() && !part.starts_with('.'))
        && !name.contains(['\\', '\0', ':'])
}

fn read_with_git(work_tree: &Path) -> io::Result<Option<String>> {
    match Git::new(work_tree).text(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]) {
        Ok(text) => Ok(Some(text).filter(|text| is_commit(text))),
        Err(GitError::Failed { .. }) => Ok(None),
        Err(error) => Err(io::Error::other(error)),
    }
}
