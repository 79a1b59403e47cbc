//! The repository of a path, found on disk rather than by starting git.

use crate::plain_file::{self, Links};
use charrette_git::{Git, GitError};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// Size that a file with a path never reaches, in bytes.
const MAX_PATH_BYTES: u64 = 64 << 10;

/// Repository of a path, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    WorkTree(Repository),
    /// A repository without a work tree, or the inside of a `.git` folder.
    Bare(PathBuf),
    Outside,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    pub work_tree: PathBuf,
    /// Files of this work tree: HEAD, index.
    pub(crate) git_dir: PathBuf,
    /// Files shared by all work trees of the repository: refs, objects.
    pub(crate) common_dir: PathBuf,
}

impl Repository {
    /// Folder with the files of this work tree: HEAD, index.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Folder with the files that all work trees share: configuration, hooks, branches.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }
}

/// Finds the repository of `start`.
pub fn locate(start: &Path) -> io::Result<Location> {
    for folder in start.ancestors() {
        let dot_git = folder.join(".git");
        match dot_git.metadata() {
            Ok(meta) if meta.is_dir() && is_git_dir(&dot_git) => {
                return Ok(Location::WorkTree(Repository {
                    work_tree: folder.to_owned(),
                    git_dir: dot_git.clone(),
                    common_dir: dot_git,
                }));
            }
            Ok(meta) if meta.is_file() => {
                if let Some(repository) = read_linked(folder, &dot_git)? {
                    return Ok(Location::WorkTree(repository));
                }
            }
            _ => {}
        }
        if is_git_dir(folder) {
            return Ok(Location::Bare(folder.to_owned()));
        }
    }
    Ok(Location::Outside)
}

/// [`locate`] with git, for environments that redirect the repository.
pub fn locate_with_git(start: &Path) -> io::Result<Location> {
    let rev_parse = |what: &str| match Git::new(start).bytes(&["rev-parse", "--path-format=absolute", what]) {
        Ok(mut path) => {
            path.pop_if(|last| *last == b'\n');
            Ok(Some(PathBuf::from(OsString::from_vec(path))))
        }
        Err(GitError::Failed { .. }) => Ok(None),
        Err(error) => Err(io::Error::other(error)),
    };
    let Some(git_dir) = rev_parse("--git-dir")? else { return Ok(Location::Outside) };
    let common_dir = rev_parse("--git-common-dir")?.unwrap_or_else(|| git_dir.clone());
    Ok(match rev_parse("--show-toplevel")? {
        Some(work_tree) => Location::WorkTree(Repository { work_tree, git_dir, common_dir }),
        None => Location::Bare(git_dir),
    })
}

fn is_git_dir(folder: &Path) -> bool {
    folder.join("HEAD").symlink_metadata().is_ok()
        && folder.join("objects").is_dir()
        && folder.join("refs").is_dir()
}

/// Reads a linked work tree or submodule: `.git` is a file with the path of the rest.
fn read_linked(work_tree: &Path, dot_git: &Path) -> io::Result<Option<Repository>> {
    let Some(text) = read_text(dot_git)? else { return Ok(None) };
    let Some(target) = text.strip_prefix("gitdir:") else { return Ok(None) };
    let git_dir = work_tree.join(target.trim_matches([' ', '\n', '\r']));
    let common_dir = match read_text(&git_dir.join("commondir"))? {
        Some(relative) => git_dir.join(relative.trim_end_matches(['\n', '\r'])),
        None => git_dir.clone(),
    };
    Ok(Some(Repository { work_tree: work_tree.to_owned(), git_dir, common_dir }))
}

/// Text of a file that holds a path; none if there is no such file.
fn read_text(path: &Path) -> io::Result<Option<String>> {
    let bytes = plain_file::read(path, Links::Followed, MAX_PATH_BYTES)?;
    let text = bytes.map(|bytes| String::from_utf8(bytes).map_err(|_| not_text(path)));
    text.transpose()
}

fn not_text(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{} is not UTF-8", path.display()))
}
