//! Resolves the name of a specification, feature or project.
//!
//! `specs/<name>/` is a specification, a feature or a project by itself; `specs.json` of a feature and
//! `features.json` of a project name the ones below them. All places are always searched, so that an ambiguous
//! name is detected. The content of `specs/` comes in as a [`SpecTree`]; nothing is read here.

use crate::escape::printable;
use crate::feature::name::{FeaturePath, InvalidName, RESERVED};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Content of the specs directory: the files of up to three levels of directories, with the texts of the
/// manifests. Paths are relative to it, with `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecTree {
    files: BTreeMap<String, Option<String>>,
}

impl SpecTree {
    /// Adds a file: `shop/cart/design.md`.
    pub fn add(&mut self, path: &str) {
        self.files.entry(path.to_owned()).or_default();
    }

    /// Adds a file with its text; required for `specs.json` and `features.json`.
    pub fn add_text(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), Some(text.to_owned()));
    }

    /// True for manifests, whose text is needed.
    pub fn wants_text(path: &str) -> bool {
        matches!(path.rsplit('/').next(), Some("specs.json" | "features.json"))
    }

    /// The text of a manifest.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// Paths of all files, in order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The folders that contain files.
    fn folders(&self) -> impl Iterator<Item = &str> {
        let folders: BTreeSet<&str> =
            self.files.keys().filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder).collect();
        folders.into_iter()
    }

    fn has(&self, directory: &str, file: &str) -> bool {
        self.files.contains_key(&format!("{directory}/{file}"))
    }
}

/// Level of a directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpecLevel {
    /// Contains features.
    Project,
    /// Contains specifications.
    Feature,
    #[default]
    Spec,
}

impl SpecLevel {
    /// From the outermost to the innermost.
    pub const ALL: [SpecLevel; 3] = [SpecLevel::Project, SpecLevel::Feature, SpecLevel::Spec];

    pub fn from_name(name: &str) -> Option<SpecLevel> {
        SpecLevel::ALL.into_iter().find(|level| level.as_str() == name)
    }

    /// The level that may contain it.
    pub fn outer(self) -> Option<SpecLevel> {
        match self {
            SpecLevel::Project => None,
            SpecLevel::Feature => Some(SpecLevel::Project),
            SpecLevel::Spec => Some(SpecLevel::Feature),
        }
    }

    /// The level it may contain.
    pub fn inner(self) -> Option<SpecLevel> {
        match self {
            SpecLevel::Project => Some(SpecLevel::Feature),
            SpecLevel::Feature => Some(SpecLevel::Spec),
            SpecLevel::Spec => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            SpecLevel::Project => "project",
            SpecLevel::Feature => "feature",
            SpecLevel::Spec => "spec",
        }
    }
}

/// Resolved specification, feature or project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedSpec {
    /// Directory, with a trailing `/`.
    pub path: String,
    pub level: SpecLevel,
    /// Name, with `/` between the segments if nested.
    pub name: String,
    /// False if only a manifest names it so far.
    pub exists: bool,
}

/// Result of [`resolve`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecResolution {
    pub found: Result<ResolvedSpec, ResolveError>,
    /// Unusable manifests, one line each.
    pub warnings: Vec<String>,
}

/// Error of an unresolved name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error(transparent)]
    Name(#[from] InvalidName),
    #[error("Spec '{}' not found.", printable(.0))]
    NotFound(String),
    #[error("Ambiguous spec name '{}'. Multiple matches found:{}", printable(.name), list_paths(.paths))]
    Ambiguous { name: String, paths: Vec<String> },
}

fn list_paths(paths: &[String]) -> String {
    let shown: Vec<String> = paths.iter().map(|path| format!("\n  - {}", printable(path))).collect();
    shown.concat()
}

/// Resolves `typed`. `root` is the absolute path of the specs directory; with `wanted`, only that level counts.
pub fn resolve(tree: &SpecTree, root: &str, typed: &str, wanted: Option<SpecLevel>) -> SpecResolution {
    let (name, found, warnings) = match candidates(tree, root, typed) {
        Ok(found) => found,
        Err(error) => return SpecResolution { found: Err(error.into()), warnings: Vec::new() },
    };
    let mut matches: Vec<ResolvedSpec> =
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
    SpecResolution { found, warnings }
}

/// All matches for `typed`, of any level.
pub fn find_matches(tree: &SpecTree, root: &str, typed: &str) -> Vec<ResolvedSpec> {
    candidates(tree, root, typed).map(|(_, found, _)| found).unwrap_or_default()
}

