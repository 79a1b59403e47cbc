//! Checks a specification: its files, and the plan of the run that wrote them.

use crate::disk::open_regular;
use crate::error::AppError;
use crate::site::Site;
use crate::workspaces::run_workspace;
use charrette_checkout::CitedSources;
use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use charrette_model::panel::cite::SourceFacts;
use charrette_model::spec::check::{
    FileFacts, IssueCode, SpecFiles, SpecIssue, check as check_files, check_level, check_name, level_shape,
    sort_issues,
};
use charrette_model::spec::resolver::{ResolveError, ResolvedSpec, SpecLevel, find_matches, resolve};
use charrette_store::specs;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Result of checking a specification.
#[derive(Debug, Clone, Serialize)]
pub struct SpecCheck {
    /// Name of the specification; none outside the specifications folder.
    pub feature: Option<String>,
    pub level: &'static str,
    /// Its folder, relative to the repository.
    pub folder: PathBuf,
    /// True if the plan of its run was checked too.
    pub plan: bool,
    pub passed: bool,
    pub issues: Vec<FoundIssue>,
    /// Its folder.
    #[serde(skip)]
    pub absolute_folder: PathBuf,
}

/// An issue in a file.
#[derive(Debug, Clone, Serialize)]
pub struct FoundIssue {
    pub file: &'static str,
    /// Path of the file, relative to the repository.
    pub path: PathBuf,
    pub line: usize,
    pub code: IssueCode,
    pub message: String,
    /// Path of the file.
    #[serde(skip)]
    pub absolute_path: PathBuf,
}

/// Checks the specification with this name, or in the folder at this path.
pub fn check(site: &Site, name_or_path: &str) -> Result<SpecCheck, AppError> {
    let spec = find_spec(site, name_or_path)?;
    let plan = spec.name.as_deref().filter(|_| spec.level == SpecLevel::Spec);
    let plan = plan.and_then(|name| read_plan(site, name));
    let (texts, unreadable) = read_files(&spec.folder, &level_files(spec.level));
    let issues = match level_shape(spec.level) {
        None => check_specification(site, &spec, &texts, plan.as_ref().map(|(_, text)| text.as_str())),
        Some(shape) => {
            let text = |name: &str| texts.get(name).map_or("", String::as_str);
            check_level(spec.level, text(shape.page), text(shape.manifest))
        }
    };
    // An unreadable file is not reported as missing too.
    let is_reported = |issue: &SpecIssue| {
        issue.code != IssueCode::MissingFile || !unreadable.iter().any(|other| other.file == issue.file)
    };
    let issues: Vec<SpecIssue> = issues.into_iter().filter(is_reported).collect();
    let issues = sort_issues(unreadable.into_iter().chain(issues).collect());
    let path_of = |issue: &SpecIssue| match &plan {
        Some((path, _)) if issue.file == PLAN => path.clone(),
        _ => spec.folder.join(issue.file),
    };
    let issues: Vec<FoundIssue> = issues
        .into_iter()
        .map(|issue| {
            let absolute_path = path_of(&issue);
            let path = site.relative(&absolute_path).to_owned();
            let SpecIssue { file, line, code, message, .. } = issue;
            FoundIssue { file, path, line, code, message, absolute_path }
        })
        .collect();
    Ok(SpecCheck {
        feature: spec.name,
        level: spec.level.as_str(),
        folder: site.relative(&spec.folder).to_owned(),
        plan: plan.is_some(),
        passed: issues.is_empty(),
        issues,
        absolute_folder: spec.folder,
    })
}

/// Checks the six files of a specification.
fn check_specification(
    site: &Site,
    spec: &SpecFolder,
    texts: &BTreeMap<&'static str, String>,
    plan: Option<&str>,
) -> Vec<SpecIssue> {
    let text = |name: &str| texts.get(name).map_or("", String::as_str);
    let files = SpecFiles {
        requirements: text("requirements.md"),
        design: text("design.md"),
        tasks: text("tasks.md"),
        summary: text("summary.md"),
        spec_json: text("spec.json"),
        meta: text("meta.yaml"),
    };
    let mut issues = check_files(&files, plan, &SiteFiles(site));
    issues.extend(spec.name.iter().flat_map(|name| check_name(name, &files)));
    issues
}

/// Facts about the files of this site.
struct SiteFiles<'a>(&'a Site);

impl FileFacts for SiteFiles<'_> {
    fn exists(&self, path: &str) -> bool {
        is_inside(path) && self.0.root.join(path).symlink_metadata().is_ok()
    }

    fn sources(&self) -> Option<Arc<dyn SourceFacts>> {
        Some(Arc::new(CitedSources::new(&self.0.root, self.0.repository.is_some(), &[])))
    }
}

/// Names of the files of a level.
fn level_files(level: SpecLevel) -> Vec<&'static str> {
    level_shape(level).map_or_else(|| FILES.to_vec(), |shape| vec![shape.page, shape.manifest])
}

