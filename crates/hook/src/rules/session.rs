//! Rules of sessions in a checkout in which a run is driven.

use super::danger::{Ground, danger};
use super::judge::{Setting, resolve};
use super::secrets::secret;
use crate::effects::{Effect, GitAct, GitKind, Place, Target, WriteAct};
use crate::patch::patched_files;
use crate::paths::{is_inside, reaches, real_path};
use crate::subject::Session;
use charrette_store::{Location, locate};
use std::path::Path;

pub(super) fn patch(session: &Session, patch: &str, setting: &Setting<'_>) -> Option<String> {
    patched_files(patch).iter().find_map(|file| write(session, file, setting))
}

pub(super) fn write(session: &Session, path: &str, setting: &Setting<'_>) -> Option<String> {
    let paths = resolve(path, setting);
    paths.iter().find_map(|path| {
        protected(session, &Target::At(path.clone()), WriteAct::Change)
            .or_else(|| secret_at(session, path, setting))
    })
}

pub(super) fn read(session: &Session, path: &str, setting: &Setting<'_>) -> Option<String> {
    resolve(path, setting).iter().find_map(|path| secret_at(session, path, setting))
}

fn secret_at(session: &Session, path: &Path, setting: &Setting<'_>) -> Option<String> {
    let kind = secret(path, setting.home).filter(|_| session.settings.secrets)?;
    Some(format!(
        "{} is {kind}. Leave it to a person; to switch this rule off, set hooks.secrets = \"off\" in charrette.toml",
        path.display()
    ))
}

/// Files that only the driver of a run writes.
fn protected(session: &Session, target: &Target, act: WriteAct) -> Option<String> {
    let folder = session.protected.iter().find(|folder| reaches(target, act, folder))?;
    Some(format!(
        "{} belongs to {} and only its driver writes there. {}",
        folder.display(),
        driven(session),
        wait(session)
    ))
}

pub(super) fn effect(session: &Session, effect: &Effect, setting: &Setting<'_>) -> Option<String> {
    let ground = Ground { folder: setting.folder, root: Some(&session.root), home: setting.home };
    let is_dangerous = || danger(effect, &ground).filter(|_| session.settings.danger);
    match effect {
        Effect::TooLong => {
            Some("the command is too long or too deeply nested to be read. Split it".to_owned())
        }
        Effect::Git(act) => git(session, act),
        Effect::Writes { target, act } => protected(session, target, *act)
            .or_else(|| git_files(session, target, *act))
            .or_else(|| is_dangerous().map(|reason| switch_off(&reason))),
        Effect::Danger(_) => is_dangerous().map(|reason| switch_off(&reason)),
        Effect::Reads(_)
        | Effect::Runs(_)
        | Effect::Unreadable(_)
        | Effect::Sets(_)
        | Effect::Charrette(_) => None,
    }
}

fn switch_off(reason: &str) -> String {
    format!("{reason}. To switch this rule off, set hooks.danger = \"off\" in charrette.toml")
}

/// Files of git by which HEAD or a branch is moved without git.
fn git_files(session: &Session, target: &Target, act: WriteAct) -> Option<String> {
    let git = session.root.join(".git");
    let is_hit =
        ["HEAD", "refs/heads", "packed-refs"].iter().any(|file| reaches(target, act, &git.join(file)))
            || matches!(target, Target::At(path) if *path == git);
    is_hit.then(|| format!("this changes the branches of {} by hand. {}", driven(session), wait(session)))
}

fn git(session: &Session, act: &GitAct) -> Option<String> {
    if act.kind < GitKind::RemovesIgnored || !works_here(session, &act.place) {
        return None;
    }
    let name = &act.name;
    let what = match act.kind {
        GitKind::RemovesIgnored => format!("`{name}` would delete the state of"),
        GitKind::Rewrites => format!("`{name}` would rewrite the branch of"),
        GitKind::LeavesBranch => format!("`{name}` would move HEAD away under"),
        _ => format!("`{name}` would switch to, move or push to the main branch under"),
    };
    Some(format!("{what} {}. {}", driven(session), wait(session)))
}

/// True if a folder belongs to the driven checkout. An unknown one counts as such.
fn works_here(session: &Session, place: &Place) -> bool {
    match place {
        Place::Fresh => false,
        Place::Unknown => true,
        Place::At(folder) => {
            let real = real_path(folder);
            match locate(&real) {
                Ok(Location::WorkTree(repository)) => repository.work_tree == session.root,
                Ok(Location::Bare(inside)) => is_inside(&inside, &session.root),
                _ => is_inside(&real, &session.root),
            }
        }
    }
}

/// The run that is driven here, for messages.
fn driven(session: &Session) -> String {
    match session.runs.first() {
        Some(run) => {
            let feature = run.feature.as_deref().unwrap_or(&run.document);
            let pid = run.driver.as_ref().map(|driver| driver.pid).unwrap_or_default();
            let branch = run.branch.as_deref().map(|branch| format!(" on {branch}")).unwrap_or_default();
            format!("the run {} {feature}{branch}, which process {pid} drives here", run.command)
        }
        None => "a run that is driven here".to_owned(),
    }
}

fn wait(session: &Session) -> String {
    let feature =
        session.runs.first().map_or("FEATURE", |run| run.feature.as_deref().unwrap_or(&run.document));
    format!(
        "Wait until it has ended, stop it with: charrette stop {feature}, or work in another tree (git worktree add)"
    )
}
