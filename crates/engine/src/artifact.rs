//! Artifacts, and the inputs of steps: files by name, answers of people, and values.
//!
//! A step can read only the files that it names. The digest of each is recorded with the step; there is no other way for
//! a flow to read a file.

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
    /// Seats and steps that read it.
    pub readers: &'static [&'static str],
    /// Description for people.
    pub about: &'static str,
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
