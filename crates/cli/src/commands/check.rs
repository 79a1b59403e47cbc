//! `charrette check`: whether a specification is good enough to work from, as far as a program can tell.

use crate::here::Here;
use charrette_app::disk::open_regular;

use crate::output;
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::workspaces::workspace_of;
use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use charrette_model::shown::one_line;
use charrette_model::spec::check::{
    Code, Issue, SpecFiles, check as look, check_level, check_name, in_order, shape,
};
use charrette_model::spec::resolver::{Level, ResolveError, Resolved, matches, resolve};
use charrette_store::specs;
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

/// Check a specification: requirements, tasks, links, counts
///
/// Looks at the six files in specs/<feature>/, and at the plan of the run that made them if it is still there; of a
/// project or a feature, at its page and its manifest. Every issue is printed with its file and line. Exit 0 if there is none, 1 if there are some.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The feature, by its name or by the path of its folder
    #[arg(value_name = "FEATURE")]
    feature: String,
}

pub(crate) fn check(here: &Here, args: &CheckArgs) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let found = find(here, &site, &args.feature)?;
    let plan = found.name.as_deref().filter(|_| found.level == Level::Spec);
    let plan = plan.and_then(|name| plan_of(here, &site, name));
    let (texts, unread) = read(&found.folder, &files_of(found.level));
    let issues = match shape(found.level) {
        None => of_specification(&site, &found, &texts, plan.as_ref().map(|(_, text)| text.as_str())),
        Some(shape) => {
            let text = |name: &str| texts.get(name).map_or("", String::as_str);
            check_level(found.level, text(shape.page), text(shape.manifest))
        }
    };
    // What could not be read is not also missing.
    let told = |issue: &Issue| {
        issue.code != Code::MissingFile || !unread.iter().any(|unread| unread.file == issue.file)
    };
    let issues: Vec<Issue> = issues.into_iter().filter(told).collect();
    let issues = in_order(unread.into_iter().chain(issues).collect());

    let place = |issue: &Issue| match &plan {
        Some((path, _)) if issue.file == PLAN => path.clone(),
        _ => found.folder.join(issue.file),
    };
    let code = ExitCode::from(u8::from(!issues.is_empty()));
    if here.json {
        let issues: Vec<_> = issues
            .iter()
            .map(|issue| json!({"file": issue.file, "path": site.relative(&place(issue)), "line": issue.line, "code": issue.code, "message": issue.message}))
            .collect();
        let passed = issues.is_empty();
        output::json(
            &json!({"feature": found.name, "level": found.level.as_str(), "folder": site.relative(&found.folder), "plan": plan.is_some(), "passed": passed, "issues": issues}),
        )?;
        return Ok(code);
    }
    let here = Path::new(".").canonicalize().unwrap_or_default();
    for issue in &issues {
        let path = seen_from(&here, &place(issue)).display().to_string();
        output::line(&format!("{}:{}: {} [{}]", one_line(&path), issue.line, issue.message, issue.code))?;
    }
    let folder = one_line(&seen_from(&here, &found.folder).display().to_string());
    output::line(&match issues.len() {
        0 => format!("{folder}: no issues"),
        1 => format!("{folder}: 1 issue"),
        count => format!("{folder}: {count} issues"),
    })?;
    Ok(code)
}

/// What rules say about a specification.
fn of_specification(
    site: &Site,
    found: &Found,
    texts: &BTreeMap<&'static str, String>,
    plan: Option<&str>,
) -> Vec<Issue> {
    let text = |name: &str| texts.get(name).map_or("", String::as_str);
    let files = SpecFiles {
        requirements: text("requirements.md"),
        design: text("design.md"),
        tasks: text("tasks.md"),
        summary: text("summary.md"),
        spec_json: text("spec.json"),
        meta: text("meta.yaml"),
    };
    let exists = |path: &str| is_inside(path) && site.root.join(path).symlink_metadata().is_ok();
    let mut issues = look(&files, plan, &exists);
    issues.extend(found.name.iter().flat_map(|name| check_name(name, &files)));
    issues
}

/// The files that are looked at.
fn files_of(level: Level) -> Vec<&'static str> {
    shape(level).map_or_else(|| FILES.to_vec(), |shape| vec![shape.page, shape.manifest])
}

const FILES: [&str; 6] = ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"];
const PLAN: &str = "plan.txt";

/// A folder that holds a specification.
struct Found {
    /// Its name; nothing if it lies outside the folder of specifications.
    name: Option<String>,
    level: Level,
    folder: PathBuf,
}

