//! Which level is designed, and where in the tree of specifications: what `--level`, `--parent` and names mean.
//!
//! Which run that is, and how far it goes, is decided in [`crate::designing::order`].

use crate::commands::design::DesignArgs;
use crate::commands::which;
use crate::error::CommandError;
use crate::site::Site;
use charrette_model::checkpoint::Command;
use charrette_model::feature::name::{FeaturePath, InvalidName};
use charrette_model::shown::shown;
use charrette_model::spec::manifest::{Manifest, file_name};
use charrette_model::spec::resolver::{Level, ResolveError, Resolved, SpecTree, matches, resolve};
use charrette_store::specs;

/// The level that was asked for, if any was.
pub(crate) fn asked(args: &DesignArgs) -> Result<Option<Level>, CommandError> {
    let named = args.level.as_deref().map(|typed| {
        Level::named(typed).ok_or_else(|| {
            let valid = Level::ALL.map(Level::as_str).join(", ");
            CommandError::usage(format!("Invalid level \"{}\". Valid values: {valid}", shown(typed)))
        })
    });
    let flags = [(args.project, Level::Project), (args.as_feature, Level::Feature), (args.spec, Level::Spec)];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, level)| level);
    let all: Vec<Level> = named.transpose()?.into_iter().chain(flags).collect();
    match all.as_slice() {
        [] => Ok(None),
        [level] => Ok(Some(*level)),
        _ => Err(CommandError::usage("Only one of --project, --feature, --spec allowed")),
    }
}

/// What lies in the folder of specifications.
pub(crate) struct Nest {
    tree: SpecTree,
    root: String,
}

/// Something in it, to be designed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where.
    pub(crate) path: FeaturePath,
    /// What it is, as far as the tree or a flag says.
    pub(crate) level: Option<Level>,
}

impl Nest {
    pub(crate) fn here(site: &Site) -> Result<Nest, CommandError> {
        let folder = site.root.join(site.settings.specs_folder());
        let tree = specs::tree(&folder).map_err(CommandError::failed)?;
        Ok(Nest { tree, root: folder.to_string_lossy().into_owned() })
    }

    /// The parent that was named: a project for a feature, a feature for a specification.
    pub(crate) fn parent(&self, typed: &str, level: Option<Level>) -> Result<Place, CommandError> {
        let wanted = level.map(|level| {
            level.outer().ok_or_else(|| CommandError::usage("a project has no parent; leave out --parent"))
        });
        let wanted = wanted.transpose()?;
        match resolve(&self.tree, &self.root, typed, wanted).found {
            Ok(found) if found.exists && found.level != Level::Spec => {
                let path = FeaturePath::parse(&found.name).map_err(CommandError::usage)?;
                Ok(Place { path, level: Some(found.level) })
            }
            Err(error @ (ResolveError::Name(_) | ResolveError::Ambiguous { .. })) => {
                Err(CommandError::usage(error))
            }
            _ => Err(no_parent(wanted.unwrap_or(Level::Feature), typed)),
        }
    }

    /// What a name or a path leads to, if anything is called so.
    pub(crate) fn named(&self, typed: &str) -> Result<Option<Place>, CommandError> {
        match resolve(&self.tree, &self.root, typed, None).found {
            Ok(found) => {
                let path = FeaturePath::parse(&found.name).map_err(CommandError::usage)?;
                Ok(Some(Place { path, level: Some(found.level) }))
            }
            Err(error @ ResolveError::Ambiguous { .. }) => {
                Err(CommandError::usage(error).hint("Give the whole name, with / between its parts"))
            }
            Err(ResolveError::NotFound(_) | ResolveError::Name(_)) => Ok(None),
        }
    }

    /// Where something new goes that is named by its whole path: its parent must be there.
    pub(crate) fn new_place(&self, path: FeaturePath, level: Option<Level>) -> Result<Place, CommandError> {
        let Some(parent) = path.parent() else { return Ok(Place { path, level }) };
        let parent = self.parent(&parent.folder(), level)?;
        Ok(Place { path, level: level.or(parent.level.and_then(Level::inner)) })
    }

    /// Refuses a name that something of another level has.
    pub(crate) fn no_collision(&self, path: &FeaturePath, level: Level) -> Result<(), CommandError> {
        let all = matches(&self.tree, &self.root, &path.folder());
        let other = all.into_iter().find(|found| found.level != level);
        other.map_or(Ok(()), |found: Resolved| Err(collision(path, found.level)))
    }

    /// What the manifest above says about something that is to be designed: its request.
    pub(crate) fn request(&self, path: &FeaturePath) -> Option<String> {
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
pub(crate) fn collision(path: &FeaturePath, level: Level) -> CommandError {
    CommandError::failed(format!("Name collision: '{}' exists as a {}.", path.folder(), level.as_str()))
        .hint("Give it another name: --name NAME")
}

fn no_parent(level: Level, typed: &str) -> CommandError {
    let level = level.as_str();
    CommandError::failed(format!("Parent {level} '{}' not found. Create it first.", shown(typed)))
        .hint(format!("For example: charrette design \"what it is\" --{level} --name NAME"))
}

/// The place that is meant by what was typed: a run by its name, something in the tree, or something new.
/// `derived` makes a name from a description, for a place in `parent`.
pub(crate) fn meant(
    site: &Site,
    args: &DesignArgs,
    nest: &Nest,
    typed: &str,
    derived: impl Fn(Option<&FeaturePath>) -> Result<FeaturePath, CommandError>,
) -> Result<Place, CommandError> {
    let level = asked(args)?;
    let parent = args.parent.as_deref().map(|parent| nest.parent(parent, level)).transpose()?;
    let within = |name: &FeaturePath| match &parent {
        Some(parent) => parent.path.child(name).map_err(CommandError::usage),
        None => Ok(name.clone()),
    };
    let inner = || level.or(parent.as_ref().and_then(|parent| parent.level?.inner()));
    if let Some(name) = &args.name {
        let path = within(&FeaturePath::parse(name).map_err(CommandError::usage)?)?;
        let goes_on = args.resume || args.phase.is_some() || is_run(site, &path)?;
        return if goes_on { Ok(Place { path, level }) } else { nest.new_place(path, inner()) };
    }
    let Ok(name) = FeaturePath::parse(typed) else {
        // A description.
        return Ok(Place { path: derived(parent.as_ref().map(|parent| &parent.path))?, level: inner() });
    };
    let path = within(&name)?;
    if is_run(site, &path)? {
        return Ok(Place { path, level });
    }
    // With a level and no more than a word, something new is meant that stands alone.
    let is_literal = parent.is_some() || (level.is_some() && !args.resume && args.phase.is_none());
    if !is_literal {
        if let Some(path) = which::nested(&design_runs(site)?, &name)? {
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

fn is_run(site: &Site, path: &FeaturePath) -> Result<bool, CommandError> {
    Ok(design_runs(site)?.contains(path))
}

/// The designs that there are.
fn design_runs(site: &Site) -> Result<Vec<FeaturePath>, CommandError> {
    let rows = site.documents().list()?;
    let designs = rows.into_iter().filter(|row| row.name.command() == Command::Design.as_str());
    Ok(designs.filter_map(|row| row.name.feature().cloned()).collect())
}

/// A name made from a description, below `parent`; `is_taken` knows whole paths.
pub(crate) fn derive(
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
