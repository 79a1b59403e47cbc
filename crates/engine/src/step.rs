//! Steps: work that is done once, with all inputs named beforehand.

use crate::artifact::{Input, Inputs};
use crate::ports::ArtifactStore;
use crate::ports::journal::{Lane, StepCall, StepReach};
use crate::ports::{InputLayer, PromptInput, Quotation};
use crate::stop::Stop;
use charrette_model::checkpoint::Usage;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Builder of a step. The record of a step in the document is `StepRecord` of the model.
#[derive(Debug, Clone)]
pub struct Step {
    pub(crate) id: String,
    pub(crate) reads: Vec<Input>,
    pub(crate) revises: Vec<String>,
    pub(crate) reach: StepReach,
    pub(crate) delegates: bool,
    pub(crate) agent: Option<String>,
}

impl Step {
    /// Makes a step with that id, such as `merge` or `sketch/arch`.
    pub fn new(id: impl Into<String>) -> Step {
        Step {
            id: id.into(),
            reads: Vec::new(),
            revises: Vec::new(),
            reach: StepReach::Workspace,
            delegates: false,
            agent: None,
        }
    }

    #[must_use]
    pub fn reads(mut self, inputs: &(impl Inputs + ?Sized)) -> Step {
        self.reads.extend(inputs.inputs());
        self
    }

    /// Adds files that the step may rewrite in place or compare with its output. It sees them as they are, existing or not;
    /// they are not inputs, so a change does not run the step again.
    #[must_use]
    pub fn revises(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Step {
        self.revises.extend(names.into_iter().map(Into::into));
        self
    }

    /// Inputs named so far.
    pub fn inputs(&self) -> &[Input] {
        &self.reads
    }

    /// Marks a step that moves HEAD or writes outside the workspace: it runs under the lock of the checkout.
    #[must_use]
    pub fn touches_checkout(mut self) -> Step {
        self.reach = StepReach::Checkout;
        self
    }

    /// Marks a step that changes something outside this machine: it is not started unless its start can be recorded.
    #[must_use]
    pub fn external_effect(mut self) -> Step {
        self.reach = StepReach::Outside;
        self
    }

    /// Marks a step that moves a ref of the run: everything before it is on record before it moves.
    #[must_use]
    pub fn moves_ref(mut self) -> Step {
        self.reach = StepReach::Ref;
        self
    }

    /// Declares that another process drives the run while the step is executed.
    #[must_use]
    pub fn delegates(mut self) -> Step {
        self.delegates = true;
        self
    }
}

/// Result of a successful step body.
#[derive(Debug, Clone, Default)]
pub struct StepOutput {
    pub value: Value,
    /// Agent that answered.
    pub agent: Option<String>,
    /// Agents that failed before.
    pub fallback_from: Vec<String>,
    pub usage: Option<Usage>,
    /// Digest of the prompt.
    pub prompt: Option<String>,
}

/// Failure of a step.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// Failed; retried when the run is resumed. The message is prefixed with the step id.
    #[error("{0}")]
    Failed(String),
    /// Failed, with a message that is shown without the step id.
    #[error("{0}")]
    Verbatim(String),
    /// Something that an agent call needs could not be recorded or verified. Answers that were given are kept.
    #[error("{0}")]
    Unrecorded(String),
    /// Refused by a guard; retried when the run is resumed.
    #[error("{0}")]
    Refused(String),
    /// A person must decide something first; retried after that.
    #[error("waiting for a decision")]
    Paused,
    /// The run was cancelled.
    #[error("interrupted")]
    Interrupted,
    /// The child run of this step stopped; retried when this run is resumed.
    #[error("{0}")]
    ChildStopped(Stop),
}

impl StepError {
    /// The error of a step during whose execution the run was cancelled: what a program said that was ended then is no failure
    /// of the step.
    pub(crate) fn of_interruption(self) -> StepError {
        match self {
            StepError::Failed(_) | StepError::Verbatim(_) | StepError::Refused(_) => StepError::Interrupted,
            other => other,
        }
    }
}

impl From<io::Error> for StepError {
    fn from(error: io::Error) -> StepError {
        StepError::Failed(error.to_string())
    }
}

/// Context of a step body: the files it named, as they were when it started, and the files it writes.
///
/// It gives access to nothing else, so a step cannot read a file that it did not name.
#[derive(Clone)]
pub struct StepContext {
    call: Arc<StepCall>,
    run: String,
    inputs: Arc<BTreeMap<String, StepInput>>,
    present: Arc<BTreeMap<String, RevisedFile>>,
    writes: StepWrites,
    lane: Arc<dyn Lane>,
}

