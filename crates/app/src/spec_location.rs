//! Location of a feature in the specification tree, from its level, parent and name.
//!
//! [`crate::start_plan`] decides which run that is and how far it goes.

use crate::error::AppError;
use crate::run_lookup;
use crate::site::Site;
use crate::start_plan::StartRequest;
use charrette_model::escape::printable;
use charrette_model::feature::name::{FeaturePath, InvalidName};
use charrette_model::spec::manifest::{LevelManifest, file_name};
use charrette_model::spec::resolver::{
    ResolveError, ResolvedSpec, SpecLevel, SpecTree, find_matches, resolve,
};
use charrette_store::layout::check_folder;
use charrette_store::specs;

/// Parses a level.
pub fn parse_level(typed: &str) -> Result<SpecLevel, AppError> {
    SpecLevel::from_name(typed).ok_or_else(|| {
        let valid = SpecLevel::ALL.map(SpecLevel::as_str).join(", ");
        AppError::usage(format!("Invalid level \"{}\". Valid values: {valid}", printable(typed)))
    })
}

/// Finds features, parents and name collisions in the specification tree.
pub struct SpecLocator {
    tree: SpecTree,
    root: String,
    /// The command, for hints.
    command: String,
}

/// Location in the specification tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecLocation {
    pub path: FeaturePath,
    /// None if neither the tree nor a flag says.
    pub level: Option<SpecLevel>,
}

impl SpecLocator {
    /// Reads the specification tree of a site.
    pub fn open(site: &Site, command: &str) -> Result<SpecLocator, AppError> {
        let folder = site.root.join(site.settings.specs_folder());
        check_folder(&site.root, &folder)?;
        let tree = specs::read_spec_tree(&folder).map_err(AppError::failed)?;
        Ok(SpecLocator { tree, root: folder.to_string_lossy().into_owned(), command: command.to_owned() })
    }

    /// Finds a parent: a project for a feature, a feature for a specification.
    pub fn parent(&self, typed: &str, level: Option<SpecLevel>) -> Result<SpecLocation, AppError> {
        let wanted = level.map(|level| {
            level.outer().ok_or_else(|| AppError::usage("a project has no parent; leave out --parent"))
        });
        let wanted = wanted.transpose()?;
        match resolve(&self.tree, &self.root, typed, wanted).found {
            Ok(found) if found.exists && found.level != SpecLevel::Spec => {
                let path = FeaturePath::parse(&found.name).map_err(AppError::usage)?;
                Ok(SpecLocation { path, level: Some(found.level) })
            }
            Err(error @ (ResolveError::Name(_) | ResolveError::Ambiguous { .. })) => {
                Err(AppError::usage(error))
            }
            _ => Err(no_parent(&self.command, wanted.unwrap_or(SpecLevel::Feature), typed)),
        }
    }

    /// Finds an existing or listed feature by name or path.
    pub fn find(&self, typed: &str) -> Result<Option<SpecLocation>, AppError> {
        match resolve(&self.tree, &self.root, typed, None).found {
            Ok(found) => {
                let path = FeaturePath::parse(&found.name).map_err(AppError::usage)?;
                Ok(Some(SpecLocation { path, level: Some(found.level) }))
            }
            Err(error @ ResolveError::Ambiguous { .. }) => {
                Err(AppError::usage(error).hint("Give the whole name, with / between its parts"))
            }
            Err(ResolveError::NotFound(_) | ResolveError::Name(_)) => Ok(None),
        }
    }

    /// Specifications that have a list of tasks, by path.
    pub(crate) fn specs_with_tasks(&self) -> Vec<FeaturePath> {
        let folders = self.tree.files().filter_map(|path| path.strip_suffix("/tasks.md"));
        folders.filter_map(|folder| FeaturePath::parse(folder).ok()).collect()
    }

    /// Location of a new feature given by its whole path. Its parent must exist.
    pub fn new_location(
        &self,
        path: FeaturePath,
        level: Option<SpecLevel>,
    ) -> Result<SpecLocation, AppError> {
        let Some(parent) = path.parent() else { return Ok(SpecLocation { path, level }) };
        let parent = self.parent(&parent.folder(), level)?;
        Ok(SpecLocation { path, level: level.or(parent.level.and_then(SpecLevel::inner)) })
    }

    /// Fails if the name is taken by something of another level.
    pub fn check_collision(&self, path: &FeaturePath, level: SpecLevel) -> Result<(), AppError> {
        let all = find_matches(&self.tree, &self.root, &path.folder());
        let other = all.into_iter().find(|found| found.level != level);
        other.map_or(Ok(()), |found: ResolvedSpec| Err(collision(path, found.level)))
    }

