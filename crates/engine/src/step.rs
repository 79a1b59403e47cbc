//! A step: something done once, with everything it reads named beforehand.

use crate::artifact::{Input, Inputs};
use crate::ports::ArtifactStore;
use crate::ports::Readable;
use crate::ports::journal::{Call, Lane};
use crate::stop::Stop;
use charrette_model::checkpoint::Usage;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// A step, as a value.
#[derive(Debug, Clone)]
pub struct Step {
    pub(crate) id: String,
    pub(crate) reads: Vec<Input>,
    pub(crate) revises: Vec<String>,
    pub(crate) touches_checkout: bool,
    pub(crate) reaches_out: bool,
    pub(crate) agent: Option<String>,
}

impl Step {
    /// A step of that name, such as `merge` or `sketch/arch`.
    pub fn new(id: impl Into<String>) -> Step {
        Step {
            id: id.into(),
            reads: Vec::new(),
            revises: Vec::new(),
            touches_checkout: false,
            reaches_out: false,
            agent: None,
        }
    }

    /// What it reads.
    #[must_use]
    pub fn reads(mut self, inputs: &(impl Inputs + ?Sized)) -> Step {
        self.reads.extend(inputs.inputs());
        self
    }

    /// Files it may rewrite in place, or compares with what it makes: it sees them as they are, present or not, and does
    /// not depend on what they say.
    #[must_use]
    pub fn revises(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Step {
        self.revises.extend(names.into_iter().map(Into::into));
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
    /// A run inside this step stopped; the step is tried again when this run is resumed.
    #[error("{0}")]
    Stopped(Stop),
}

impl From<io::Error> for StepError {
    fn from(error: io::Error) -> StepError {
        StepError::Failed(error.to_string())
    }
}

/// What the body of a step works with: the files it named, as they were when it began, and a place for those it writes.
///
/// There is nothing else in it, so a step cannot read what it did not name.
#[derive(Clone)]
pub struct StepContext {
    call: Arc<Call>,
    run: String,
    inputs: Arc<BTreeMap<String, StepInput>>,
    present: Arc<BTreeMap<String, PresentFile>>,
    writes: StepWrites,
    lane: Arc<dyn Lane>,
}

/// A file that a step named as an input.
#[derive(Debug, Clone, Default)]
struct StepInput {
    bytes: Option<Vec<u8>>,
    location: Option<String>,
}

/// A file that a step may rewrite in place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PresentFile {
    /// What it holds; none if there is no such file.
    pub bytes: Option<Vec<u8>>,
    /// Whether a step of this run left it so; a file that is not there counts as left so.
    pub is_own: bool,
}

/// What a step has written so far, by name. The journal takes it when the body has ended.
#[derive(Debug, Clone, Default)]
pub struct StepWrites(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl StepWrites {
    /// Everything that was written, leaving nothing behind.
    pub fn take(&self) -> BTreeMap<String, Vec<u8>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl StepContext {
    /// The context of one attempt at a call: reads everything the call names. `present` are the files it revises.
    pub async fn load(
        call: &Call,
        run: String,
        lane: Arc<dyn Lane>,
        files: &dyn ArtifactStore,
        present: BTreeMap<String, PresentFile>,
    ) -> io::Result<StepContext> {
        let mut inputs = BTreeMap::new();
        for input in &call.reads {
            let (Input::Artifact(name) | Input::Optional(name)) = input else { continue };
            let bytes = files.get(name).await?;
            let location = bytes.as_ref().and_then(|_| files.locate(name));
            inputs.insert(name.clone(), StepInput { bytes, location });
        }
        let (inputs, present) = (Arc::new(inputs), Arc::new(present));
        Ok(StepContext {
            call: Arc::new(call.clone()),
            run,
            inputs,
            present,
            writes: StepWrites::default(),
            lane,
        })
    }

    /// Where the journal finds what the body writes.
    pub fn writes(&self) -> StepWrites {
        self.writes.clone()
    }

    /// The text of a file that must be there.
    pub fn text(&self, name: &str) -> Result<String, StepError> {
        self.optional_text(name)?.ok_or_else(|| StepError::Failed(format!("{name} is not there")))
    }

    /// The text of a file that may be there.
    pub fn optional_text(&self, name: &str) -> Result<Option<String>, StepError> {
        let bytes = match (self.inputs.get(name), self.present.get(name)) {
            (Some(input), _) => input.bytes.as_deref(),
            (None, Some(present)) => present.bytes.as_deref(),
            (None, None) => return Err(self.unnamed(name)),
        };
        Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
    }

    /// A file that the step may rewrite in place, as it is now.
    pub fn present(&self, name: &str) -> Result<&PresentFile, StepError> {
        self.present.get(name).ok_or_else(|| self.unnamed(name))
    }

    /// Writes a file. It is kept when the step ends well; others see it when its group is collected.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<(), StepError> {
        if name.is_empty() {
            return Err(StepError::Failed(format!("{} writes a file without a name", self.call.id)));
        }
        let mut writes = self.writes.0.lock().unwrap_or_else(PoisonError::into_inner);
        writes.insert(name.to_owned(), content.as_ref().to_vec());
        Ok(())
    }

    /// The id of the run.
    pub fn run(&self) -> String {
        self.run.clone()
    }

    /// Which attempt this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.lane.attempt()
    }

    pub(crate) fn lane(&self) -> &dyn Lane {
        &*self.lane
    }

    pub(crate) fn call(&self) -> &Call {
        &self.call
    }

    /// What an agent reads: the files that are there, in the order they were named.
    pub(crate) fn readable(&self) -> Vec<Readable> {
        let mut readable: Vec<Readable> = Vec::new();
        for input in &self.call.reads {
            let (Input::Artifact(name) | Input::Optional(name)) = input else { continue };
            let Some(StepInput { bytes: Some(bytes), location }) = self.inputs.get(name) else { continue };
            if readable.iter().all(|read| read.name != *name) {
                let text = String::from_utf8_lossy(bytes).into_owned();
                readable.push(Readable { name: name.clone(), text, location: location.clone() });
            }
        }
        readable
    }

    fn unnamed(&self, name: &str) -> StepError {
        StepError::Failed(format!("{} reads {name} without having named it as an input", self.call.id))
    }
}

impl fmt::Debug for StepContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepContext").field("call", &self.call).finish_non_exhaustive()
    }
}
