//! One simple command: builtins, and what kind of program it runs.

use super::effect::{Danger, Effect, WriteAct};
use super::surroundings::Place;
use super::walk::{Stream, Walker};
use super::{files, find, git, interpreters, output, readers, wrappers};
use crate::patch::patched_files;
use crate::shell::{Argument, Atom};

impl Walker<'_> {
    /// Notes the effects of a program with its arguments. Returns its output.
    pub(super) fn run(&mut self, arguments: &[Argument], input: Stream) -> Stream {
        let Some((program, rest)) = arguments.split_first() else { return Stream::Unknown };
        let Some(path) = program_name(program) else {
            self.unknown_program(program, rest);
            return Stream::Unknown;
        };
        if let Some(text) = self.scope.aliases.get(&path).cloned() {
            return self.alias(&path, &text, rest, input);
        }
        if let Some(body) = self.scope.functions.get(&path).cloned() {
            return self.function(&body, rest.to_vec(), input);
        }
        let name = base_name(&path);
        if let Some(stream) = self.builtin(name, rest, &input) {
            return stream;
        }
        if let Some(stream) = wrappers::run(self, name, rest, &input) {
            return stream;
        }
        if let Some(stream) = interpreters::run(self, name, rest, &input) {
            return stream;
        }
        let output = output::of_program(self, name, rest, &input);
        match name {
            "git" | "hub" => git::run(self, rest),
            "gh" if checks_out(rest) => git::run(self, &[Argument::text("switch"), Argument::unknown()]),
            "find" | "gfind" | "fd" | "fdfind" => find::run(self, name, rest),
            "apply_patch" | "applypatch" => apply_patch(self, rest, &input),
            "charrette" | "charrette-hook" => charrette(self, rest),
            _ if files::run(self, name, rest) => {}
            _ if readers::run(self, name, rest) => {}
            _ => self.note(Effect::Runs(name.to_owned())),
        }
        output
    }

    /// A program whose name only the shell knows. What it would be as git counts.
    fn unknown_program(&mut self, program: &Argument, rest: &[Argument]) {
        self.note(Effect::Unreadable(format!("the program {}", program.lossy())));
        if program.has_unknown() && !program.is_fresh() && !program.prefix().contains('/') {
            git::run_guessed(self, rest);
        }
    }

    fn alias(&mut self, name: &str, text: &str, rest: &[Argument], input: Stream) -> Stream {
        // An alias is not expanded inside itself.
        let outer = self.scope.aliases.clone();
        let mut inner = (*outer).clone();
        inner.remove(name);
        self.scope.aliases = inner.into();
        let outer_parameters = self.scope.parameters.replace(rest.to_vec());
        let output = self.script(&format!("{text} \"$@\""), input);
        self.scope.parameters = outer_parameters;
        self.scope.aliases = outer;
        output
    }

    /// Commands of the shell itself. None if it is none, or changes nothing.
    fn builtin(&mut self, name: &str, rest: &[Argument], input: &Stream) -> Option<Stream> {
        let nothing = Some(Stream::Text(Argument::text("")));
        match name {
            "cd" | "pushd" => {
                let target = rest.iter().find(|argument| !argument.is_option());
                self.scope.place = match target {
                    Some(argument) if argument.is("-") => Place::Unknown,
                    Some(argument) => self.scope.place_of(argument),
                    None => match &self.surroundings.home {
                        Some(home) if name == "cd" => self.scope.place.join(home),
                        _ => Place::Unknown,
                    },
                };
                nothing
            }
            "popd" => {
                self.scope.place = Place::Unknown;
                nothing
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for argument in rest.iter().filter(|argument| !argument.is_option()) {
                    let assigned = argument.prefix().split_once('=').map(|(name, _)| name.to_owned());
                    if let Some(name) = assigned {
                        let value = argument.strip_prefix(&format!("{name}=")).unwrap_or_default();
                        self.assign(&name, value);
                    }
                }
                nothing
            }
            "unset" => {
                for name in rest.iter().filter_map(Argument::known) {
                    self.scope.set(name, Argument::unknown());
                }
                nothing
            }
            "read" | "mapfile" | "readarray" => {
                for name in rest.iter().filter_map(Argument::known).filter(|name| !name.starts_with('-')) {
                    let value = match input {
                        Stream::Text(text) if rest.len() <= 2 => text.clone(),
                        _ => Argument::unknown(),
                    };
                    self.assign(name, value);
                }
                nothing
            }
            "alias" => {
                for text in rest.iter().filter_map(Argument::known) {
                    if let Some((name, value)) = text.split_once('=') {
                        self.scope.alias(name, value);
                    }
                }
                nothing
            }
            "eval" => {
                if rest.iter().any(Argument::is_download) {
                    self.note(Effect::Danger(Danger::DownloadRun));
                    return nothing;
                }
                let words: Option<Vec<&str>> = rest.iter().map(Argument::known).collect();
                if let Some(words) = words {
                    Some(self.script(&words.join(" "), input.clone()))
                } else {
                    self.note(Effect::Unreadable("eval of a text that is not known".to_owned()));
                    self.guess_from_text(rest);
                    nothing
                }
            }
            "trap" => {
                match rest.first() {
                    Some(action) if action.known().is_some_and(|text| !text.starts_with('-')) => {
                        self.script(action.known().unwrap_or_default(), Stream::Unknown);
                    }
                    Some(action) if action.known().is_none() => {
                        self.note(Effect::Unreadable("trap".to_owned()));
                    }
                    _ => {}
                }
                nothing
            }
            "source" | "." => {
                interpreters::run_script_file(self, name, rest.first());
                nothing
            }
            ":" | "true" | "false" | "wait" | "set" | "shift" | "return" | "exit" | "break" | "continue"
            | "shopt" | "setopt" | "umask" | "jobs" | "hash" | "getopts" | "let" | "[[" | "dirs"
            | "unalias" => nothing,
            _ => None,
        }
    }

    /// Judges the known part of a script whose rest is unknown.
    pub(super) fn guess_from_text(&mut self, words: &[Argument]) {
        let text: Vec<String> = words.iter().map(Argument::lossy).collect();
        let before = self.effects.len();
        self.script(&text.join(" "), Stream::Unknown);
        // A text with gaps proves no syntax error.
        let is_guess = |effect: &Effect| matches!(effect, Effect::Runs(_));
        let found = self.effects.split_off(before);
        self.effects.extend(found.into_iter().filter(|effect| !is_guess(effect)));
    }
}

