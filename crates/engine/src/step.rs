//! A step: something done once, with everything it reads named beforehand.

use crate::artifact::{Input, Inputs};
use crate::journal::Lane;
use charrette_model::checkpoint::Usage;
use serde_json::Value;
use std::io;
use std::sync::Arc;

/// A step, as a value.
#[derive(Debug, Clone)]
pub struct Step {
    pub(crate) id: String,
    pub(crate) reads: Vec<Input>,
    pub(crate) touches_checkout: bool,
    pub(crate) reaches_out: bool,
}

impl Step {
    /// A step of that name, such as `merge` or `sketch/arch`.
    pub fn new(id: impl Into<String>) -> Step {
        Step { id: id.into(), reads: Vec::new(), touches_checkout: false, reaches_out: false }
    }

    /// What it reads.
    #[must_use]
    pub fn reads(mut self, inputs: &(impl Inputs + ?Sized)) -> Step {
        self.reads.extend(inputs.inputs());
        self
    }

    /// Everything it reads so far.
    pub fn inputs(&self) -> &[Input] {
        &self.reads
    }

    /// It moves HEAD or writes outside the workspace, so no other run may do so at the same time.
    #[must_use]
    pub fn touches_checkout(mut self) -> Step {
        self.touches_checkout = true;
        self
    }

    /// It changes something outside this machine: it is not begun unless that can be put on record.
    #[must_use]
    pub fn reaches_out(mut self) -> Step {
        self.reaches_out = true;
        self
    }
}

/// How a step ended well.
#[derive(Debug, Clone, Default)]
pub struct StepDone {
    /// What it returns.
    pub value: Value,
    /// The agent that did it.
    pub agent: Option<String>,
    /// The agents that were asked before and failed.
    pub fallback_from: Vec<String>,
    /// What it cost.
    pub usage: Option<Usage>,
    /// Digest of the prompt.
    pub prompt: Option<String>,
}

/// Why a step did not end well.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// It failed, and will be tried again when the run is resumed.
    #[error("{0}")]
    Failed(String),
    /// The same, in words that say everything: nothing is put in front of them.
    #[error("{0}")]
    Said(String),
    /// A guard says no. The step is tried again when the run is resumed.
    #[error("{0}")]
    Refused(String),
    /// A person must decide something first. The step is tried again when that is done.
    #[error("waiting for a decision")]
    Paused,
    /// The run is coming to an end.
    #[error("interrupted")]
    Interrupted,
}

impl From<io::Error> for StepError {
    fn from(error: io::Error) -> StepError {
        StepError::Failed(error.to_string())
    }
}

/// What the body of a step works with: the files it named, and a place for those it writes.
#[derive(Debug, Clone)]
pub struct StepContext {
    pub(crate) lane: Arc<Lane>,
}

impl StepContext {
    /// The text of an artifact the step reads.
    pub fn text(&self, name: &str) -> Result<String, StepError> {
        self.optional_text(name)?.ok_or_else(|| StepError::Failed(format!("{name} is not there")))
    }

    /// The text of an artifact that may be there.
    pub fn optional_text(&self, name: &str) -> Result<Option<String>, StepError> {
        let bytes = self.lane.read(name)?;
        let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(text)
    }

    /// What an artifact holds right now, although it is no input: for a step that changes a file in place, or
    /// compares what it makes with what it made before.
    pub fn present(&self, name: &str) -> Result<Option<String>, StepError> {
        let bytes = self.lane.read_present(name)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Whether an artifact is as a step of this run left it: nobody has changed it since.
    pub fn is_own(&self, name: &str) -> Result<bool, StepError> {
        Ok(self.lane.is_own(name)?)
    }

    /// Writes an artifact. Others see it when the step's batch is collected.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<(), StepError> {
        Ok(self.lane.write(name, content.as_ref())?)
    }

    /// The id of the run.
    pub fn run(&self) -> String {
        self.lane.token().0
    }

    /// Which attempt this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.lane.attempt
    }
}
