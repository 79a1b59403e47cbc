//! Finds a specification by its name.
//!
//! `specs/<name>/` is a specification, a feature or a project by itself; `specs.json` of a feature and
//! `features.json` of a project name the ones below them. Every place is always looked at, so that an ambiguous
//! name is seen to be one. What lies under `specs/` comes in as a [`SpecTree`]; nothing is read here.

use crate::feature::name::{FeaturePath, InvalidName, RESERVED};
use crate::shown::shown;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What lies under the directory of specifications: the files of up to three levels of directories, with the
/// texts of the manifests among them. Paths are relative to it, `/` between.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecTree {
    files: BTreeMap<String, Option<String>>,
}

impl SpecTree {
    /// Adds a file: `shop/cart/design.md`.
    pub fn add(&mut self, path: &str) {
        self.files.entry(path.to_owned()).or_default();
    }

    /// Adds a file with its text; `specs.json` and `features.json` need theirs.
    pub fn add_text(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), Some(text.to_owned()));
    }

    /// Whether the tree wants this file's text.
    pub fn wants_text(path: &str) -> bool {
        matches!(path.rsplit('/').next(), Some("specs.json" | "features.json"))
    }

    /// The text of a manifest.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// The folders that have files.
    fn folders(&self) -> impl Iterator<Item = &str> {
        let folders: BTreeSet<&str> =
            self.files.keys().filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder).collect();
        folders.into_iter()
    }

    fn has(&self, directory: &str, file: &str) -> bool {
        self.files.contains_key(&format!("{directory}/{file}"))
    }
}

/// What a directory is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It has features.
    Project,
    /// It has specifications.
    Feature,
    /// It is one.
    #[default]
    Spec,
}

impl Level {
    /// All of them, from the outside in.
    pub const ALL: [Level; 3] = [Level::Project, Level::Feature, Level::Spec];

    /// The level of that name.
    pub fn named(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.as_str() == name)
    }

    /// What it may lie in.
    pub fn outer(self) -> Option<Level> {
        match self {
            Level::Project => None,
            Level::Feature => Some(Level::Project),
            Level::Spec => Some(Level::Feature),
        }
    }

    /// What may lie in it.
    pub fn inner(self) -> Option<Level> {
        match self {
            Level::Project => Some(Level::Feature),
            Level::Feature => Some(Level::Spec),
            Level::Spec => None,
        }
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Project => "project",
            Level::Feature => "feature",
            Level::Spec => "spec",
        }
    }
}

/// A specification that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Its directory, with a `/` at the end.
    pub path: String,
    /// What it is.
    pub level: Level,
    /// Its name, `/` between the segments of a nested one.
    pub name: String,
    /// Whether the directory holds anything yet. A manifest may name what nobody has designed so far.
    pub exists: bool,
}

/// What became of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The specification, or why there is none.
    pub found: Result<Resolved, ResolveError>,
    /// Manifests that could not be used, one line each.
    pub warnings: Vec<String>,
}

/// Why a name leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// It is no name.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// Nothing is called that.
    #[error("Spec '{}' not found.", shown(.0))]
    NotFound(String),
    /// Several things are.
    #[error("Ambiguous spec name '{}'. Multiple matches found:{}", shown(.name), listed(.paths))]
    Ambiguous {
        /// The name.
        name: String,
        /// Their directories.
        paths: Vec<String>,
    },
}

fn listed(paths: &[String]) -> String {
    let shown: Vec<String> = paths.iter().map(|path| format!("\n  - {}", shown(path))).collect();
    shown.concat()
}

/// Finds what `typed` means. `root` is the absolute path of the directory of specifications; with `wanted`, only
/// that level counts.
pub fn resolve(tree: &SpecTree, root: &str, typed: &str, wanted: Option<Level>) -> Resolution {
    let (name, found, warnings) = match candidates(tree, root, typed) {
        Ok(found) => found,
        Err(error) => return Resolution { found: Err(error.into()), warnings: Vec::new() },
    };
    let mut matches: Vec<Resolved> =
        found.into_iter().filter(|resolved| wanted.is_none_or(|wanted| wanted == resolved.level)).collect();
    let found = match (matches.pop(), matches.is_empty()) {
        (None, _) => Err(ResolveError::NotFound(name)),
        (Some(only), true) => Ok(only),
        (Some(last), false) => {
            matches.push(last);
            let paths = matches.into_iter().map(|resolved| resolved.path).collect();
            Err(ResolveError::Ambiguous { name, paths })
        }
    };
    Resolution { found, warnings }
}

/// Everything that is called `typed`, of whatever level.
pub fn matches(tree: &SpecTree, root: &str, typed: &str) -> Vec<Resolved> {
    candidates(tree, root, typed).map(|(_, found, _)| found).unwrap_or_default()
}

