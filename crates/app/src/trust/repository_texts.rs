//! Texts of a repository that agents or the tracker obey: role overrides, templates, the file of integrations. They are
//! read once, so that what was accepted is what is used.

use charrette_engine::deliverable::Templates;
use charrette_engine::roles::{ROLE_FOLDER, RoleOverrides};
use charrette_store::integrations::integrations_text;
use charrette_store::layout::check_file;
use std::path::{Path, PathBuf};

/// Folder of a team's own templates, below the specifications folder.
const TEMPLATES: &str = "templates";

/// Texts of a repository as they were when the site was opened.
#[derive(Debug, Clone)]
pub struct RepositoryTexts {
    pub roles: RoleOverrides,
    /// Templates that could be read: path from the root, and text.
    pub templates: Vec<(String, String)>,
    /// The file of integrations, if it is there; an error if it cannot be read.
    pub integrations: Result<Option<String>, String>,
}

impl RepositoryTexts {
    pub(crate) fn read(root: &Path, specs_folder: &str) -> RepositoryTexts {
        let readable = template_files(root, specs_folder).filter_map(|path| {
            let is_inside = check_file(root, &path).unwrap_or_default();
            let text = is_inside.then(|| fs_err::read_to_string(&path).ok()).flatten()?;
            Some((path.strip_prefix(root).unwrap_or(&path).display().to_string(), text))
        });
        RepositoryTexts {
            roles: RoleOverrides::read(root, Path::new(ROLE_FOLDER)),
            templates: readable.collect(),
            integrations: integrations_text(root).map_err(|error| error.to_string()),
        }
    }

    /// The same without what needs trust. The file of integrations stays: its problems are reported, and
    /// [`crate::tracker`] does not use it.
    pub(crate) fn without_overrides(self) -> RepositoryTexts {
        RepositoryTexts { roles: RoleOverrides::default(), templates: Vec::new(), ..self }
    }
}

/// Paths of all templates that a team can have; none of them has to exist.
pub(crate) fn template_files(root: &Path, specs_folder: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let folder = root.join(specs_folder).join(TEMPLATES);
    Templates::files().map(move |name| folder.join(format!("{name}.jinja")))
}