/// The name of a program, if it is known. A pattern stands for the first guarded program that it fits.
fn program_name(program: &Argument) -> Option<String> {
    if let Some(name) = program.known() {
        return Some(name.to_owned());
    }
    if program.has_unknown() {
        return None;
    }
    let mut last = Argument::default();
    for atom in &program.atoms {
        match atom {
            Atom::Text(text) => match text.rsplit_once('/') {
                Some((_, after)) => last = Argument::text(after),
                None => last.push(atom.clone()),
            },
            other => last.push(other.clone()),
        }
    }
    last.atoms.retain(|atom| *atom != Atom::Text(String::new()));
    let guarded = [
        "git",
        "rm",
        "sh",
        "bash",
        "zsh",
        "dd",
        "mv",
        "cp",
        "tee",
        "charrette",
        "chmod",
        "chown",
        "find",
        "sudo",
        "env",
        "mkfs",
    ];
    guarded.iter().find(|name| last.fits(name)).map(|name| (*name).to_owned())
}

/// True for `gh pr checkout`, which switches branches.
fn checks_out(rest: &[Argument]) -> bool {
    let words: Vec<&str> =
        rest.iter().filter_map(Argument::known).filter(|word| !word.starts_with('-')).collect();
    matches!(words.as_slice(), ["pr", "checkout", ..] | ["co", ..])
}

/// The name of a program without its folder.
pub(super) fn base_name(path: &str) -> &str {
    // In zsh `=git` is the path of git.
    let path = path.strip_prefix('=').unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// `charrette …`: everything but commands that only read.
fn charrette(walker: &mut Walker<'_>, rest: &[Argument]) {
    const READS: [&str; 21] = [
        "status",
        "check",
        "log",
        "events",
        "survey",
        "doctor",
        "roles",
        "tokens",
        "flags",
        "diagram",
        "verdict",
        "findings",
        "ballot",
        "decisions",
        "completions",
        "help",
        "handoff",
        "session-env",
        "dirty-tree",
        "hook",
        "explain",
    ];
    const READS_BY_SECOND: [(&str, &[&str]); 6] = [
        ("config", &["show", "check"]),
        ("checkpoint", &["load", "list", "show", "history", "diff", "resume-point", "schema"]),
        ("ledger", &["cost"]),
        ("manifest", &["read"]),
        ("branch", &["check"]),
        ("agents", &[]),
    ];
    let mut words = Vec::new();
    let mut rest = rest.iter();
    while let Some(argument) = rest.next() {
        match argument.known() {
            Some("-C" | "--directory") => {
                rest.next();
            }
            Some("--version" | "-V" | "--help" | "-h") => return,
            Some(text) if text.starts_with('-') => {}
            Some(text) => words.push(text.to_owned()),
            None => words.push(argument.lossy()),
        }
    }
    let first = words.first().map_or("", String::as_str);
    let second = words.get(1).map(String::as_str);
    let reads = first.is_empty()
        || READS.contains(&first)
        || READS_BY_SECOND.iter().any(|(name, seconds)| {
            *name == first && second.map_or(seconds.is_empty(), |second| seconds.contains(&second))
        });
    if !reads {
        walker.note(Effect::Charrette(format!("charrette {first}")));
    }
}

/// `apply_patch` of Codex, with the patch as an argument or on standard input.
fn apply_patch(walker: &mut Walker<'_>, rest: &[Argument], input: &Stream) {
    let text = match (rest.first(), input) {
        (Some(argument), _) => argument.lossy(),
        (None, Stream::Text(text)) => text.lossy(),
        _ => String::new(),
    };
    let files = patched_files(&text);
    for file in &files {
        let target = walker.scope.target(&Argument::text(file));
        walker.writes(target, WriteAct::Change);
    }
    if files.is_empty() {
        walker.note(Effect::Runs("apply_patch".to_owned()));
    }
}
