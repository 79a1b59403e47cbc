//! Expansion of words: variables, substitutions, braces, splitting, tilde and patterns.

use super::argument::{Argument, Atom};
use super::syntax::{Node, Part, VariableForm, Word};

/// Most words that braces may make of one.
const MAX_ALTERNATIVES: usize = 64;
/// Most opening braces of a word that are expanded.
const MAX_BRACES: usize = 16;

/// Knowledge of variables and of the output of commands.
pub(crate) trait Values {
    /// Value of a variable, if it is known.
    fn variable(&mut self, name: &str) -> Option<Argument>;

    /// Positional parameters, if they are known.
    fn parameters(&mut self) -> Option<Vec<Argument>>;

    /// Output of commands, if it is known. Their effects are noted.
    fn output(&mut self, node: &Node) -> Option<Argument>;

    /// The path of a process substitution. Its effects are noted.
    fn process(&mut self, node: &Node) -> Atom;

    /// The user's home folder.
    fn home(&self) -> Option<String>;
}

/// Part of a word after its expansions.
#[derive(Debug, Clone)]
enum Piece {
    /// Subject to braces, tilde and patterns.
    Plain(String),
    Quoted(Vec<Atom>),
    /// Value of an unquoted expansion: subject to splitting and patterns.
    Split(Vec<Atom>),
    /// Quoted `$@`: each parameter is a word.
    Each(Vec<Argument>),
}

/// All words that a word expands to.
pub(crate) fn expand(word: &Word, values: &mut impl Values) -> Vec<Argument> {
    let mut pieces = Vec::new();
    collect(word, values, &mut pieces);
    let home = values.home();
    alternatives(&pieces).iter().flat_map(|pieces| fields(pieces, home.as_deref())).collect()
}

/// The value of a word that is not split, such as an assigned one.
pub(crate) fn expand_single(word: &Word, values: &mut impl Values) -> Argument {
    let mut pieces = Vec::new();
    collect(word, values, &mut pieces);
    let home = values.home();
    let mut argument = Argument::default();
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Plain(text) => {
                let text = if index == 0 { with_home(text, home.as_deref()) } else { None }
                    .unwrap_or_else(|| text.clone());
                argument.push(Atom::Text(text));
            }
            Piece::Quoted(atoms) | Piece::Split(atoms) => {
                atoms.iter().cloned().for_each(|atom| argument.push(atom));
            }
            Piece::Each(arguments) => {
                for (index, each) in arguments.iter().enumerate() {
                    if index > 0 {
                        argument.push(Atom::Text(" ".to_owned()));
                    }
                    each.atoms.iter().cloned().for_each(|atom| argument.push(atom));
                }
            }
        }
    }
    if argument.atoms.is_empty() { Argument::text("") } else { argument }
}

fn collect(word: &Word, values: &mut impl Values, pieces: &mut Vec<Piece>) {
    for part in &word.parts {
        match part {
            Part::Plain(text) => pieces.push(Piece::Plain(text.clone())),
            Part::Quoted(text) => pieces.push(Piece::Quoted(vec![Atom::Text(text.clone())])),
            Part::Body(body) => {
                if let Some(body) = body.get() {
                    pieces.push(Piece::Quoted(expand_single(body, values).atoms));
                }
            }
            Part::Commands { node, is_quoted } => {
                let output = values.output(node).unwrap_or_else(Argument::unknown);
                pieces.push(value_piece(output, *is_quoted));
            }
            Part::Process(node) => {
                let path = values.process(node);
                pieces.push(Piece::Quoted(vec![path]));
            }
            Part::Pattern(inside) => {
                let _ = expand_single(inside, values);
                pieces.push(Piece::Quoted(vec![Atom::Glob("*".to_owned())]));
            }
            Part::Opaque(inside) => {
                let _ = expand_single(inside, values);
                pieces.push(Piece::Quoted(vec![Atom::Unknown]));
            }
            Part::Variable(variable) => {
                let name = variable.name.as_str();
                if matches!(name, "@" | "*") && matches!(variable.form, VariableForm::Value) {
                    pieces.push(match values.parameters() {
                        Some(parameters) => Piece::Each(parameters),
                        None => value_piece(Argument::unknown(), variable.is_quoted),
                    });
                    continue;
                }
                let value = values.variable(name);
                let value = match &variable.form {
                    VariableForm::Value => value,
                    VariableForm::Default(word) => {
                        let default = expand_single(word, values);
                        value.filter(|value| !value.is("")).or(Some(default))
                    }
                    VariableForm::Alternative(word) => Some(expand_single(word, values)),
                    VariableForm::Opaque(word) => {
                        let _ = expand_single(word, values);
                        None
                    }
                };
                pieces.push(value_piece(value.unwrap_or_else(Argument::unknown), variable.is_quoted));
            }
        }
    }
}

fn value_piece(value: Argument, is_quoted: bool) -> Piece {
    if is_quoted { Piece::Quoted(value.atoms) } else { Piece::Split(value.atoms) }
}

/// Brace expansion.
fn alternatives(pieces: &[Piece]) -> Vec<Vec<Piece>> {
    let braces = pieces.iter().map(|piece| match piece {
        Piece::Plain(text) => text.matches('{').count(),
        _ => 0,
    });
    match braces.sum::<usize>() {
        0 => vec![pieces.to_vec()],
        count if count > MAX_BRACES => vec![vec![Piece::Quoted(vec![Atom::Unknown])]],
        _ => {
            let mut all = Vec::new();
            expand_braces(&marks(pieces), Vec::new(), &mut all);
            if all.len() >= MAX_ALTERNATIVES {
                all.push(vec![Piece::Quoted(vec![Atom::Unknown])]);
            }
            all
        }
    }
}

