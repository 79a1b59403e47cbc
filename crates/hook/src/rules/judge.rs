//! The judgement of one tool.

use super::{lane, session};
use crate::effects::surroundings::normalise;
use crate::effects::{Effect, Surroundings, effects_of};
use crate::environment::HookEnvironment;
use crate::facts::RepositoryFacts;
use crate::input::Act;
use crate::subject::Subject;
use std::path::{Path, PathBuf};

/// Surroundings of an act.
pub(super) struct Setting<'a> {
    /// Folder of the session.
    pub(super) folder: &'a Path,
    pub(super) home: Option<&'a Path>,
}

/// Reason to deny a tool, if there is one.
pub(crate) fn judge(
    subject: &Subject,
    acts: &[Act],
    environment: &HookEnvironment,
    folder: &Path,
) -> Option<String> {
    let main_branch = match subject {
        Subject::Lane(lane) => lane.main_branch.clone(),
        Subject::Session(session) => session.main_branch.clone(),
        Subject::Free(_) => return None,
    };
    let facts = RepositoryFacts { main_branch };
    let surroundings = Surroundings {
        folder: normalise(folder),
        home: environment.home.as_ref().map(|home| home.to_string_lossy().into_owned()),
        variables: environment.variables.clone(),
        facts: &facts,
    };
    let setting = Setting { folder, home: environment.home.as_deref() };
    acts.iter().find_map(|act| match act {
        Act::Shell(command) => {
            let effects = effects_of(command, &surroundings);
            effects.iter().find_map(|effect| judge_effect(subject, effect, &setting))
        }
        Act::Patch(patch) => match subject {
            Subject::Lane(lane) => lane::patch(lane, patch, &setting),
            Subject::Session(session) => session::patch(session, patch, &setting),
            Subject::Free(_) => None,
        },
        Act::Write(path) => match subject {
            Subject::Lane(lane) => lane::write(lane, path, &setting),
            Subject::Session(session) => session::write(session, path, &setting),
            Subject::Free(_) => None,
        },
        Act::Read(path) => match subject {
            Subject::Lane(_) => lane::read(path, &setting),
            Subject::Session(session) => session::read(session, path, &setting),
            Subject::Free(_) => None,
        },
    })
}

fn judge_effect(subject: &Subject, effect: &Effect, setting: &Setting<'_>) -> Option<String> {
    match subject {
        Subject::Lane(lane) => lane::effect(lane, effect, setting),
        Subject::Session(session) => session::effect(session, effect, setting),
        Subject::Free(_) => None,
    }
}

/// An absolute path of a tool: as written with `..` resolved, and as the file system resolves it.
pub(super) fn resolve(path: &str, setting: &Setting<'_>) -> [PathBuf; 2] {
    let path = match (path.strip_prefix("~/"), setting.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => setting.folder.join(path),
    };
    [normalise(&path), crate::paths::real_path(&path)]
}