/// By name; if nothing is called that, by path.
fn find(here: &Here, site: &Site, typed: &str) -> Result<Found, AppError> {
    let root = site.root.join(site.settings.specs_folder());
    let tree = specs::tree(&root).map_err(AppError::failed)?;
    let in_specs = root.to_string_lossy();
    let found = |found: Resolved| Found {
        folder: root.join(&found.name),
        level: found.level,
        name: Some(found.name),
    };
    // A specification first: a feature may be called as one of its own.
    let resolution = resolve(&tree, &in_specs, typed, Some(Level::Spec));
    for warning in &resolution.warnings {
        output::note(here, warning);
    }
    let error = match resolution.found {
        Ok(spec) if spec.exists => return Ok(found(spec)),
        Ok(spec) => ResolveError::NotFound(spec.name),
        Err(error) => error,
    };
    // What is only listed so far cannot be checked, so it makes no name ambiguous.
    let mut there: Vec<Resolved> =
        matches(&tree, &in_specs, typed).into_iter().filter(|it| it.exists).collect();
    if there.len() == 1
        && let Some(only) = there.pop()
    {
        return Ok(found(only));
    }
    if let Some((folder, level)) = folder(typed) {
        let name = root
            .canonicalize()
            .ok()
            .and_then(|root| Some(folder.strip_prefix(root).ok()?.to_str()?.to_owned()));
        return Ok(Found { name: name.filter(|name| !name.is_empty()), level, folder });
    }
    let error = match error {
        ResolveError::NotFound(_) => match resolve(&tree, &in_specs, typed, None).found {
            Ok(other) => return Ok(found(other)),
            Err(error) => error,
        },
        error => error,
    };
    Err(match error {
        ResolveError::Name(_) => AppError::usage(error).hint(there_is(&root)),
        ResolveError::Ambiguous { .. } => {
            AppError::usage(error).hint("Give the whole name, with / between its parts")
        }
        ResolveError::NotFound(_) => AppError::failed(error).hint(there_is(&root)),
    })
}

/// A folder with at least one of the files in it.
fn folder(typed: &str) -> Option<(PathBuf, Level)> {
    let folder = Path::new(typed).canonicalize().ok()?;
    let holds = |level: &Level| files_of(*level).iter().any(|file| folder.join(file).is_file());
    let level = Level::ALL.into_iter().find(holds)?;
    Some((folder, level))
}

/// What could have been meant.
fn there_is(root: &Path) -> String {
    let entries = fs_err::read_dir(root).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> = entries
        .filter(|entry| folder(&entry.path().to_string_lossy()).is_some())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names.truncate(20);
    if names.is_empty() {
        "There is no specification here yet; charrette design makes one".to_owned()
    } else {
        format!("There is: {}", names.join(", "))
    }
}

/// The texts of the files that are there, and what is wrong with those that cannot be read.
fn read(folder: &Path, files: &[&'static str]) -> (BTreeMap<&'static str, String>, Vec<Issue>) {
    let (mut texts, mut issues) = (BTreeMap::new(), Vec::new());
    for &file in files {
        match text(&folder.join(file)) {
            Ok(text) => {
                texts.insert(file, text);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => issues.push(Issue::new(file, 1, Code::Unreadable, error)),
        }
    }
    (texts, issues)
}

/// The largest file that is looked at.
const LARGEST: u64 = 8 << 20;

fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not text in UTF-8"))
}

/// The final plan of the run that made a specification, if it is still there.
fn plan_of(here: &Here, site: &Site, name: &str) -> Option<(PathBuf, String)> {
    let feature = FeaturePath::parse(name).ok()?;
    let document = match site.documents().load(&DocumentName::new(Command::Design, Some(feature))) {
        Ok(loaded) => loaded?.document,
        Err(error) => {
            output::note(here, &format!("Warning: the plan is not checked: {error}"));
            return None;
        }
    };
    let path = workspace_of(site, &document).ok()?.folder().join(PLAN);
    let text = text(&path).ok()?;
    Some((path, text))
}

/// Names come from texts that agents wrote: nothing above the root, nothing absolute.
fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// A path as it is typed in this folder.
fn seen_from(here: &Path, path: &Path) -> PathBuf {
    let shared = here.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    // Nothing but the root in common: the whole path is the shorter one.
    if shared < 2 {
        return path.to_owned();
    }
    let up = here.components().skip(shared).map(|_| Component::ParentDir);
    let seen: PathBuf = up.chain(path.components().skip(shared)).collect();
    if seen.as_os_str().is_empty() { PathBuf::from(".") } else { seen }
}
