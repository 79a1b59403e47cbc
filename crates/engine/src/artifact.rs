//! What steps read: artifacts by name, answers of people, and values handed in.
//!
//! Reading a file is naming it. The digest of everything a step reads is one of its inputs; there is no other
//! way for a flow to look at a file.

use charrette_store::workspace::sha256;
use serde::Serialize;
use std::borrow::Cow;

/// A file of the run, by name: the handle that one step returns and the next one takes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Artifact(Cow<'static, str>);

impl Artifact {
    /// The artifact of a name that stands in a flow's table.
    pub const fn fixed(name: &'static str) -> Artifact {
        Artifact(Cow::Borrowed(name))
    }

    /// The artifact of that name.
    pub fn named(name: impl Into<String>) -> Artifact {
        Artifact(Cow::Owned(name.into()))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// What a step wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Artifacts(pub Vec<Artifact>);

impl FromIterator<Artifact> for Artifacts {
    fn from_iter<T: IntoIterator<Item = Artifact>>(files: T) -> Artifacts {
        Artifacts(files.into_iter().collect())
    }
}

/// A file of a flow, as its table has it. What a seat reads is made from the table, `status --why` says from it
/// what a file is, and a test holds what the steps of a whole run read and wrote against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactSpec {
    /// Its name. `*` stands for any text: a family of files of one sort.
    pub name: &'static str,
    /// The seat or the step that writes it; `request` for what is there from the beginning.
    pub writer: &'static str,
    /// The seats and steps that read it.
    pub readers: &'static [&'static str],
    /// What it is, for people.
    pub about: &'static str,
}

/// One thing a step reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file that must be there.
    Artifact(String),
    /// A file that may be there.
    Optional(String),
    /// Everything a person answered at a gate.
    Answers(String),
    /// One answer of a gate.
    Answer {
        /// The gate.
        gate: String,
        /// The question.
        key: String,
    },
    /// A value, by name and digest.
    Given {
        /// What it is called.
        name: String,
        /// Its digest.
        digest: String,
    },
}

impl Input {
    /// A file that may be there: its absence is an input too.
    pub fn optional(name: impl Into<String>) -> Input {
        Input::Optional(name.into())
    }

    /// One answer of a gate.
    pub fn answer(gate: &str, key: &str) -> Input {
        Input::Answer { gate: gate.to_owned(), key: key.to_owned() }
    }

    /// Everything that was answered at a gate.
    pub fn answers(gate: &str) -> Input {
        Input::Answers(gate.to_owned())
    }

    /// A value the flow has and the step depends on.
    pub fn given(name: &str, value: &impl Serialize) -> Input {
        let digest = sha256(&serde_json::to_vec(value).unwrap_or_default());
        Input::Given { name: name.to_owned(), digest }
    }

    /// How the record calls it.
    pub fn label(&self) -> String {
        match self {
            Input::Artifact(name) | Input::Optional(name) => name.clone(),
            Input::Answers(gate) => format!("answers/{gate}"),
            Input::Answer { gate, key } => format!("answers/{gate}/{key}"),
            Input::Given { name, .. } => format!("given/{name}"),
        }
    }
}

/// Anything that can be read by a step: one thing or several.
pub trait Inputs {
    /// The things.
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
