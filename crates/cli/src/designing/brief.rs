//! A design, made ready to be driven: its brief, from the run's document and this site.

use crate::error::CommandError;
use crate::room;
use crate::site::Site;
use crate::workspaces;
use charrette_agents::profile::Roster;
use charrette_engine::deliverable::Templates;
use charrette_engine::flows::design::Brief;
use charrette_engine::roles::{PinnedRoles, ROLE_FOLDER, Roles};
use charrette_model::checkpoint::{Checkpoint, DocumentName};
use charrette_model::feature::name::FeaturePath;
use charrette_model::spec::check::shape;
use charrette_model::spec::resolver::Level;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Where the roles of a run are pinned, in its workspace.
const PINNED: &str = "roles";
/// Where a team keeps its own templates, below the folder of specifications.
const TEMPLATES: &str = "templates";

/// What a team may have a template of its own for.
const TEMPLATE_FILES: [&str; 4] = ["requirements.md", "design.md", "tasks.md", "summary.md"];

/// The flag that says what is designed; a specification if it is not there.
const LEVEL: &str = "level";

/// How a design was asked for. It is kept with the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Manner {
    pub(crate) auto: bool,
    pub(crate) quick: bool,
    pub(crate) no_checkpoint: bool,
    /// What is designed.
    pub(crate) level: Level,
}

impl Manner {
    /// As the document of a run has it.
    pub(crate) fn of(document: &Checkpoint) -> Manner {
        let flags = document.run.as_ref().map(|run| &run.flags);
        let is_set =
            |name: &str| flags.and_then(|flags| flags.get(name)).and_then(Value::as_bool).unwrap_or_default();
        let level = flags.and_then(|flags| flags.get(LEVEL)).and_then(Value::as_str).and_then(Level::named);
        Manner {
            auto: is_set("auto"),
            quick: is_set("quick"),
            no_checkpoint: is_set("no-checkpoint"),
            level: level.unwrap_or_default(),
        }
    }

    /// As it is kept.
    pub(crate) fn flags(self) -> Map<String, Value> {
        let all = [("auto", self.auto), ("quick", self.quick), ("no-checkpoint", self.no_checkpoint)];
        let flags = all.into_iter().map(|(name, set)| (name.to_owned(), Value::from(set)));
        let level = (self.level != Level::Spec).then(|| (LEVEL.to_owned(), Value::from(self.level.as_str())));
        flags.chain(level).collect()
    }

    /// What was asked for before, and what is asked for now as well.
    pub(crate) fn and(self, more: Manner) -> Manner {
        Manner {
            auto: self.auto || more.auto,
            quick: self.quick || more.quick,
            no_checkpoint: self.no_checkpoint || more.no_checkpoint,
            level: self.level,
        }
    }
}

/// The folder of a feature's specification, from the root of the repository, with `/` at the end.
pub(crate) fn spec_folder(site: &Site, name: &DocumentName) -> String {
    let feature = name.feature().map(FeaturePath::folder).unwrap_or_default();
    format!("{}/{feature}/", site.settings.specs_folder())
}

/// The files that a design leaves, with what each is.
pub(crate) fn deliverables(level: Level) -> Vec<(&'static str, &'static str)> {
    let Some(shape) = shape(level) else {
        return vec![
            ("requirements.md", "what is demanded"),
            ("design.md", "how it is built, and how that was decided"),
            ("tasks.md", ""),
            ("summary.md", "one page"),
            ("spec.json", "the same for programs"),
            ("meta.yaml", "id, status, counts"),
        ];
    };
    let page = if level == Level::Project {
        "what it is for, and its features"
    } else {
        "what it is, and its specs"
    };
    vec![(shape.page, page), (shape.manifest, "the same for programs"), (shape.marker, "what this folder is")]
}

/// The texts of all roles as they are now, to be pinned for a run.
pub(crate) fn role_texts(site: &Site) -> Result<Vec<(String, String)>, CommandError> {
    let roles = Roles::load(&site.root, &site.root.join(ROLE_FOLDER));
    if let Some(problem) = roles.problems().first() {
        return Err(CommandError::failed(problem).hint("See all roles: charrette roles list"));
    }
    Ok(roles.files().map(|(name, text)| (format!("{PINNED}/{name}"), text.to_owned())).collect())
}

/// The brief of a run, up to and including the phase `until`.
pub(crate) fn brief(
    site: &Site,
    name: &DocumentName,
    document: &Checkpoint,
    until: &'static str,
) -> Result<Brief, CommandError> {
    let manner = Manner::of(document);
    let folder = spec_folder(site, name);
    let workspace = workspaces::workspace_of(site, document)?;
    let started = document.started_at.as_ref().map_or_else(|| room::at_present(site), ToString::to_string);
    let (roster, _) = Roster::configured(&site.settings);
    let vendors = room::known(&roster).into_iter().map(|agent| (agent.name, agent.vendor));
    Ok(Brief {
        feature: name.feature().map(ToString::to_string).unwrap_or_default(),
        level: manner.level,
        spec_path: format!("{}/", site.root.join(folder.trim_end_matches('/')).display()),
        spec_folder: folder,
        date: started.chars().take(10).collect(),
        auto: manner.auto,
        quick: manner.quick,
        no_checkpoint: manner.no_checkpoint,
        until,
        summary_words: site.settings.summary_words(),
        roles: PinnedRoles::in_folder(site.root.clone(), pinned(workspace.folder())),
        templates: templates(site)?,
        vendors: vendors.collect(),
    })
}

fn pinned(workspace: &Path) -> PathBuf {
    workspace.join(PINNED)
}

/// The built-in templates, with the team's own in their place.
fn templates(site: &Site) -> Result<Templates, CommandError> {
    let folder = site.root.join(site.settings.specs_folder()).join(TEMPLATES);
    let mut own = Vec::new();
    for name in TEMPLATE_FILES {
        let path = folder.join(format!("{name}.jinja"));
        match fs_err::read_to_string(&path) {
            Ok(text) => own.push((site.relative(&path).display().to_string(), text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(CommandError::failed(error)),
        }
    }
    Templates::with_overrides(own).map_err(CommandError::failed)
}
