//! The clean room of one call: what replaces the repository's programs, and whether that still held when git had ended.

use super::gitlinks::{Gitlinks, gitlinks_without_asking};
use super::programs::{Replacements, replace_programs};
use super::reader::{Found, Place, read};
use super::settings::Setting;
use super::watched::Watched;
use crate::process::GitError;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// Settings that git is started with in a repository.
#[derive(Debug, Default)]
pub(crate) struct CleanRoom {
    pub(crate) replacements: Replacements,
    /// Folder of hooks that the user's or the system's configuration names.
    pub(crate) hooks: Option<OsString>,
    watched: Vec<Watched>,
    indexes: Vec<(PathBuf, Gitlinks)>,
}

impl CleanRoom {
    /// The clean room for git at a place.
    pub(crate) fn at(place: Place<'_>) -> Result<CleanRoom, GitError> {
        let Found { settings, watched, indexes } = read(place)?;
        let (replacements, hooks) = (replace_programs(&settings), hooks_of_user(&settings));
        Ok(CleanRoom { replacements, hooks, watched, indexes })
    }

    /// The file that has changed since, so that git may have started a program that is not replaced; none if nothing has.
    pub(crate) fn changed_file(&self) -> Option<&Path> {
        self.watched.iter().find(|watched| !watched.is_same()).map(|watched| watched.path.as_path())
    }

    /// The index that names other submodules now, or cannot be read; none if all name the same. For calls that leave the index alone.
    pub(crate) fn changed_index(&self) -> Option<&Path> {
        let is_other = |(index, links): &&(PathBuf, Gitlinks)| {
            gitlinks_without_asking(index).map_or(true, |now| now.is_some_and(|now| now != *links))
        };
        self.indexes.iter().find(is_other).map(|(index, _)| index.as_path())
    }
}

/// Folder of hooks that the user's or the system's configuration names.
fn hooks_of_user(settings: &[Setting]) -> Option<OsString> {
    let is_hooks =
        |setting: &&Setting| !setting.is_of_repository && setting.key.eq_ignore_ascii_case(b"core.hookspath");
    settings.iter().rfind(is_hooks).map(|setting| OsString::from_vec(setting.value.clone()))
}