/// The normalised name, its matches, and warnings for unusable manifests.
fn candidates(
    tree: &SpecTree,
    root: &str,
    typed: &str,
) -> Result<(String, Vec<ResolvedSpec>, Vec<String>), InvalidName> {
    let root = root.trim_end_matches('/');
    let name = FeaturePath::parse(typed)?.folder();
    let mut warnings = Vec::new();
    let named = manifest_entries(tree, root, &mut warnings);
    let is_meant =
        |path: &str| if name.contains('/') { path == name } else { path.rsplit('/').next() == Some(&name) };
    let mut places: BTreeSet<&str> = named.keys().map(String::as_str).filter(|path| is_meant(path)).collect();
    // Entries of a project or a feature are found by name even if no manifest lists them.
    places.extend(tree.folders().filter(|folder| is_meant(folder) && is_nesting(tree, folder)));
    if level_of(tree, &name).is_some() {
        places.insert(&name);
    }
    let resolved = places.into_iter().filter_map(|place| {
        let on_disk = level_of(tree, place);
        let level = on_disk.or_else(|| named.get(place).copied())?;
        let path = format!("{root}/{place}/");
        Some(ResolvedSpec { path, level, name: place.to_owned(), exists: on_disk.is_some() })
    });
    let resolved = resolved.collect();
    Ok((name, resolved, warnings))
}

/// True if the parent folder's level may contain this folder's level.
fn is_nesting(tree: &SpecTree, folder: &str) -> bool {
    let Some((outer, _)) = folder.rsplit_once('/') else { return true };
    let levels = level_of(tree, folder).zip(level_of(tree, outer));
    !folder.split('/').any(is_foreign) && levels.is_some_and(|(inner, outer)| inner.outer() == Some(outer))
}

/// The level of a directory by its files; none if they say nothing.
fn level_of(tree: &SpecTree, directory: &str) -> Option<SpecLevel> {
    let has = |files: &[&str]| files.iter().any(|file| tree.has(directory, file));
    let signs = [
        (SpecLevel::Project, &["project.md", ".project-marker"][..]),
        (SpecLevel::Feature, &["feature.md", ".feature-marker"]),
        (SpecLevel::Spec, &["requirements.md", "design.md", "tasks.md", "spec.json"]),
        // A manifest alone also determines the level.
        (SpecLevel::Project, &["features.json"]),
        (SpecLevel::Feature, &["specs.json"]),
    ];
    signs.into_iter().find(|(_, files)| has(files)).map(|(level, _)| level)
}

/// The directories named by manifests, with their levels.
fn manifest_entries(tree: &SpecTree, root: &str, warnings: &mut Vec<String>) -> BTreeMap<String, SpecLevel> {
    let mut entries = BTreeMap::new();
    for (path, text) in &tree.files {
        let Some((directory, file)) = path.rsplit_once('/') else { continue };
        let depth = directory.split('/').count();
        let (member, level) = match (file, depth) {
            ("specs.json", 1 | 2) => ("specs", SpecLevel::Spec),
            ("features.json", 1) => ("features", SpecLevel::Feature),
            _ => continue,
        };
        if directory.split('/').any(is_foreign) {
            continue;
        }
        let place = format!("{root}/{path}");
        let Some(text) = text else {
            warnings.push(format!("Warning: Could not read {}", printable(&place)));
            continue;
        };
        match manifest_names(text, member) {
            Err(error) => {
                warnings.push(format!(
                    "Warning: Malformed JSON in {}: {}",
                    printable(&place),
                    printable(&error)
                ));
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
                            printable(&place)
                        )),
                    }
                }
            }
        }
    }
    entries
}

/// True for hidden and reserved directories.
fn is_foreign(directory: &str) -> bool {
    directory.starts_with('.') || RESERVED.contains(&directory)
}

/// The names listed by a manifest; none for an entry without a usable name.
fn manifest_names(text: &str, member: &str) -> Result<Vec<Option<String>>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let list = match value.get(member) {
        Some(Value::Array(list)) => list,
        Some(_) => return Err(format!("{member} is not a list")),
        None => return Err(format!("{member} is missing")),
    };
    let name = |entry: &Value| {
        // The member is "name"; some manifests have "id", and some only list names.
        let name = entry.get("name").or_else(|| entry.get("id")).unwrap_or(entry).as_str()?;
        let name = FeaturePath::parse(name).ok()?;
        (!name.as_str().contains('.')).then(|| name.as_str().to_owned())
    };
    Ok(list.iter().map(name).collect())
}
