//! The folders of a repository: where git keeps its files, and where the files of the user are.

use super::watched::Watched;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Folders of a repository with a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folders {
    /// Files of this work tree: HEAD, index.
    pub(crate) git_dir: PathBuf,
    /// Files that all work trees share: configuration, refs, objects.
    pub(crate) common_dir: PathBuf,
    pub(crate) work_tree: PathBuf,
}

impl Folders {
    /// The repository of a folder, found on disk as git finds it.
    pub(crate) fn discover(folder: &Path) -> Option<Folders> {
        folder.ancestors().find_map(Folders::at)
    }

    /// The repository whose work tree is that folder.
    pub(crate) fn at(work_tree: &Path) -> Option<Folders> {
        let dot_git = work_tree.join(".git");
        let git_dir = if dot_git.is_dir() {
            dot_git
        } else {
            let link = fs_err::read(&dot_git).ok()?;
            let target = link.strip_prefix(b"gitdir: ")?;
            work_tree.join(path_of(target))
        };
        git_dir.join("HEAD").symlink_metadata().ok()?;
        Some(Folders::new(git_dir, work_tree.to_owned()))
    }

    pub(crate) fn new(git_dir: PathBuf, work_tree: PathBuf) -> Folders {
        let common_dir = match fs_err::read(git_dir.join("commondir")) {
            Ok(relative) => git_dir.join(path_of(&relative)),
            Err(_) => git_dir.clone(),
        };
        Folders { git_dir, common_dir, work_tree }
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
}

fn path_of(line: &[u8]) -> &Path {
    let end = line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    Path::new(OsStr::from_bytes(&line[..end]))
}
