//! The folders of a repository: where git keeps its files, and where the files of the user are.

use super::watched::Watched;
use crate::process::GitError;
use crate::regular::{check_regular, read_regular};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Maximum size of a file `.git`, as in git, and of other files with one line: HEAD, and the path of the folder that all
/// work trees share.
pub(super) const MAX_LINK: u64 = 1 << 20;

/// Maximum size of a file with settings.
pub(super) const MAX_CONFIGURATION: u64 = 16 << 20;

/// Folders of a repository with a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folders {
    /// Files of this work tree: HEAD, index.
    pub(crate) git_dir: PathBuf,
    /// Files that all work trees share: configuration, refs, objects.
    pub(crate) common_dir: PathBuf,
    pub(crate) work_tree: PathBuf,
}

/// What the git folder and the work tree of a repository are, whatever paths lead to them: their devices and inodes.
pub(super) type Identity = [(u64, u64); 2];

impl Folders {
    /// The repository of a folder, found on disk as git finds it.
    pub(crate) fn discover(folder: &Path) -> Result<Option<Folders>, GitError> {
        for folder in folder.ancestors() {
            if let Some(found) = Folders::at(folder)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The repository whose work tree is that folder.
    pub(crate) fn at(work_tree: &Path) -> Result<Option<Folders>, GitError> {
        let git_dir = git_dir_of(work_tree)?;
        let git_dir = git_dir.filter(|git_dir| git_dir.join("HEAD").symlink_metadata().is_ok());
        git_dir.map(|git_dir| Folders::new(git_dir, work_tree.to_owned())).transpose()
    }

    pub(crate) fn new(git_dir: PathBuf, work_tree: PathBuf) -> Result<Folders, GitError> {
        let common_dir = match read_regular(&git_dir.join("commondir"), MAX_LINK) {
            Ok(relative) => git_dir.join(path_of(&relative)),
            Err(error) if is_absent(&error) => git_dir.clone(),
            Err(error) => return Err(GitError::unreadable(&error)),
        };
        Ok(Folders { git_dir, common_dir, work_tree })
    }

    /// Checks that git can read the files with which it begins, without what the settings include.
    pub(super) fn check(&self) -> Result<(), GitError> {
        let files =
            [self.git_dir.join("HEAD"), self.git_dir.join("config.worktree"), self.common_dir.join("config")];
        for file in files {
            check_regular(&file, MAX_CONFIGURATION).map_err(|error| GitError::unreadable(&error))?;
        }
        Ok(())
    }

    /// Files that decide which repository this is, and what its configuration says, without what that includes.
    pub(super) fn watched(&self) -> Vec<Watched> {
        let mut watched: Vec<Watched> =
            ["HEAD"].iter().map(|name| Watched::presence(self.git_dir.join(name))).collect();
        watched.extend(["objects", "refs"].iter().map(|name| Watched::presence(self.common_dir.join(name))));
        watched.extend([
            Watched::new(self.work_tree.join(".git")),
            Watched::new(self.git_dir.join("commondir")),
            Watched::new(self.git_dir.join("config.worktree")),
            Watched::new(self.common_dir.join("config")),
        ]);
        watched
    }

    pub(super) fn index(&self) -> PathBuf {
        self.git_dir.join("index")
    }

    /// None if one of the folders is not there.
    pub(super) fn identity(&self) -> Option<Identity> {
        let identity = |folder: &Path| folder.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
        Some([identity(&self.git_dir)?, identity(&self.work_tree)?])
    }
}

/// Files that decide that a folder is no work tree.
pub(super) fn watched_without_repository(folder: &Path) -> Result<Vec<Watched>, GitError> {
    let mut watched = vec![Watched::new(folder.join(".git"))];
    watched.extend(git_dir_of(folder)?.map(|git_dir| Watched::presence(git_dir.join("HEAD"))));
    Ok(watched)
}

/// The folder that `.git` in a folder is, or leads to, whether it is there or not.
fn git_dir_of(work_tree: &Path) -> Result<Option<PathBuf>, GitError> {
    let dot_git = work_tree.join(".git");
    match dot_git.metadata() {
        Ok(meta) if meta.is_dir() => return Ok(Some(dot_git)),
        Ok(meta) if meta.is_file() && meta.len() <= MAX_LINK => {}
        // Git looks in the same way, and no further at anything else.
        _ => return Ok(None),
    }
    match read_regular(&dot_git, MAX_LINK) {
        Ok(link) => Ok(link.strip_prefix(b"gitdir: ").map(|target| work_tree.join(path_of(target)))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(GitError::unreadable(&error)),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn path_of(line: &[u8]) -> &Path {
    let end = line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    Path::new(OsStr::from_bytes(&line[..end]))
}
