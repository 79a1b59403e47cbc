//! Rules of lanes: processes that work for a run.

use super::danger::{Ground, danger, is_harmless_device};
use super::judge::{Setting, resolve};
use super::secrets::secret;
use crate::effects::{Effect, GitAct, GitKind, Place, Target, WriteAct};
use crate::patch::patched_files;
use crate::paths::{is_inside, reaches};
use crate::subject::Lane;
use std::path::{Path, PathBuf};

const INSTEAD: &str = "This seat only reads: put what you want to change into your answer";

pub(super) fn patch(lane: &Lane, patch: &str, setting: &Setting<'_>) -> Option<String> {
    if lane.writes.is_none() {
        return Some(format!("a patch changes files. {INSTEAD}"));
    }
    let files = patched_files(patch);
    if files.is_empty() {
        return Some(
            "the patch names no file that can be read here. Name each file in its own file line".to_owned(),
        );
    }
    files.iter().find_map(|file| write(lane, file, setting))
}

pub(super) fn write(lane: &Lane, path: &str, setting: &Setting<'_>) -> Option<String> {
    if lane.writes.is_none() {
        return Some(format!("{path} is not to be written. {INSTEAD}"));
    }
    resolve(path, setting).iter().find_map(|path| write_at(lane, path, setting))
}

pub(super) fn read(path: &str, setting: &Setting<'_>) -> Option<String> {
    resolve(path, setting).iter().find_map(|path| secret_read(path, setting))
}

fn secret_read(path: &Path, setting: &Setting<'_>) -> Option<String> {
    let kind = secret(path, setting.home)?;
    Some(format!("{} is {kind}, and seats get no secrets. Work without it", path.display()))
}

/// Protected folders, without those that hold the lane's own folder around that path: worktrees may lie among the state of
/// runs.
fn protected_around<'a>(lane: &'a Lane, path: &'a Path) -> impl Iterator<Item = &'a PathBuf> {
    let own = lane.writes.iter().flatten().filter(|own| is_inside(path, own));
    let own: Vec<&PathBuf> = own.collect();
    lane.protected.iter().filter(move |folder| !own.iter().any(|own| is_inside(own, folder)))
}

/// A write lane at a path.
fn write_at(lane: &Lane, path: &Path, setting: &Setting<'_>) -> Option<String> {
    let writes = lane.writes.as_deref().unwrap_or_default();
    if is_harmless_device(path) {
        return None;
    }
    if !writes.iter().any(|folder| is_inside(path, folder)) {
        let folder = writes.first().map(|folder| folder.display().to_string()).unwrap_or_default();
        return Some(format!(
            "{} is outside the work tree of this seat. Write below {folder}",
            path.display()
        ));
    }
    if protected_around(lane, path).any(|folder| is_inside(path, folder)) {
        return Some(format!("{} belongs to the run, and only its driver writes there", path.display()));
    }
    if path.ends_with(".git") {
        return Some(format!("{} is the link to the repository. Leave it as it is", path.display()));
    }
    secret(path, setting.home).map(|kind| {
        format!("{} is {kind}, and seats do not write secrets. Leave it to a person", path.display())
    })
}

pub(super) fn effect(lane: &Lane, effect: &Effect, setting: &Setting<'_>) -> Option<String> {
    let root = lane.writes.as_ref().and_then(|writes| writes.first()).map(AsRef::as_ref);
    let ground = Ground { folder: setting.folder, root, home: setting.home };
    let only_reads = lane.writes.is_none();
    match effect {
        Effect::TooLong => {
            Some("the command is too long or too deeply nested to be read. Split it".to_owned())
        }
        Effect::Charrette(command) => Some(format!(
            "`{command}` is for people, and this process works for a run. Finish the task of this seat"
        )),
        Effect::Git(act) => git(lane, act),
        Effect::Reads(Target::At(path)) => secret_read(path, setting),
        Effect::Reads(_) => None,
        Effect::Writes { target, .. } if only_reads => read_only_write(target),
        _ if only_reads => unknown(effect),
        Effect::Danger(_) => danger(effect, &ground),
        Effect::Writes { target, act } => {
            danger(effect, &ground).or_else(|| writes(lane, target, *act, setting))
        }
        Effect::Runs(_) | Effect::Unreadable(_) | Effect::Sets(_) => None,
    }
}

fn git(lane: &Lane, act: &GitAct) -> Option<String> {
    let GitAct { name, kind, place } = act;
    match (kind, &lane.writes) {
        (GitKind::Reads, _) => None,
        (GitKind::Tree, Some(writes)) => match place {
            Place::At(folder) if !writes.iter().any(|own| is_inside(folder, own)) => Some(format!(
                "`{name}` would change {}, which is not the work tree of this seat",
                folder.display()
            )),
            Place::At(_) | Place::Fresh | Place::Unknown => None,
        },
        (_, None) => {
            Some(format!("`{name}` changes the repository, or is not known to only read it. {INSTEAD}"))
        }
        _ => {
            Some(format!("`{name}` is not for this seat: charrette commits what you leave in the work tree"))
        }
    }
}

fn read_only_write(target: &Target) -> Option<String> {
    match target {
        Target::At(path) if is_harmless_device(path) => None,
        Target::At(path) => Some(format!("this writes {}. {INSTEAD}", path.display())),
        _ => Some(format!("this writes files. {INSTEAD}")),
    }
}

/// What a read-only lane may not run, because it is not known to only read.
fn unknown(effect: &Effect) -> Option<String> {
    let what = match effect {
        Effect::Runs(program) => format!("`{program}` is not known to only read"),
        Effect::Unreadable(what) => format!("{what} cannot be read by the hook"),
        Effect::Sets(name) => format!("setting {name} changes what programs do"),
        Effect::Danger(_) => "this is dangerous".to_owned(),
        _ => return None,
    };
    Some(format!("{what}. Use ls, cat, grep, find, git log and the like, or the client's own reading tools"))
}

/// Writes of a lane that may write in its own folders.
fn writes(lane: &Lane, target: &Target, act: WriteAct, setting: &Setting<'_>) -> Option<String> {
    match target {
        Target::At(path) => write_at(lane, path, setting),
        Target::Below { folder, .. } | Target::Named { folder, .. } => {
            write_at(lane, &folder.join("x"), setting).or_else(|| {
                let reached = protected_around(lane, folder).any(|protected| reaches(target, act, protected));
                reached
                    .then(|| "this writes to files of the run, and only its driver writes there".to_owned())
            })
        }
        Target::Fresh | Target::Unknown => None,
    }
}
