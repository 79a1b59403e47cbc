//! Scope of a script: folder, variables, functions, aliases, positional parameters.

use super::effect::Target;
use super::surroundings::{Place, Surroundings, normalise};
use crate::shell::{Argument, Atom, Node};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most names that are remembered.
const MAX_NAMES: usize = 200;

#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub(super) place: Place,
    pub(super) variables: Rc<HashMap<String, Argument>>,
    pub(super) functions: Rc<HashMap<String, Rc<Node>>>,
    pub(super) aliases: Rc<HashMap<String, String>>,
    pub(super) parameters: Option<Vec<Argument>>,
}

impl Scope {
    pub(super) fn new(surroundings: &Surroundings<'_>) -> Scope {
        let known = surroundings.variables.iter();
        Scope {
            place: Place::At(surroundings.folder.clone()),
            variables: Rc::new(known.map(|(name, value)| (name.clone(), Argument::text(value))).collect()),
            functions: Rc::default(),
            aliases: Rc::default(),
            parameters: None,
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Argument) {
        if self.variables.len() < MAX_NAMES || self.variables.contains_key(name) {
            Rc::make_mut(&mut self.variables).insert(name.to_owned(), value);
        }
    }

    pub(super) fn define(&mut self, name: &str, body: Rc<Node>) {
        if self.functions.len() < MAX_NAMES {
            Rc::make_mut(&mut self.functions).insert(name.to_owned(), body);
        }
    }

    pub(super) fn alias(&mut self, name: &str, text: &str) {
        if self.aliases.len() < MAX_NAMES {
            Rc::make_mut(&mut self.aliases).insert(name.to_owned(), text.to_owned());
        }
    }

    /// The folder; of an unknown one, that in which the script began.
    pub(super) fn folder(&self, surroundings: &Surroundings<'_>) -> PathBuf {
        match &self.place {
            Place::At(folder) => folder.clone(),
            Place::Fresh | Place::Unknown => surroundings.folder.clone(),
        }
    }

    /// The place after `cd argument`.
    pub(super) fn place_of(&self, argument: &Argument) -> Place {
        match argument.known() {
            Some(path) => self.place.join(path),
            None if argument.is_fresh() => Place::Fresh,
            None => Place::Unknown,
        }
    }

    /// The file or folder that an argument names.
    pub(super) fn target(&self, argument: &Argument) -> Target {
        if argument.is_fresh() {
            return Target::Fresh;
        }
        let base = match &self.place {
            Place::At(folder) => folder.clone(),
            Place::Fresh if !argument.prefix().starts_with('/') => return Target::Fresh,
            Place::Unknown if !argument.prefix().starts_with('/') => return Target::Unknown,
            Place::Fresh | Place::Unknown => PathBuf::from("/"),
        };
        if let Some(path) = argument.known() {
            return Target::At(normalise(&base.join(path)));
        }
        below(&base, argument)
    }
}

/// A path with a pattern or something unknown in it.
fn below(base: &Path, argument: &Argument) -> Target {
    let prefix = argument.prefix();
    if prefix.is_empty() && matches!(argument.atoms.first(), Some(Atom::Unknown)) {
        return Target::Unknown;
    }
    // The last folder that is known for certain.
    let (folder, start) = match prefix.rfind('/') {
        Some(at) => (&prefix[..=at], &prefix[at + 1..]),
        None => ("", prefix),
    };
    let mut rest = Argument::default();
    if !start.is_empty() {
        rest.push(Atom::Text(start.to_owned()));
    }
    let skipped = usize::from(!prefix.is_empty());
    argument.atoms[skipped..].iter().cloned().for_each(|atom| rest.push(atom));
    let folder = normalise(&base.join(folder));
    if rest.has_unknown() {
        return Target::Below { folder, name: None };
    }
    // Of a pattern with folders in it the first part counts.
    let mut name = Argument::default();
    for atom in rest.atoms {
        match atom {
            Atom::Text(text) if text.contains('/') => {
                let first = text.split('/').next().unwrap_or_default();
                name.push(Atom::Text(first.to_owned()));
                break;
            }
            atom => name.push(atom),
        }
    }
    Target::Below { folder, name: Some(name) }
}
