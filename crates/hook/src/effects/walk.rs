//! Walks through a script and collects its effects.

use super::effect::{Danger, Effect, Target, WriteAct};
use super::scope::Scope;
use super::surroundings::{Place, Surroundings};
use crate::shell::expansion::{Values, expand, expand_single};
use crate::shell::{Argument, Atom, Node, Redirection, RedirectionKind, SimpleCommand, Word, read};

/// Most commands that are looked at. Each item of a loop and each call of a function counts again.
const MAX_COMMANDS: usize = 10_000;
/// Most scripts inside scripts: functions, `sh -c`, `eval`, aliases.
const MAX_SCRIPTS: usize = 12;
/// Longest script that is read, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Most bytes of all scripts inside a script.
const MAX_TOTAL_BYTES: usize = 3 << 20;
/// Most words of a command.
const MAX_WORDS: usize = 10_000;
/// Most items of a loop that are gone through one by one.
const MAX_ITEMS: usize = 16;

/// All effects of a command line, in the order of its text.
pub(crate) fn effects_of(command: &str, surroundings: &Surroundings<'_>) -> Vec<Effect> {
    let mut walker = Walker {
        surroundings,
        scope: Scope::new(surroundings),
        effects: Vec::new(),
        commands: 0,
        scripts: 0,
        bytes: 0,
    };
    walker.script(command, Stream::Unknown);
    walker.effects
}

/// Standard input or output of a command.
#[derive(Debug, Clone)]
pub(super) enum Stream {
    Text(Argument),
    /// Comes from the network.
    Download,
    Unknown,
}

pub(super) struct Walker<'a> {
    pub(super) surroundings: &'a Surroundings<'a>,
    pub(super) scope: Scope,
    pub(super) effects: Vec<Effect>,
    commands: usize,
    scripts: usize,
    bytes: usize,
}

impl Walker<'_> {
    pub(super) fn note(&mut self, effect: Effect) {
        if self.effects.last() != Some(&effect) {
            self.effects.push(effect);
        }
    }

    pub(super) fn writes(&mut self, target: Target, act: WriteAct) {
        self.note(Effect::Writes { target, act });
    }

    /// Reads and walks the text of a script.
    pub(super) fn script(&mut self, text: &str, input: Stream) -> Stream {
        self.bytes += text.len();
        if text.len() > MAX_BYTES || self.bytes > MAX_TOTAL_BYTES || self.scripts >= MAX_SCRIPTS {
            self.note(Effect::TooLong);
            return Stream::Unknown;
        }
        let script = read(text);
        if script.is_too_deep {
            self.note(Effect::TooLong);
        }
        if script.is_malformed {
            self.note(Effect::Unreadable("shell text with a syntax error".to_owned()));
        }
        self.scripts += 1;
        let output = self.walk(&script.node, input);
        self.scripts -= 1;
        output
    }

    /// Walks the body of a function.
    pub(super) fn function(&mut self, body: &Node, parameters: Vec<Argument>, input: Stream) -> Stream {
        if self.scripts >= MAX_SCRIPTS {
            // A function that calls itself for ever; what it does has been noted.
            return Stream::Unknown;
        }
        self.scripts += 1;
        let outer = self.scope.parameters.replace(parameters);
        let output = self.walk(body, input);
        self.scope.parameters = outer;
        self.scripts -= 1;
        output
    }

    pub(super) fn walk(&mut self, node: &Node, input: Stream) -> Stream {
        if self.commands >= MAX_COMMANDS {
            self.note(Effect::TooLong);
            return Stream::Unknown;
        }
        self.commands += 1;
        match node {
            Node::Simple(command) => self.simple_command(command, input),
            Node::Pipeline(stages) => {
                let mut stream = input;
                for stage in stages {
                    let outer = self.scope.clone();
                    stream = self.walk(stage, stream);
                    self.scope = outer;
                }
                stream
            }
            Node::List(items) => {
                let outputs = items.iter().map(|item| self.walk(&item.node, input.clone()));
                joined(outputs.collect())
            }
            Node::Subshell(inside) => {
                let outer = self.scope.clone();
                let output = self.walk(inside, input);
                self.scope = outer;
                output
            }
            Node::Branches { words, parts } => {
                for word in words {
                    let _ = expand(word, self);
                }
                for part in parts {
                    self.walk(part, input.clone());
                }
                Stream::Unknown
            }
            Node::For { variable, items, body } => {
                let items = match items {
                    Some(words) => Some(words.iter().flat_map(|word| expand(word, self)).collect()),
                    None => self.scope.parameters.clone(),
                };
                self.for_each(variable, items, body, &input);
                Stream::Unknown
            }
            Node::Function { name, body } => {
                if is_fork_bomb(name, body) {
                    self.note(Effect::Danger(Danger::ForkBomb));
                }
                self.scope.define(name, body.clone());
                Stream::Text(Argument::text(""))
            }
            Node::Expression(words) => {
                for word in words {
                    let _ = expand(word, self);
                }
                Stream::Text(Argument::text(""))
            }
            Node::Redirected(inside, redirections) => {
                let input = self.redirect(redirections, input);
                self.walk(inside, input)
            }
        }
    }

    fn for_each(&mut self, variable: &str, items: Option<Vec<Argument>>, body: &Node, input: &Stream) {
        let items =
            items.filter(|items| items.len() <= MAX_ITEMS).unwrap_or_else(|| vec![Argument::unknown()]);
        for item in items {
            self.scope.set(variable, item);
            self.walk(body, input.clone());
        }
    }

    fn simple_command(&mut self, command: &SimpleCommand, input: Stream) -> Stream {
        if command.words.len() + command.assignments.len() > MAX_WORDS {
            self.note(Effect::TooLong);
            return Stream::Unknown;
        }
        let mut assigned = Vec::new();
        for (name, word) in &command.assignments {
            assigned.push((name.clone(), expand_single(word, self)));
        }
        let arguments: Vec<Argument> = command.words.iter().flat_map(|word| expand(word, self)).collect();
        let input = self.redirect(&command.redirections, input);
        for (name, value) in assigned {
            self.assign(&name, value);
        }
        if arguments.is_empty() {
            return Stream::Text(Argument::text(""));
        }
        self.run(&arguments, input)
    }

    /// Notes an assignment. For one command or for the rest: the guards need no difference.
    pub(super) fn assign(&mut self, name: &str, value: Argument) {
        if super::readers::changes_programs(name) {
            self.note(Effect::Sets(name.to_owned()));
        }
        self.scope.set(name, value);
    }

    /// Notes the files of redirections. Returns standard input.
    fn redirect(&mut self, redirections: &[Redirection], mut input: Stream) -> Stream {
        for redirection in redirections {
            let value = expand_single_field(&redirection.word, self);
            match redirection.kind {
                RedirectionKind::Output => {
                    let target = self.scope.target(&value);
                    self.writes(target, WriteAct::Change);
                }
                RedirectionKind::Duplicate => {
                    let is_number = value
                        .known()
                        .is_some_and(|text| text == "-" || text.trim_end_matches('-').parse::<u32>().is_ok());
                    if !is_number {
                        let target = self.scope.target(&value);
                        self.writes(target, WriteAct::Change);
                    }
                }
                RedirectionKind::Input => {
                    let target = self.scope.target(&value);
                    self.note(Effect::Reads(target));
                    if redirection.is_stdin {
                        input = Stream::Unknown;
                    }
                }
                RedirectionKind::Text => {
                    if redirection.is_stdin {
                        input = Stream::Text(value);
                    }
                }
            }
        }
        input
    }
}

