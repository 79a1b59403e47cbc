//! A folder in which git finds no repository: whether there was one, what is left of it, and what to type.
//!
//! Where a repository was, a new one is never proposed: it would have none of the commits, and hide that they are missing.

use crate::error::AppError;
use crate::run_lookup::feature_argument;
use crate::site::Site;
use charrette_model::checkpoint::DocumentName;
use charrette_model::escape::{printable, shell_word};
use std::io;
use std::path::{Path, PathBuf};

/// Traces of a repository that git does not find.
enum Trace {
    /// There is a `.git`, which is not a repository.
    Broken { dot_git: PathBuf, problem: String },
    /// There are runs or specifications of charrette, and no `.git`.
    Gone(PathBuf),
}

/// Error of a command that needs a repository, in a folder without one.
pub fn no_repository(site: &Site) -> AppError {
    let shown = |path: &Path| printable(&path.display().to_string()).to_string();
    let Some(trace) = site.root.ancestors().find_map(|folder| find_trace(site, folder)) else {
        let message = format!("{} is not in a git repository", site.root.display());
        return AppError::failed(message).hint("Create one: git init");
    };
    let error = match &trace {
        Trace::Broken { dot_git, problem } => {
            AppError::failed(format!("{} is not a git repository any more: {problem}", shown(dot_git)))
        }
        Trace::Gone(folder) => {
            AppError::failed(format!("{} has runs or specifications, but its .git is gone", shown(folder)))
        }
    };
    let error = error.more("Files, specifications and runs are as they were; nothing was changed.");
    let run = newest_run(site);
    let cure = match &trace {
        Trace::Broken { dot_git, .. } => head_cure(site, dot_git, run.as_ref()),
        Trace::Gone(_) => None,
    };
    let error = match cure {
        Some(command) => error.hint(format!("Put HEAD back: {command}")),
        None => error.hint("Put .git back from a copy or from a clone of the same repository"),
    };
    let Some(run) = run else { return error };
    let run = feature_argument(&run);
    error
        .hint(format!("Then resume: charrette resume {run}"))
        .hint(format!("Or give the run up: charrette abandon {run}; files in specs/ are kept"))
}

/// Traces of a repository in one folder.
fn find_trace(site: &Site, folder: &Path) -> Option<Trace> {
    let dot_git = folder.join(".git");
    if dot_git.symlink_metadata().is_ok() {
        let problem = problem_of(folder, &dot_git);
        return Some(Trace::Broken { dot_git, problem });
    }
    let names = |folder: PathBuf| fs_err::read_dir(folder).into_iter().flatten().flatten();
    let is_document = |entry: fs_err::DirEntry| {
        let name = entry.file_name();
        let stem = name.to_str().and_then(|name| name.strip_suffix(".json"));
        stem.is_some_and(|stem| DocumentName::from_stem(stem).is_some())
    };
    let has_runs = names(folder.join(site.settings.state_folder())).any(is_document);
    let mut specs = names(folder.join(site.settings.specs_folder()));
    let is_known = has_runs || specs.any(|entry| entry.path().join("spec.json").is_file());
    is_known.then(|| Trace::Gone(folder.to_owned()))
}

/// Damage of a `.git`, in words that follow a colon.
fn problem_of(folder: &Path, dot_git: &Path) -> String {
    let meta = match dot_git.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return "it is a link to nothing".to_owned(),
        Err(error) => return error.to_string(),
        Ok(meta) => meta,
    };
    if meta.is_file() {
        let text = fs_err::read_to_string(dot_git).unwrap_or_default();
        let named = text.strip_prefix("gitdir:").map(str::trim);
        return match named {
            Some(named) if !folder.join(named).exists() => {
                format!("it names {}, which is gone", printable(named))
            }
            _ => "it is a file that names no repository".to_owned(),
        };
    }
    if let Err(error) = fs_err::read_dir(dot_git) {
        return error.to_string();
    }
    let missing = ["HEAD", "objects", "refs"];
    let missing: Vec<&str> =
        missing.into_iter().filter(|name| dot_git.join(name).symlink_metadata().is_err()).collect();
    format!("it has no {}", missing.join(", no "))
}

/// Command that puts a missing HEAD back, if nothing else is missing and the branch is known.
fn head_cure(site: &Site, dot_git: &Path, run: Option<&DocumentName>) -> Option<String> {
    let is_there = |name: &str| dot_git.join(name).symlink_metadata().is_ok();
    if is_there("HEAD") || !is_there("objects") || !is_there("refs") {
        return None;
    }
    let document = run.and_then(|run| site.documents().load(run).ok().flatten());
    let recorded = document.and_then(|loaded| loaded.document.run?.branch);
    let packed = fs_err::read_to_string(dot_git.join("packed-refs")).unwrap_or_default();
    let exists = |branch: &String| {
        let reference = format!("refs/heads/{branch}");
        let is_packed =
            packed.lines().any(|line| line.split_once(' ').is_some_and(|(_, name)| name == reference));
        is_packed || dot_git.join(&reference).is_file()
    };
    let usual = [site.settings.main_branch(), "main", "master"].map(str::to_owned);
    let branch = recorded.into_iter().chain(usual).find(exists)?;
    let head = dot_git.join("HEAD").display().to_string();
    Some(format!("echo {} > {}", shell_word(&format!("ref: refs/heads/{branch}")), shell_word(&head)))
}

/// The run that changed last and is not complete.
fn newest_run(site: &Site) -> Option<DocumentName> {
    let rows = site.documents().list().ok()?;
    let is_open = |name: &DocumentName| {
        let loaded = site.documents().load(name).ok().flatten();
        loaded.is_some_and(|loaded| loaded.document.completed_at.is_none())
    };
    rows.into_iter().map(|row| row.name).find(is_open)
}
