//! `find` and `fd`: what they delete, write or run.

use super::effect::{Effect, Target, WriteAct};
use super::walk::{Stream, Walker};
use crate::shell::{Argument, Atom};

/// Tests that leave out most files.
const FILTERS: [&str; 20] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-newer",
    "-mtime",
    "-mmin",
    "-ctime",
    "-atime",
    "-size",
    "-user",
    "-group",
    "-empty",
    "-maxdepth",
    "-perm",
    "-lname",
    "-inum",
];

pub(super) fn run(walker: &mut Walker<'_>, name: &str, rest: &[Argument]) {
    if name.starts_with("fd") {
        return fd(walker, rest);
    }
    let is_expression = |argument: &Argument| argument.is_option() || argument.is("(") || argument.is("!");
    let begin = rest.iter().position(is_expression).unwrap_or(rest.len());
    let (starts, expression) = rest.split_at(begin);
    let here = [Argument::text(".")];
    let starts = if starts.is_empty() { &here[..] } else { starts };
    let is_filtered = expression.iter().filter_map(Argument::known).any(|word| FILTERS.contains(&word));
    let names = expression.iter().position(|argument| argument.is("-name") || argument.is("-iname"));
    let pattern = names.and_then(|at| expression.get(at + 1)).map(as_pattern);

    let mut at = 0;
    while let Some(argument) = expression.get(at) {
        at += 1;
        match argument.known() {
            Some("-delete") => {
                for start in starts {
                    let target = found(walker, start, is_filtered, pattern.as_ref());
                    walker.writes(target, WriteAct::RemoveTree);
                }
            }
            Some("-fprint" | "-fprint0" | "-fprintf" | "-fls") => {
                let target = expression.get(at).map_or(Target::Unknown, |file| walker.scope.target(file));
                walker.writes(target, WriteAct::Change);
            }
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                let ends = |argument: &Argument| argument.is(";") || argument.is("+");
                let length = expression[at..].iter().position(ends).unwrap_or(expression.len() - at);
                let command = &expression[at..at + length];
                at += length;
                for start in starts {
                    exec(walker, command, start, is_filtered, pattern.as_ref());
                }
            }
            _ => {}
        }
    }
}

/// A quoted pattern, which find itself expands.
fn as_pattern(argument: &Argument) -> Argument {
    let mut pattern = Argument::default();
    for letter in argument.lossy().chars() {
        match letter {
            '*' | '?' => pattern.push(Atom::Glob(letter.to_string())),
            letter => pattern.push(Atom::Text(letter.to_string())),
        }
    }
    pattern
}

/// What is found below a start.
fn found(walker: &Walker<'_>, start: &Argument, is_filtered: bool, pattern: Option<&Argument>) -> Target {
    match (walker.scope.target(start), pattern) {
        (Target::At(folder), Some(name)) => Target::Named { folder, name: name.clone() },
        (Target::At(folder), None) if is_filtered => Target::Below { folder, name: None },
        (target, _) => target,
    }
}

fn exec(
    walker: &mut Walker<'_>,
    command: &[Argument],
    start: &Argument,
    is_filtered: bool,
    pattern: Option<&Argument>,
) {
    let Some(program) = command.first().and_then(Argument::known) else {
        walker.note(Effect::Unreadable("the program of find -exec".to_owned()));
        return;
    };
    if super::simple::base_name(program) == "rm" {
        let target = found(walker, start, is_filtered, pattern);
        walker.writes(target, WriteAct::RemoveTree);
        return;
    }
    let mut path = start.clone();
    path.push(Atom::Text("/".to_owned()));
    path.push(Atom::Unknown);
    let replaced = command.iter().map(|argument| match argument.known() {
        Some("{}") => path.clone(),
        Some(text) if text.contains("{}") => Argument::text(&text.replace("{}", "…")),
        _ => argument.clone(),
    });
    let replaced: Vec<Argument> = replaced.collect();
    walker.run(&replaced, Stream::Unknown);
}

fn fd(walker: &mut Walker<'_>, rest: &[Argument]) {
    let runs = |argument: &Argument| {
        argument.known().is_some_and(|text| matches!(text, "-x" | "-X" | "--exec" | "--exec-batch"))
    };
    if let Some(at) = rest.iter().position(runs) {
        let mut command = rest[at + 1..].to_vec();
        command.push(Argument::unknown());
        walker.run(&command, Stream::Unknown);
    }
}
