//! Overrides of roles and parts: a team's own texts, read at one moment and used as they were then.

use super::built_in::{PARTS, ROLES};
use super::role::{RoleError, TextOrigin};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Maximum size of a role file.
const MAX_BYTES: u64 = 256 * 1024;

/// A team's own texts, by the name of the role or part.
#[derive(Debug, Clone, Default)]
pub struct RoleOverrides {
    texts: BTreeMap<&'static str, Result<(PathBuf, String), RoleError>>,
    unknown_files: Vec<RoleError>,
}

impl RoleOverrides {
    /// Reads the texts in `folder` below `root`. The folder need not exist.
    pub fn read(root: &Path, folder: &Path) -> RoleOverrides {
        if fs_err::symlink_metadata(root.join(folder)).is_err_and(|error| is_absent(&error)) {
            return RoleOverrides::default();
        }
        let team = TeamFolder { root, folder };
        let names = ROLES.iter().chain(PARTS).map(|(name, _)| *name);
        let texts = names.filter_map(|name| Some((name, team.read(name).transpose()?)));
        RoleOverrides { texts: texts.collect(), unknown_files: team.unknown_files() }
    }

    /// The readable texts, with their paths from the root of the repository.
    pub fn texts(&self) -> impl Iterator<Item = (&Path, &str)> {
        let readable = self.texts.values().filter_map(|text| text.as_ref().ok());
        readable.map(|(path, text)| (path.as_path(), text.as_str()))
    }

    /// The text of a role or part, and its path.
    pub(super) fn text_of(&self, name: &str) -> Result<Option<(PathBuf, String)>, RoleError> {
        self.texts.get(name).cloned().transpose()
    }

    /// Files that override nothing, sorted.
    pub(super) fn unknown_files(&self) -> &[RoleError] {
        &self.unknown_files
    }
}

/// Folder of a team's own texts.
struct TeamFolder<'a> {
    root: &'a Path,
    folder: &'a Path,
}

impl TeamFolder<'_> {
    /// Reads the team's text of that name, if there is one. A link could put any file of the machine into a prompt, so
    /// only plain files inside the repository are accepted.
    fn read(&self, name: &str) -> Result<Option<(PathBuf, String)>, RoleError> {
        let shown = self.folder.join(format!("{name}.md"));
        let path = self.root.join(&shown);
        let invalid =
            |message: String| RoleError::in_text(&TextOrigin::File(shown.clone()), name, 1, message);
        let metadata = match fs_err::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(invalid(error.to_string())),
        };
        if !metadata.is_file() || !self.is_inside(&path) {
            return Err(invalid("not a plain file inside the repository".to_owned()));
        }
        if metadata.len() > MAX_BYTES {
            return Err(invalid(format!("larger than {} KB", MAX_BYTES / 1024)));
        }
        let text = fs_err::read_to_string(&path).map_err(|error| invalid(error.to_string()))?;
        Ok(Some((shown, text)))
    }

    fn is_inside(&self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        real(path).zip(real(self.root)).is_some_and(|(path, root)| path.starts_with(root))
    }

    /// Markdown files that override nothing, sorted. Files in other formats are ignored.
    fn unknown_files(&self) -> Vec<RoleError> {
        let known = |name: &Path| {
            let name = name.with_extension("");
            ROLES.iter().chain(PARTS).any(|(known, _)| Path::new(known) == name)
        };
        let mut unknown = Vec::new();
        for below in ["", "parts"] {
            let Ok(entries) = fs_err::read_dir(self.root.join(self.folder).join(below)) else { continue };
            let names = entries.filter_map(|entry| Some(Path::new(below).join(entry.ok()?.file_name())));
            unknown.extend(
                names.filter(|name| {
                    name.extension().is_some_and(|extension| extension == "md") && !known(name)
                }),
            );
        }
        unknown.sort();
        unknown.into_iter().map(|name| RoleError::UnknownFile(self.folder.join(name))).collect()
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
