//! Where a feature lies in the tree of specifications: what a level, a parent and a name mean together.
//!
//! Which run that is, and how far it goes, is decided in [`crate::order`].

use crate::error::AppError;
use crate::order::StartRequest;
use crate::site::Site;
use crate::which;
use charrette_model::feature::name::{FeaturePath, InvalidName};
use charrette_model::shown::shown;
use charrette_model::spec::manifest::{Manifest, file_name};
use charrette_model::spec::resolver::{Level, ResolveError, Resolved, SpecTree, matches, resolve};
use charrette_store::specs;

/// The level of that name.
pub fn level_named(typed: &str) -> Result<Level, AppError> {
    Level::named(typed).ok_or_else(|| {
        let valid = Level::ALL.map(Level::as_str).join(", ");
        AppError::usage(format!("Invalid level \"{}\". Valid values: {valid}", shown(typed)))
    })
}

/// What lies in the folder of specifications.
pub struct Nest {
    tree: SpecTree,
    root: String,
    /// The command that asks, for hints.
    command: String,
}

/// Something in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Where.
    pub path: FeaturePath,
    /// What it is, as far as the tree or a flag says.
    pub level: Option<Level>,
}

impl Nest {
    /// What lies there now.
    pub fn here(site: &Site, command: &str) -> Result<Nest, AppError> {
        let folder = site.root.join(site.settings.specs_folder());
        let tree = specs::tree(&folder).map_err(AppError::failed)?;
        Ok(Nest { tree, root: folder.to_string_lossy().into_owned(), command: command.to_owned() })
    }

    /// The parent that was named: a project for a feature, a feature for a specification.
    pub fn parent(&self, typed: &str, level: Option<Level>) -> Result<Place, AppError> {
        let wanted = level.map(|level| {
            level.outer().ok_or_else(|| AppError::usage("a project has no parent; leave out --parent"))
        });
        let wanted = wanted.transpose()?;
        match resolve(&self.tree, &self.root, typed, wanted).found {
            Ok(found) if found.exists && found.level != Level::Spec => {
                let path = FeaturePath::parse(&found.name).map_err(AppError::usage)?;
                Ok(Place { path, level: Some(found.level) })
            }
            Err(error @ (ResolveError::Name(_) | ResolveError::Ambiguous { .. })) => {
                Err(AppError::usage(error))
            }
            _ => Err(no_parent(&self.command, wanted.unwrap_or(Level::Feature), typed)),
        }
    }

    /// What a name or a path leads to, if anything is called so.
    pub fn named(&self, typed: &str) -> Result<Option<Place>, AppError> {
        match resolve(&self.tree, &self.root, typed, None).found {
            Ok(found) => {
                let path = FeaturePath::parse(&found.name).map_err(AppError::usage)?;
                Ok(Some(Place { path, level: Some(found.level) }))
            }
            Err(error @ ResolveError::Ambiguous { .. }) => {
                Err(AppError::usage(error).hint("Give the whole name, with / between its parts"))
            }
            Err(ResolveError::NotFound(_) | ResolveError::Name(_)) => Ok(None),
        }
    }

    /// Where something new goes that is named by its whole path: its parent must be there.
    pub fn new_place(&self, path: FeaturePath, level: Option<Level>) -> Result<Place, AppError> {
        let Some(parent) = path.parent() else { return Ok(Place { path, level }) };
        let parent = self.parent(&parent.folder(), level)?;
        Ok(Place { path, level: level.or(parent.level.and_then(Level::inner)) })
    }

    /// Refuses a name that something of another level has.
    pub fn no_collision(&self, path: &FeaturePath, level: Level) -> Result<(), AppError> {
        let all = matches(&self.tree, &self.root, &path.folder());
        let other = all.into_iter().find(|found| found.level != level);
        other.map_or(Ok(()), |found: Resolved| Err(collision(path, found.level)))
    }

    /// What the manifest above says about something that is to be made: its request.
    pub fn request(&self, path: &FeaturePath) -> Option<String> {
        let parent = path.parent()?.folder();
        let found = [Level::Project, Level::Feature].into_iter().find_map(|level| {
            let text = self.tree.text(&format!("{parent}/{}", file_name(level)?))?;
            Manifest::parse(level, text).ok()?.entry(path.last()).cloned()
        })?;
        let listed = |title: &str, names: &[String]| match names {
            [] => String::new(),
            names => format!("\n{title}: {}\n", names.join(", ")),
        };
        let head = format!("{}: {}\n", found.name, found.description);
        Some(head + &listed("Rough specs", &found.rough_specs) + &listed("Depends on", &found.depends_on))
    }
}