#[derive(Debug, Clone)]
enum Mark {
    Open,
    Comma,
    Close,
    Piece(Piece),
}

fn marks(pieces: &[Piece]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for piece in pieces {
        let Piece::Plain(text) = piece else {
            marks.push(Mark::Piece(piece.clone()));
            continue;
        };
        for run in text.split_inclusive(['{', ',', '}']) {
            let end = run.chars().next_back().filter(|last| matches!(last, '{' | ',' | '}'));
            let plain = if end.is_some() { &run[..run.len() - 1] } else { run };
            if !plain.is_empty() {
                marks.push(Mark::Piece(Piece::Plain(plain.to_owned())));
            }
            marks.extend(end.map(|end| match end {
                '{' => Mark::Open,
                ',' => Mark::Comma,
                _ => Mark::Close,
            }));
        }
    }
    marks
}

fn expand_braces(marks: &[Mark], before: Vec<Piece>, all: &mut Vec<Vec<Piece>>) {
    if all.len() >= MAX_ALTERNATIVES {
        return;
    }
    let mut done = before;
    for (at, mark) in marks.iter().enumerate() {
        match mark {
            Mark::Piece(piece) => done.push(piece.clone()),
            Mark::Comma => done.push(Piece::Plain(",".to_owned())),
            Mark::Close => done.push(Piece::Plain("}".to_owned())),
            Mark::Open => {
                let Some((choices, rest)) = choices(&marks[at + 1..]) else {
                    done.push(Piece::Plain("{".to_owned()));
                    continue;
                };
                for choice in choices {
                    let mut joined = choice.to_vec();
                    joined.extend_from_slice(rest);
                    expand_braces(&joined, done.clone(), all);
                }
                return;
            }
        }
    }
    all.push(done);
}

/// Choices of the brace that was just opened, and what follows it. None if it is no list.
fn choices(marks: &[Mark]) -> Option<(Vec<&[Mark]>, &[Mark])> {
    let (mut open, mut start, mut choices) = (0_usize, 0, Vec::new());
    for (at, mark) in marks.iter().enumerate() {
        match mark {
            Mark::Open => open += 1,
            Mark::Comma if open == 0 => {
                choices.push(&marks[start..at]);
                start = at + 1;
            }
            Mark::Close if open == 0 => {
                let is_list = !choices.is_empty();
                choices.push(&marks[start..at]);
                return is_list.then_some((choices, &marks[at + 1..]));
            }
            Mark::Close => open -= 1,
            _ => {}
        }
    }
    None
}

/// Splits pieces into words and finds patterns.
fn fields(pieces: &[Piece], home: Option<&str>) -> Vec<Argument> {
    let mut fields = Vec::new();
    let mut current: Option<Argument> = None;
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Plain(text) => {
                let replaced = if index == 0 { with_home(text, home) } else { None };
                let field = current.get_or_insert_default();
                match replaced {
                    Some(text) => push_patterns(field, &text),
                    None if index == 0 && text.starts_with('~') => field.push(Atom::Unknown),
                    None => push_patterns(field, text),
                }
            }
            Piece::Quoted(atoms) => {
                let field = current.get_or_insert_default();
                atoms.iter().cloned().for_each(|atom| field.push(atom));
            }
            Piece::Split(atoms) => {
                for atom in atoms {
                    let Atom::Text(text) = atom else {
                        current.get_or_insert_default().push(atom.clone());
                        continue;
                    };
                    if text.starts_with(char::is_whitespace) {
                        fields.extend(current.take());
                    }
                    for (index, word) in text.split_whitespace().enumerate() {
                        if index > 0 {
                            fields.extend(current.take());
                        }
                        push_patterns(current.get_or_insert_default(), word);
                    }
                    if text.ends_with(char::is_whitespace) {
                        fields.extend(current.take());
                    }
                }
            }
            Piece::Each(arguments) => {
                for (index, argument) in arguments.iter().enumerate() {
                    if index > 0 {
                        fields.extend(current.take());
                    }
                    let field = current.get_or_insert_default();
                    argument.atoms.iter().cloned().for_each(|atom| field.push(atom));
                }
            }
        }
    }
    fields.extend(current);
    for field in &mut fields {
        if field.atoms.is_empty() {
            *field = Argument::text("");
        }
    }
    fields
}

/// Unquoted text with `~` or `~/` at its beginning replaced.
fn with_home(text: &str, home: Option<&str>) -> Option<String> {
    let rest = text.strip_prefix('~')?;
    if rest.is_empty() || rest.starts_with('/') { Some(format!("{}{rest}", home?)) } else { None }
}

fn push_patterns(field: &mut Argument, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(['*', '?', '[']) {
        let (before, from) = rest.split_at(at);
        if !before.is_empty() {
            field.push(Atom::Text(before.to_owned()));
        }
        // A class is short; the search for its end must not grow with the text.
        let inside = from.as_bytes().get(2..from.len().min(64)).filter(|_| from.starts_with('['));
        let class = inside.and_then(|inside| inside.iter().position(|byte| *byte == b']'));
        let length = match class {
            Some(end) => end + 3,
            None => 1,
        };
        if from.starts_with('[') && class.is_none() {
            field.push(Atom::Text("[".to_owned()));
        } else {
            field.push(Atom::Glob(from[..length].to_owned()));
        }
        rest = &from[length..];
    }
    if !rest.is_empty() {
        field.push(Atom::Text(rest.to_owned()));
    }
}
