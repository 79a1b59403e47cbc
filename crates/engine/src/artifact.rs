//! Artifacts, and the inputs of steps: files by name, answers of people, and values.
//!
//! A step can read only the files that it names. The digest of each is recorded with the step; there is no other way for
//! a flow to read a file.

use crate::ports::InputLayer;
use charrette_store::workspace::sha256;
use serde::Serialize;
use std::borrow::Cow;

/// Handle to a file of the run, by name: one step returns it and the next one takes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Artifact(Cow<'static, str>);

impl Artifact {
    /// The artifact of a name in a flow's artifact table.
    pub const fn fixed(name: &'static str) -> Artifact {
        Artifact(Cow::Borrowed(name))
    }

    /// The artifact of a computed name.
    pub fn named(name: impl Into<String>) -> Artifact {
        Artifact(Cow::Owned(name.into()))
    }

    pub fn name(&self) -> &str {
        &self.0
    }
}

/// The files a step wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Artifacts(pub Vec<Artifact>);

impl FromIterator<Artifact> for Artifacts {
    fn from_iter<T: IntoIterator<Item = Artifact>>(files: T) -> Artifacts {
        Artifacts(files.into_iter().collect())
    }
}

/// A row of a flow's artifact table. The inputs of a seat and the descriptions in `status --why` come from the table, and
/// a test compares it with the files that the steps of a whole run read and wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactSpec {
    /// File name; `*` matches any text.
    pub name: &'static str,
    /// Seat or step that writes it; `request` for files that exist from the start.
    pub writer: &'static str,
    /// Seats and steps that read it, besides those that [`ArtifactSpec::binds_after`] adds; `voter-*` is a family.
    pub readers: &'static [&'static str],
    /// Readers that get its path only.
    pub by_path: &'static [&'static str],
    /// True if prompts quote it whole: it is what its readers work on.
    pub whole: bool,
    /// Trust that a seat may put in it.
    pub layer: InputLayer,
    /// Stage after which every seat reads it, because it holds decisions of the person.
    pub binds_after: Option<&'static str>,
    /// Description for people.
    pub about: &'static str,
}

/// True if a list of seats, in which `voter-*` stands for a family, names this seat.
pub const fn names_seat(names: &[&str], seat: &str) -> bool {
    let mut n = 0;
    while n < names.len() {
        if is_named(names[n].as_bytes(), seat.as_bytes()) {
            return true;
        }
        n += 1;
    }
    false
}

const fn is_named(name: &[u8], seat: &[u8]) -> bool {
    let mut n = 0;
    while n < name.len() {
        if name[n] == b'*' {
            return true;
        }
        if n >= seat.len() || name[n] != seat[n] {
            return false;
        }
        n += 1;
    }
    name.len() == seat.len()
}

impl ArtifactSpec {
    /// A file that a seat or step writes for others.
    pub const fn new(
        name: &'static str,
        writer: &'static str,
        readers: &'static [&'static str],
        about: &'static str,
    ) -> ArtifactSpec {
        let (by_path, layer, binds_after): (&[&str], _, _) = (&[], InputLayer::Colleagues, None);
        ArtifactSpec { name, writer, readers, by_path, whole: false, layer, binds_after, about }
    }

    /// Marks a text that its readers work on: prompts quote it whole.
    #[must_use]
    pub const fn worked_on(mut self) -> ArtifactSpec {
        self.whole = true;
        self
    }

    /// Marks words of the person: every seat after that stage reads them, and the readers named.
    #[must_use]
    pub const fn binding_after(mut self, stage: &'static str) -> ArtifactSpec {
        self.layer = InputLayer::Person;
        self.binds_after = Some(stage);
        self
    }

    /// Marks words of the person that only the named readers get.
    #[must_use]
    pub const fn of_person(mut self) -> ArtifactSpec {
        self.layer = InputLayer::Person;
        self
    }

    /// Marks facts about the repository.
    #[must_use]
    pub const fn of_repository(mut self) -> ArtifactSpec {
        self.layer = InputLayer::Repository;
        self
    }

    /// Adds readers that get its path only.
    #[must_use]
    pub const fn by_path_for(mut self, seats: &'static [&'static str]) -> ArtifactSpec {
        self.by_path = seats;
        self
    }

    /// True if this row describes the file.
    pub fn matches(&self, file: &str) -> bool {
        let mut rest = file;
        let parts: Vec<&str> = self.name.split('*').collect();
        let last = parts.len() - 1;
        parts.iter().enumerate().all(|(n, part)| {
            let at = if n == last && n > 0 { rest.strip_suffix(part).map(str::len) } else { rest.find(part) };
            match at {
                Some(at) if n > 0 || at == 0 => {
                    rest = &rest[at + part.len()..];
                    true
                }
                _ => false,
            }
        }) && rest.is_empty()
    }
}

/// An input of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file that must exist.
    Artifact(String),
    /// A file that may exist; its absence is an input too.
    Optional(String),
    /// All answers of a gate.
    Answers(String),
    /// One answer of a gate.
    Answer { gate: String, key: String },
    /// A value, by name and digest.
    Given { name: String, digest: String },
}

impl Input {
    pub fn optional(name: impl Into<String>) -> Input {
        Input::Optional(name.into())
    }

    /// One answer of a gate, by the key of its question.
    pub fn answer(gate: &str, key: &str) -> Input {
        Input::Answer { gate: gate.to_owned(), key: key.to_owned() }
    }

    pub fn answers(gate: &str) -> Input {
        Input::Answers(gate.to_owned())
    }

    /// A value of the flow that the step depends on.
    pub fn given(name: &str, value: &impl Serialize) -> Input {
        let digest = sha256(&serde_json::to_vec(value).unwrap_or_default());
        Input::Given { name: name.to_owned(), digest }
    }

    /// Its name in the record.
    pub fn label(&self) -> String {
        match self {
            Input::Artifact(name) | Input::Optional(name) => name.clone(),
            Input::Answers(gate) => format!("answers/{gate}"),
            Input::Answer { gate, key } => format!("answers/{gate}/{key}"),
            Input::Given { name, .. } => format!("given/{name}"),
        }
    }
}

/// Anything that gives one or several inputs.
pub trait Inputs {
    fn inputs(&self) -> Vec<Input>;
}

impl Inputs for Input {
    fn inputs(&self) -> Vec<Input> {
        vec![self.clone()]
    }
}

impl Inputs for Artifact {
    fn inputs(&self) -> Vec<Input> {
        vec![Input::Artifact(self.0.clone().into_owned())]
    }
}

impl Inputs for Artifacts {
    fn inputs(&self) -> Vec<Input> {
        self.0.inputs()
    }
}

impl Inputs for str {
    fn inputs(&self) -> Vec<Input> {
        vec![Input::Artifact(self.to_owned())]
    }
}

impl<T: Inputs> Inputs for [T] {
    fn inputs(&self) -> Vec<Input> {
        self.iter().flat_map(Inputs::inputs).collect()
    }
}

impl<T: Inputs> Inputs for Vec<T> {
    fn inputs(&self) -> Vec<Input> {
        self.as_slice().inputs()
    }
}

impl<T: Inputs, const N: usize> Inputs for [T; N] {
    fn inputs(&self) -> Vec<Input> {
        self.as_slice().inputs()
    }
}

impl<T: Inputs + ?Sized> Inputs for &T {
    fn inputs(&self) -> Vec<Input> {
        (**self).inputs()
    }
}