/// The name that is meant, what is called so, and what could not be read on the way.
fn candidates(
    tree: &SpecTree,
    root: &str,
    typed: &str,
) -> Result<(String, Vec<Resolved>, Vec<String>), InvalidName> {
    let root = root.trim_end_matches('/');
    let name = FeaturePath::parse(typed)?.folder();
    let mut warnings = Vec::new();
    let named = manifest_entries(tree, root, &mut warnings);
    let is_meant =
        |path: &str| if name.contains('/') { path == name } else { path.rsplit('/').next() == Some(&name) };
    let mut places: BTreeSet<&str> = named.keys().map(String::as_str).filter(|path| is_meant(path)).collect();
    // What lies in a project or a feature is found by its name even if no manifest lists it.
    places.extend(tree.folders().filter(|folder| is_meant(folder) && is_nesting(tree, folder)));
    if level_of(tree, &name).is_some() {
        places.insert(&name);
    }
    let resolved = places.into_iter().filter_map(|place| {
        let on_disk = level_of(tree, place);
        let level = on_disk.or_else(|| named.get(place).copied())?;
        let path = format!("{root}/{place}/");
        Some(Resolved { path, level, name: place.to_owned(), exists: on_disk.is_some() })
    });
    let resolved = resolved.collect();
    Ok((name, resolved, warnings))
}

/// Whether a folder lies in something of the level that may hold it.
fn is_nesting(tree: &SpecTree, folder: &str) -> bool {
    let Some((outer, _)) = folder.rsplit_once('/') else { return true };
    let levels = level_of(tree, folder).zip(level_of(tree, outer));
    !folder.split('/').any(is_foreign) && levels.is_some_and(|(inner, outer)| inner.outer() == Some(outer))
}

/// What a directory is by its files; `None` if they say nothing.
fn level_of(tree: &SpecTree, directory: &str) -> Option<Level> {
    let has = |files: &[&str]| files.iter().any(|file| tree.has(directory, file));
    let signs = [
        (Level::Project, &["project.md", ".project-marker"][..]),
        (Level::Feature, &["feature.md", ".feature-marker"]),
        (Level::Spec, &["requirements.md", "design.md", "tasks.md", "spec.json"]),
        // A manifest alone says what the directory is meant to be.
        (Level::Project, &["features.json"]),
        (Level::Feature, &["specs.json"]),
    ];
    signs.into_iter().find(|(_, files)| has(files)).map(|(level, _)| level)
}

/// The directories that manifests name, with what they are to be.
fn manifest_entries(tree: &SpecTree, root: &str, warnings: &mut Vec<String>) -> BTreeMap<String, Level> {
    let mut entries = BTreeMap::new();
    for (path, text) in &tree.files {
        let Some((directory, file)) = path.rsplit_once('/') else { continue };
        let depth = directory.split('/').count();
        let (member, level) = match (file, depth) {
            ("specs.json", 1 | 2) => ("specs", Level::Spec),
            ("features.json", 1) => ("features", Level::Feature),
            _ => continue,
        };
        if directory.split('/').any(is_foreign) {
            continue;
        }
        let place = format!("{root}/{path}");
        let Some(text) = text else {
            warnings.push(format!("Warning: Could not read {}", shown(&place)));
            continue;
        };
        match names(text, member) {
            Err(error) => {
                warnings.push(format!("Warning: Malformed JSON in {}: {}", shown(&place), shown(&error)));
            }
            Ok(names) => {
                for (index, name) in names.into_iter().enumerate() {
                    match name {
                        Some(name) => {
                            entries.entry(format!("{directory}/{name}")).or_insert(level);
                        }
                        None => warnings.push(format!(
                            "Warning: Entry {} of {} has no usable name",
                            index + 1,
                            shown(&place)
                        )),
                    }
                }
            }
        }
    }
    entries
}

/// Directories that hold no specifications.
fn is_foreign(directory: &str) -> bool {
    directory.starts_with('.') || RESERVED.contains(&directory)
}

/// The names a manifest lists; `None` for an entry without one that could be a directory.
fn names(text: &str, member: &str) -> Result<Vec<Option<String>>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let list = match value.get(member) {
        Some(Value::Array(list)) => list,
        Some(_) => return Err(format!("{member} is not a list")),
        None => return Err(format!("{member} is missing")),
    };
    let name = |entry: &Value| {
        // Manifests are to say "name"; some say "id", and some only list names.
        let name = entry.get("name").or_else(|| entry.get("id")).unwrap_or(entry).as_str()?;
        let name = FeaturePath::parse(name).ok()?;
        (!name.as_str().contains('.')).then(|| name.as_str().to_owned())
    };
    Ok(list.iter().map(name).collect())
}
