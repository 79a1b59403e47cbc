//! The command line of git up to its subcommand.

use super::super::effect::{Effect, GitAct, GitKind};
use super::super::surroundings::Place;
use super::super::walk::{Stream, Walker};
use super::subcommands::{Call, classify};
use crate::shell::Argument;
use std::path::Path;

/// Global options that take the next argument as their value.
const WITH_VALUE: [&str; 8] =
    ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--super-prefix"];

/// Settings that `-c` may change without running a program.
const HARMLESS_SETTINGS: [&str; 12] = [
    "color.",
    "core.quotepath",
    "core.abbrev",
    "log.",
    "diff.renames",
    "diff.algorithm",
    "diff.context",
    "column.",
    "core.pager=cat",
    "pager.",
    "advice.",
    "safe.directory",
];

/// Notes the effects of `git` with these arguments.
pub(in crate::effects) fn run(walker: &mut Walker<'_>, arguments: &[Argument]) {
    let mut place = redirected_place(walker);
    let mut aliases: Vec<(String, String)> = Vec::new();
    let mut at = 0;
    while let Some(argument) = arguments.get(at).filter(|argument| argument.is_option()) {
        let (name, attached) = match argument.prefix().split_once('=') {
            Some((name, _)) if name.starts_with("--") => {
                (name.to_owned(), argument.strip_prefix(&format!("{name}=")))
            }
            _ => (argument.prefix().to_owned(), None),
        };
        at += 1;
        let value = match attached {
            Some(value) => Some(value),
            None if WITH_VALUE.contains(&name.as_str()) => {
                at += 1;
                arguments.get(at - 1).cloned()
            }
            None => None,
        };
        let Some(value) = value else {
            if matches!(name.as_str(), "--version" | "--help" | "-v" | "-h" | "--html-path" | "--man-path") {
                return;
            }
            continue;
        };
        match name.as_str() {
            "-C" | "--work-tree" => place = in_place(walker, &place, &value),
            "--git-dir" => place = work_tree_of(in_place(walker, &place, &value)),
            "-c" => match value.known().and_then(|text| text.strip_prefix("alias.")) {
                Some(alias) => {
                    let (name, text) = alias.split_once('=').unwrap_or((alias, ""));
                    aliases.push((name.to_owned(), text.to_owned()));
                }
                None => note_setting(walker, &value),
            },
            _ => walker.note(Effect::Sets(format!("git {name}"))),
        }
    }
    let Some(subcommand) = arguments.get(at) else { return };
    let rest = &arguments[at + 1..];
    if let Some((_, text)) = aliases.iter().find(|(name, _)| subcommand.is(name)) {
        return run_alias(walker, text, rest);
    }
    let outer = std::mem::replace(&mut walker.scope.place, place);
    let act = act(walker, subcommand, rest);
    walker.scope.place = outer;
    walker.note(Effect::Git(act));
}

/// The current folder, or the repository that variables of git name.
fn redirected_place(walker: &Walker<'_>) -> Place {
    let place = &walker.scope.place;
    let value = |name: &str| walker.scope.variables.get(name).map(|value| in_place(walker, place, value));
    value("GIT_DIR").map(work_tree_of).or_else(|| value("GIT_WORK_TREE")).unwrap_or_else(|| place.clone())
}

/// The work tree of a `.git` folder.
fn work_tree_of(place: Place) -> Place {
    match place {
        Place::At(path) if path.ends_with(".git") => {
            Place::At(path.parent().unwrap_or(Path::new("/")).to_owned())
        }
        other => other,
    }
}

fn in_place(walker: &Walker<'_>, place: &Place, value: &Argument) -> Place {
    match value.known() {
        Some(path) => place.join(path),
        None => walker.scope.place_of(value),
    }
}

fn note_setting(walker: &mut Walker<'_>, value: &Argument) {
    let key = value.prefix().to_lowercase();
    if !HARMLESS_SETTINGS.iter().any(|harmless| key.starts_with(harmless)) {
        let key = key.split('=').next().unwrap_or_default().to_owned();
        walker.note(Effect::Sets(format!("git -c {key}")));
    }
}

fn run_alias(walker: &mut Walker<'_>, text: &str, rest: &[Argument]) {
    if let Some(script) = text.strip_prefix('!') {
        let outer = walker.scope.parameters.replace(rest.to_vec());
        walker.script(&format!("{script} \"$@\""), Stream::Unknown);
        walker.scope.parameters = outer;
        return;
    }
    let words = text.split_whitespace().map(Argument::text).chain(rest.iter().cloned());
    let words: Vec<Argument> = words.collect();
    if !words.is_empty() {
        run(walker, &words);
    }
}

fn act(walker: &mut Walker<'_>, subcommand: &Argument, rest: &[Argument]) -> GitAct {
    let place = walker.scope.place.clone();
    let name = format!("git {}", subcommand.lossy());
    let kind = if let Some(subcommand) = subcommand.known() {
        let folder = walker.scope.folder(walker.surroundings);
        let call = Call { subcommand, arguments: rest, folder: &folder, facts: walker.surroundings.facts };
        let (kind, effects) = classify(&call, &walker.scope);
        for effect in effects {
            walker.note(effect);
        }
        kind
    } else {
        // An unknown subcommand may name the main branch.
        let is_main = |argument: &Argument| {
            argument.known().is_some_and(|name| walker.surroundings.facts.is_main(name))
        };
        if rest.iter().any(is_main) { GitKind::Main } else { GitKind::Unknown }
    };
    GitAct { name, kind, place }
}

/// Notes the effects that arguments would have as those of git, where the program is not known.
pub(in crate::effects) fn run_guessed(walker: &mut Walker<'_>, arguments: &[Argument]) {
    let before = walker.effects.len();
    run(walker, arguments);
    let found = walker.effects.split_off(before);
    let is_guarded = |effect: &Effect| matches!(effect, Effect::Git(act) if act.kind >= GitKind::Rewrites && !act.name.contains('…'));
    walker.effects.extend(found.into_iter().filter(is_guarded));
}