/// Content of an input file.
#[derive(Debug, Clone, Default)]
struct StepInput {
    bytes: Option<Vec<u8>>,
    location: Option<String>,
}

/// A file that a step may rewrite in place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RevisedFile {
    /// Content; none if the file does not exist.
    pub bytes: Option<Vec<u8>>,
    /// True if a step of this run wrote this content, or if the file does not exist.
    pub is_own: bool,
}

/// Files that a step has written so far, by name. The journal takes them when the body has ended.
#[derive(Debug, Clone, Default)]
pub struct StepWrites(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl StepWrites {
    /// Takes all files.
    pub fn take(&self) -> BTreeMap<String, Vec<u8>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl StepContext {
    /// Loads the inputs of a call, for one attempt. `present` are the files it revises.
    pub async fn load(
        call: &StepCall,
        run: String,
        lane: Arc<dyn Lane>,
        files: &dyn ArtifactStore,
        present: BTreeMap<String, RevisedFile>,
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

    /// Files of the body, for the journal.
    pub fn writes(&self) -> StepWrites {
        self.writes.clone()
    }

    /// Reads a file that must exist.
    pub fn text(&self, name: &str) -> Result<String, StepError> {
        self.optional_text(name)?.ok_or_else(|| StepError::Failed(format!("{name} does not exist")))
    }

    /// Reads a file that may exist.
    pub fn optional_text(&self, name: &str) -> Result<Option<String>, StepError> {
        let bytes = match (self.inputs.get(name), self.present.get(name)) {
            (Some(input), _) => input.bytes.as_deref(),
            (None, Some(present)) => present.bytes.as_deref(),
            (None, None) => return Err(self.undeclared_input(name)),
        };
        Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
    }

    /// Reads a file that the step may rewrite in place.
    pub fn present(&self, name: &str) -> Result<&RevisedFile, StepError> {
        self.present.get(name).ok_or_else(|| self.undeclared_input(name))
    }

    /// Writes a file. It is stored when the step succeeds; others see it when its parallel group is collected.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<(), StepError> {
        if name.is_empty() {
            return Err(StepError::Failed(format!("{} writes a file without a name", self.call.id)));
        }
        let mut writes = self.writes.0.lock().unwrap_or_else(PoisonError::into_inner);
        writes.insert(name.to_owned(), content.as_ref().to_vec());
        Ok(())
    }

    /// Run id.
    pub fn run(&self) -> String {
        self.run.clone()
    }

    /// Number of the attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.lane.attempt()
    }

    pub(crate) fn lane(&self) -> &dyn Lane {
        &*self.lane
    }

    pub(crate) fn call(&self) -> &StepCall {
        &self.call
    }

    /// Existing input files for the prompt of an agent, in the order they were named, and its own earlier versions of the
    /// files it revises.
    pub(crate) fn prompt_inputs(&self) -> Vec<PromptInput> {
        let mut files: Vec<PromptInput> = Vec::new();
        for input in &self.call.reads {
            let (Input::Artifact(name) | Input::Optional(name)) = input else { continue };
            let Some(StepInput { bytes: Some(bytes), location }) = self.inputs.get(name) else { continue };
            if files.iter().all(|read| read.name != *name) {
                let text = String::from_utf8_lossy(bytes).into_owned();
                files.push(PromptInput {
                    name: name.clone(),
                    title: None,
                    layer: InputLayer::default(),
                    quotation: Quotation::default(),
                    text,
                    location: location.clone(),
                });
            }
        }
        let own = self.present.iter().filter_map(|(name, file)| Some((name, file.bytes.as_ref()?)));
        files.extend(
            own.filter(|(name, _)| self.call.agent.is_some() && !self.inputs.contains_key(*name)).map(
                |(name, bytes)| PromptInput {
                    name: name.clone(),
                    title: Some(format!("Your own earlier {name}")),
                    layer: InputLayer::default(),
                    quotation: Quotation::default(),
                    text: String::from_utf8_lossy(bytes).into_owned(),
                    location: None,
                },
            ),
        );
        files
    }

    fn undeclared_input(&self, name: &str) -> StepError {
        StepError::Failed(format!("{} reads {name}, which is not one of its inputs", self.call.id))
    }
}

impl fmt::Debug for StepContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepContext").field("call", &self.call).finish_non_exhaustive()
    }
}