const FILES: [&str; 6] = ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"];
const PLAN: &str = "plan.txt";

/// Folder of a project, feature or spec.
struct SpecFolder {
    /// None if it lies outside the specs folder.
    name: Option<String>,
    level: SpecLevel,
    folder: PathBuf,
}

/// Finds a specification by its name, then by the path of its folder.
fn find_spec(site: &Site, name_or_path: &str) -> Result<SpecFolder, AppError> {
    let root = site.root.join(site.settings.specs_folder());
    let tree = specs::read_spec_tree(&root).map_err(AppError::failed)?;
    let in_specs = root.to_string_lossy();
    let spec_folder = |resolved: ResolvedSpec| SpecFolder {
        folder: root.join(&resolved.name),
        level: resolved.level,
        name: Some(resolved.name),
    };
    // Specs first: a feature may have the same name as one of its specs.
    let resolution = resolve(&tree, &in_specs, name_or_path, Some(SpecLevel::Spec));
    for warning in &resolution.warnings {
        site.notices.note(warning.clone());
    }
    let error = match resolution.found {
        Ok(spec) if spec.exists => return Ok(spec_folder(spec)),
        Ok(spec) => ResolveError::NotFound(spec.name),
        Err(error) => error,
    };
    // Specs that are listed in a manifest but not written yet do not make a name ambiguous.
    let mut existing: Vec<ResolvedSpec> =
        find_matches(&tree, &in_specs, name_or_path).into_iter().filter(|resolved| resolved.exists).collect();
    if existing.len() == 1
        && let Some(only) = existing.pop()
    {
        return Ok(spec_folder(only));
    }
    if let Some((folder, level)) = spec_folder_at(name_or_path) {
        let name = root
            .canonicalize()
            .ok()
            .and_then(|root| Some(folder.strip_prefix(root).ok()?.to_str()?.to_owned()));
        return Ok(SpecFolder { name: name.filter(|name| !name.is_empty()), level, folder });
    }
    let error = match error {
        ResolveError::NotFound(_) => match resolve(&tree, &in_specs, name_or_path, None).found {
            Ok(other) => return Ok(spec_folder(other)),
            Err(error) => error,
        },
        error => error,
    };
    Err(match error {
        ResolveError::Name(_) => AppError::usage(error).hint(known_specs_hint(&root)),
        ResolveError::Ambiguous { .. } => {
            AppError::usage(error).hint("Give the whole name, with / between its parts")
        }
        ResolveError::NotFound(_) => AppError::failed(error).hint(known_specs_hint(&root)),
    })
}

/// Folder at a path, if it has at least one file of a level.
fn spec_folder_at(name_or_path: &str) -> Option<(PathBuf, SpecLevel)> {
    let folder = Path::new(name_or_path).canonicalize().ok()?;
    let has_files = |level: &SpecLevel| level_files(*level).iter().any(|file| folder.join(file).is_file());
    let level = SpecLevel::ALL.into_iter().find(has_files)?;
    Some((folder, level))
}

/// Hint that lists up to 20 existing specifications.
fn known_specs_hint(root: &Path) -> String {
    let entries = fs_err::read_dir(root).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> = entries
        .filter(|entry| spec_folder_at(&entry.path().to_string_lossy()).is_some())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names.truncate(20);
    if names.is_empty() {
        "No specifications yet. Write one: charrette design \"what you want\"".to_owned()
    } else {
        format!("Existing specifications: {}", names.join(", "))
    }
}

/// Reads the files that exist; unreadable ones become issues.
fn read_files(folder: &Path, files: &[&'static str]) -> (BTreeMap<&'static str, String>, Vec<SpecIssue>) {
    let (mut texts, mut issues) = (BTreeMap::new(), Vec::new());
    for &file in files {
        match read_text(&folder.join(file)) {
            Ok(text) => {
                texts.insert(file, text);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => issues.push(SpecIssue::new(file, 1, IssueCode::Unreadable, error)),
        }
    }
    (texts, issues)
}

/// Maximum size of a checked file.
const MAX_FILE_BYTES: u64 = 8 << 20;

fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(io::Error::other(format!("exceeds {} MiB", MAX_FILE_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("not valid UTF-8"))
}

/// Final plan of the run that wrote a specification, if it still exists.
fn read_plan(site: &Site, name: &str) -> Option<(PathBuf, String)> {
    let feature = FeaturePath::parse(name).ok()?;
    let document = match site.documents().load(&DocumentName::new(Command::Design, Some(feature))) {
        Ok(loaded) => loaded?.document,
        Err(error) => {
            site.notices.note(format!("Warning: cannot check the plan: {error}"));
            return None;
        }
    };
    let path = run_workspace(site, &document).ok()?.folder().join(PLAN);
    let text = read_text(&path).ok()?;
    Some((path, text))
}

/// True for a relative path without `..`; the paths come from texts written by agents.
fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