/// Something of that name is of another level.
pub fn collision(path: &FeaturePath, level: Level) -> AppError {
    AppError::failed(format!("Name collision: '{}' exists as a {}.", path.folder(), level.as_str()))
        .hint("Give it another name: --name NAME")
}

fn no_parent(command: &str, level: Level, typed: &str) -> AppError {
    let level = level.as_str();
    AppError::failed(format!("Parent {level} '{}' not found. Create it first.", shown(typed)))
        .hint(format!("For example: charrette {command} \"what it is\" --{level} --name NAME"))
}

/// The place that is meant by what was typed: a run by its name, something in the tree, or something new.
/// `derived` makes a name from a description, for a place in `parent`.
pub fn meant(
    site: &Site,
    request: &StartRequest,
    nest: &Nest,
    typed: &str,
    derived: impl Fn(Option<&FeaturePath>) -> Result<FeaturePath, AppError>,
) -> Result<Place, AppError> {
    let level = request.level;
    let parent = request.parent.as_deref().map(|parent| nest.parent(parent, level)).transpose()?;
    let within = |name: &FeaturePath| match &parent {
        Some(parent) => parent.path.child(name).map_err(AppError::usage),
        None => Ok(name.clone()),
    };
    let inner = || level.or(parent.as_ref().and_then(|parent| parent.level?.inner()));
    if let Some(name) = &request.name {
        let path = within(&FeaturePath::parse(name).map_err(AppError::usage)?)?;
        let goes_on = request.resume || request.phase.is_some() || is_run(site, request, &path)?;
        return if goes_on { Ok(Place { path, level }) } else { nest.new_place(path, inner()) };
    }
    let Ok(name) = FeaturePath::parse(typed) else {
        // A description.
        return Ok(Place { path: derived(parent.as_ref().map(|parent| &parent.path))?, level: inner() });
    };
    let path = within(&name)?;
    if is_run(site, request, &path)? {
        return Ok(Place { path, level });
    }
    // With a level and no more than a word, something new is meant that stands alone.
    let is_literal = parent.is_some() || (level.is_some() && !request.resume && request.phase.is_none());
    if !is_literal {
        if let Some(path) = which::nested(&runs(site, request)?, &name)? {
            return Ok(Place { path, level });
        }
        if let Some(place) = nest.named(typed)? {
            return Ok(place);
        }
    }
    let has_parent = || path.parent().is_some_and(|outer| nest.parent(&outer.folder(), level).is_ok());
    if path.is_nested() && (is_literal || has_parent()) {
        return nest.new_place(path, inner());
    }
    Ok(Place { path: derived(None)?, level: inner() })
}

fn is_run(site: &Site, request: &StartRequest, path: &FeaturePath) -> Result<bool, AppError> {
    Ok(runs(site, request)?.contains(path))
}

/// The features that this command has runs of.
pub fn runs(site: &Site, request: &StartRequest) -> Result<Vec<FeaturePath>, AppError> {
    let rows = site.documents().list()?;
    let own = rows.into_iter().filter(|row| row.name.command() == request.flow.command.as_str());
    Ok(own.filter_map(|row| row.name.feature().cloned()).collect())
}

/// A name made from a description, below `parent`; `is_taken` knows whole paths.
pub fn derive(
    description: &str,
    parent: Option<&FeaturePath>,
    is_taken: impl Fn(&FeaturePath) -> bool,
) -> Result<FeaturePath, InvalidName> {
    let whole = |name: &FeaturePath| parent.map_or_else(|| Ok(name.clone()), |parent| parent.child(name));
    let taken = |name: &str| {
        let path = FeaturePath::parse(name).and_then(|name| whole(&name));
        path.is_ok_and(|path| is_taken(&path))
    };
    let name = match FeaturePath::derive(description, taken) {
        // Nothing in it can be part of a file's name, as in a language without Latin letters.
        Err(InvalidName::Empty) => FeaturePath::derive("feature", taken),
        derived => derived,
    };
    whole(&name?)
}
