//! Surroundings of a command: folder, home, and facts about the repository.

use std::path::{Component, Path, PathBuf};

/// Facts that are looked up when a command asks for them.
pub(crate) trait Facts {
    /// True if a name is a branch, tag or remote branch of the repository at `folder`.
    fn is_reference(&self, folder: &Path, name: &str) -> bool;

    /// True if a file or folder exists.
    fn exists(&self, path: &Path) -> bool;

    /// Branch of HEAD of the repository at `folder`.
    fn current_branch(&self, folder: &Path) -> Option<String>;

    /// True if a name is that of the main branch.
    fn is_main(&self, branch: &str) -> bool;
}

pub(crate) struct Surroundings<'a> {
    /// Folder that the command runs in, absolute.
    pub(crate) folder: PathBuf,
    pub(crate) home: Option<String>,
    /// Variables whose values are known.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) facts: &'a dyn Facts,
}

/// Longest path that is followed, in bytes: no system has longer ones.
const MAX_PATH: usize = 4096;

/// Current folder at some point of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    At(PathBuf),
    /// A folder that the script has just created outside the repository.
    Fresh,
    Unknown,
}

impl Place {
    /// The place after `cd path`.
    pub(crate) fn join(&self, path: &str) -> Place {
        let path = Path::new(path);
        match self {
            Place::At(folder) if folder.as_os_str().len() + path.as_os_str().len() > MAX_PATH => {
                Place::Unknown
            }
            _ if path.is_absolute() => Place::At(normalise(path)),
            Place::At(folder) => Place::At(normalise(&folder.join(path))),
            Place::Fresh => Place::Fresh,
            Place::Unknown => Place::Unknown,
        }
    }
}

/// An absolute path without `.` and `..`.
pub(crate) fn normalise(path: &Path) -> PathBuf {
    let mut clean = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::Normal(name) => clean.push(name),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    clean
}
