//! Who is guarded: a lane, a session in a driven checkout, or nobody.
//!
//! Seats that a session has claimed are not guarded here yet.

use crate::environment::HookEnvironment;
use charrette_store::active::{
    Active, ActiveRun, FileProblem, HookSettings, ReactionToErrors, active_folder, read_active,
};
use charrette_store::{Location, locate};
use std::path::{Path, PathBuf};

/// The process that the hook was called for.
#[derive(Debug)]
pub(crate) enum Subject {
    Lane(Lane),
    Session(Session),
    /// A session in a folder where nothing is driven. Runs may wait there.
    Free(Vec<ActiveRun>),
}

/// A process that works for a run.
#[derive(Debug)]
pub(crate) struct Lane {
    /// Folders that it may write in; none for a lane that only reads.
    pub(crate) writes: Option<Vec<PathBuf>>,
    /// Folders that no lane may write in.
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) main_branch: Option<String>,
}

/// A session in a checkout in which a run is driven.
#[derive(Debug)]
pub(crate) struct Session {
    /// Root of the checkout.
    pub(crate) root: PathBuf,
    /// Runs that are driven here.
    pub(crate) runs: Vec<ActiveRun>,
    /// State folders, and workspaces of all driven runs.
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) settings: HookSettings,
    pub(crate) main_branch: Option<String>,
}

/// What is known about the subject.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) subject: Subject,
    /// Meaning of an error for this subject.
    pub(crate) on_error: ReactionToErrors,
    /// A state file that cannot be used.
    pub(crate) problem: Option<String>,
}

/// Finds out who is guarded in a folder.
pub(crate) fn find(environment: &HookEnvironment, folder: &Path) -> Finding {
    if environment.lane.is_some() {
        return lane(environment, folder);
    }
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let (root, repository) = match locate(&real) {
        Ok(Location::WorkTree(repository)) => (repository.work_tree.clone(), Some(repository)),
        _ => (real, None),
    };
    let state = active_folder(repository.as_ref(), &root);
    match read_active(&state) {
        Ok(None) => {
            Finding { subject: Subject::Free(Vec::new()), on_error: ReactionToErrors::Open, problem: None }
        }
        Ok(Some(active)) => {
            let (subject, on_error) = session(active, root, &state);
            Finding { subject, on_error, problem: None }
        }
        Err(problem) => Finding {
            subject: Subject::Free(Vec::new()),
            on_error: problem.on_error(),
            problem: Some(describe(&state, &problem)),
        },
    }
}

fn describe(folder: &Path, problem: &FileProblem) -> String {
    format!("{}/active.json cannot be used: {problem}", folder.display())
}

fn session(active: Active, root: PathBuf, state: &Path) -> (Subject, ReactionToErrors) {
    let driven: Vec<ActiveRun> = active.runs.iter().filter(|run| run.is_driven()).cloned().collect();
    let runs: Vec<ActiveRun> = driven.iter().filter(|run| run.root == root).cloned().collect();
    if runs.is_empty() {
        let waiting = active.runs.into_iter().filter(|run| run.root == root).collect();
        return (Subject::Free(waiting), ReactionToErrors::Open);
    }
    let on_error = active.hooks.on_error;
    let protected = protected(&driven, state);
    let Active { hooks: settings, main_branch, .. } = active;
    (Subject::Session(Session { root, runs, protected, settings, main_branch }), on_error)
}

/// State folders, and workspaces of driven runs.
fn protected(runs: &[ActiveRun], state: &Path) -> Vec<PathBuf> {
    let mut protected = vec![state.to_owned()];
    for run in runs {
        protected.push(run.state.clone());
        protected.extend(run.workspace.clone());
    }
    protected.dedup();
    protected
}

fn lane(environment: &HookEnvironment, folder: &Path) -> Finding {
    let state = environment.state.clone().unwrap_or_else(|| folder.join(".claude/state"));
    let (active, on_error, problem) = match read_active(&state) {
        Ok(active) => {
            let active = active.unwrap_or_default();
            let on_error = active.hooks.on_error;
            (active, on_error, None)
        }
        Err(problem) => (Active::default(), problem.on_error(), Some(describe(&state, &problem))),
    };
    let lane = Lane {
        writes: environment.writes.clone(),
        protected: protected(&active.runs, &state),
        main_branch: active.main_branch,
    };
    // The rights of a lane come with its environment: a state file that cannot be used changes none of them.
    let problem = problem.filter(|_| on_error == ReactionToErrors::Closed);
    Finding { subject: Subject::Lane(lane), on_error, problem }
}