/// A word that stays one word, with its patterns.
fn expand_single_field(word: &Word, walker: &mut Walker<'_>) -> Argument {
    let mut fields = expand(word, walker);
    if fields.len() == 1 { fields.remove(0) } else { Argument::unknown() }
}

/// Output of several commands after each other.
fn joined(outputs: Vec<Stream>) -> Stream {
    let mut all = Argument::default();
    for output in outputs {
        match output {
            Stream::Text(text) => text.atoms.into_iter().for_each(|atom| all.push(atom)),
            other => return other,
        }
    }
    Stream::Text(if all.atoms.is_empty() { Argument::text("") } else { all })
}

/// True for a function that starts itself in a pipeline or in the background.
fn is_fork_bomb(name: &str, body: &Node) -> bool {
    fn calls(node: &Node, name: &str, is_parallel: bool) -> bool {
        match node {
            Node::Simple(command) => {
                is_parallel && command.words.first().and_then(|word| word.plain()) == Some(name)
            }
            Node::Pipeline(stages) => stages.iter().any(|stage| calls(stage, name, true)),
            Node::List(items) => {
                items.iter().any(|item| calls(&item.node, name, is_parallel || item.in_background))
            }
            Node::Subshell(inside) | Node::Redirected(inside, _) => calls(inside, name, is_parallel),
            Node::Branches { parts, .. } => parts.iter().any(|part| calls(part, name, is_parallel)),
            Node::For { body, .. } => calls(body, name, is_parallel),
            Node::Function { .. } | Node::Expression(_) => false,
        }
    }
    calls(body, name, false)
}

impl Values for Walker<'_> {
    fn variable(&mut self, name: &str) -> Option<Argument> {
        if let Ok(number) = name.parse::<usize>() {
            let parameters = self.scope.parameters.as_ref()?;
            return match number {
                0 => None,
                number => Some(parameters.get(number - 1).cloned().unwrap_or_else(|| Argument::text(""))),
            };
        }
        if name == "PWD" {
            return match &self.scope.place {
                Place::At(folder) => Some(Argument::text(&folder.to_string_lossy())),
                _ => None,
            };
        }
        self.scope.variables.get(name).cloned()
    }

    fn parameters(&mut self) -> Option<Vec<Argument>> {
        self.scope.parameters.clone()
    }

    fn output(&mut self, node: &Node) -> Option<Argument> {
        let outer = self.scope.clone();
        let output = self.walk(node, Stream::Unknown);
        self.scope = outer;
        match output {
            Stream::Text(mut text) => {
                if let Some(Atom::Text(last)) = text.atoms.last_mut() {
                    last.truncate(last.trim_end_matches('\n').len());
                }
                Some(text)
            }
            Stream::Download => Some(Argument { atoms: vec![Atom::Download] }),
            Stream::Unknown => None,
        }
    }

    fn process(&mut self, node: &Node) -> Atom {
        match self.output(node) {
            Some(text) if text.is_download() => Atom::Download,
            Some(text) => text.known().map_or(Atom::Unknown, |text| Atom::Content(text.to_owned())),
            None => Atom::Unknown,
        }
    }

    fn home(&self) -> Option<String> {
        self.surroundings.home.clone()
    }
}