    /// Request text for a planned feature, from its parent's manifest.
    pub fn manifest_request(&self, path: &FeaturePath) -> Option<String> {
        let parent = path.parent()?.folder();
        let found = [SpecLevel::Project, SpecLevel::Feature].into_iter().find_map(|level| {
            let text = self.tree.text(&format!("{parent}/{}", file_name(level)?))?;
            LevelManifest::parse(level, text).ok()?.entry(path.last()).cloned()
        })?;
        let listed = |title: &str, names: &[String]| match names {
            [] => String::new(),
            names => format!("\n{title}: {}\n", names.join(", ")),
        };
        let head = format!("{}: {}\n", found.name, found.description);
        Some(head + &listed("Rough specs", &found.rough_specs) + &listed("Depends on", &found.depends_on))
    }
}

/// Error for a name that is taken by something of another level.
pub fn collision(path: &FeaturePath, level: SpecLevel) -> AppError {
    AppError::failed(format!("Name collision: '{}' exists as a {}.", path.folder(), level.as_str()))
        .hint("Give it another name: --name NAME")
}

fn no_parent(command: &str, level: SpecLevel, typed: &str) -> AppError {
    let level = level.as_str();
    AppError::failed(format!("Parent {level} '{}' not found. Create it first.", printable(typed)))
        .hint(format!("For example: charrette {command} \"what it is\" --{level} --name NAME"))
}

/// Locates what was typed: a run by its name, something in the tree, or something new. `derived` makes a name from a
/// description, below the given parent.
pub fn locate(
    site: &Site,
    request: &StartRequest,
    locator: &SpecLocator,
    typed: &str,
    derived: impl Fn(Option<&FeaturePath>) -> Result<FeaturePath, AppError>,
) -> Result<SpecLocation, AppError> {
    let level = request.level;
    let parent = request.parent.as_deref().map(|parent| locator.parent(parent, level)).transpose()?;
    let within = |name: &FeaturePath| match &parent {
        Some(parent) => parent.path.child(name).map_err(AppError::usage),
        None => Ok(name.clone()),
    };
    let inner = || level.or(parent.as_ref().and_then(|parent| parent.level?.inner()));
    if let Some(name) = &request.name {
        let path = within(&FeaturePath::parse(name).map_err(AppError::usage)?)?;
        let goes_on = request.resume || request.phase.is_some() || is_run(site, request, &path)?;
        return if goes_on { Ok(SpecLocation { path, level }) } else { locator.new_location(path, inner()) };
    }
    let Ok(name) = FeaturePath::parse(typed) else {
        // A description.
        return Ok(SpecLocation {
            path: derived(parent.as_ref().map(|parent| &parent.path))?,
            level: inner(),
        });
    };
    let path = within(&name)?;
    if is_run(site, request, &path)? {
        return Ok(SpecLocation { path, level });
    }
    // A level and a single word mean something new without a parent.
    let is_literal = parent.is_some() || (level.is_some() && !request.resume && request.phase.is_none());
    if !is_literal {
        if let Some(path) = run_lookup::find_nested(&features_with_runs(site, request)?, &name)? {
            return Ok(SpecLocation { path, level });
        }
        if let Some(place) = locator.find(typed)? {
            return Ok(place);
        }
    }
    let has_parent = || path.parent().is_some_and(|outer| locator.parent(&outer.folder(), level).is_ok());
    if path.is_nested() && (is_literal || has_parent()) {
        return locator.new_location(path, inner());
    }
    Ok(SpecLocation { path: derived(None)?, level: inner() })
}

fn is_run(site: &Site, request: &StartRequest, path: &FeaturePath) -> Result<bool, AppError> {
    Ok(features_with_runs(site, request)?.contains(path))
}

/// Features that this command has runs of.
pub fn features_with_runs(site: &Site, request: &StartRequest) -> Result<Vec<FeaturePath>, AppError> {
    let rows = site.documents().list()?;
    let own = rows.into_iter().filter(|row| row.name.command() == request.flow.command.as_str());
    Ok(own.filter_map(|row| row.name.feature().cloned()).collect())
}

/// Derives a name from a description, below `parent`; `is_taken` is given whole paths.
pub fn derive(
    description: &str,
    parent: Option<&FeaturePath>,
    is_taken: impl Fn(&FeaturePath) -> bool,
) -> Result<FeaturePath, InvalidName> {
    let whole = |name: &FeaturePath| parent.map_or_else(|| Ok(name.clone()), |parent| parent.child(name));
    let is_name_taken = |name: &str| {
        let path = FeaturePath::parse(name).and_then(|name| whole(&name));
        path.is_ok_and(|path| is_taken(&path))
    };
    let name = match FeaturePath::derive(description, is_name_taken) {
        // Nothing in it can be part of a file's name, as in a language without Latin letters.
        Err(InvalidName::Empty) => FeaturePath::derive("feature", is_name_taken),
        derived => derived,
    };
    whole(&name?)
}
