//! The record of a run: the document as this driver last saw it, and durable changes to it.

use crate::artifact::Input;
use crate::event::{Broadcast, EVENT_VERSION, Event, EventKind};
use crate::ports::Clock;
use crate::stop::{FlowResult, Stop};
use charrette_model::checkpoint::transition::{self, TransitionContext};
use charrette_model::checkpoint::{Checkpoint, DocumentName, StepRecord, TransitionError, progress};
use charrette_store::workspace::sha256;
use charrette_store::{Documents, StoreError, Workspace};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A pure change of the document.
type Change =
    Arc<dyn Fn(Checkpoint, &TransitionContext) -> Result<Checkpoint, TransitionError> + Send + Sync>;

/// Changes that are not yet on disk. Local steps can be redone at no cost, so they are written with the next change; events
/// after such a step are deferred with it, so that nothing is reported that a kill could undo.
#[derive(Default)]
struct Deferred {
    changes: Vec<Change>,
    events: Vec<Event>,
}

/// Document of a run as this driver last saw it, with its workspace and its event stream.
pub(crate) struct Record {
    pub(crate) documents: Documents,
    pub(crate) name: DocumentName,
    pub(crate) workspace: Workspace,
    pub(crate) run_id: String,
    /// Name of the user, for answers.
    pub(crate) user_name: Box<dyn Fn() -> String + Send + Sync>,
    clock: Arc<dyn Clock>,
    broadcast: Broadcast,
    /// Serialises changes, so that none is lost from `document`.
    change_lock: Mutex<()>,
    deferred: Mutex<Deferred>,
    /// As of our own last change. Only this process drives the run; answers of others are seen at the next change.
    document: Mutex<Checkpoint>,
    /// Lane that wrote an artifact, as long as it may still be staged there.
    producers: Mutex<HashMap<String, String>>,
    unsaved: AtomicBool,
}

impl Record {
    pub(crate) fn new(
        documents: Documents,
        name: DocumentName,
        workspace: Workspace,
        document: Checkpoint,
        user_name: Box<dyn Fn() -> String + Send + Sync>,
        clock: Arc<dyn Clock>,
        broadcast: Broadcast,
    ) -> Record {
        let run_id = document.run.as_ref().map(|run| run.id.clone()).unwrap_or_default();
        Record {
            documents,
            name,
            workspace,
            run_id,
            user_name,
            clock,
            broadcast,
            change_lock: Mutex::default(),
            deferred: Mutex::default(),
            document: Mutex::new(document),
            producers: Mutex::default(),
            unsaved: AtomicBool::new(false),
        }
    }

    pub(crate) fn document(&self) -> MutexGuard<'_, Checkpoint> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn step(&self, phase: &str, id: &str) -> Option<StepRecord> {
        self.document().phases.get(phase)?.steps.as_ref()?.get(id).cloned()
    }

    /// Reads the document again, because another process has changed it.
    pub(crate) fn reload(&self) -> FlowResult<()> {
        self.flush()?;
        let loaded = self.documents.load(&self.name).map_err(|error| Stop::Failed(error.to_string()))?;
        let loaded = loaded.ok_or_else(|| Stop::Failed(TransitionError::Gone.to_string()))?;
        *self.document() = loaded.document;
        Ok(())
    }

    /// Makes a durable change, together with the deferred ones. The document is read again under its lock.
    pub(crate) fn change(
        &self,
        label: &str,
        change: impl Fn(Checkpoint, &TransitionContext) -> Result<Checkpoint, TransitionError>,
    ) -> Result<(), StoreError> {
        let _alone = self.change_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let deferred = self.deferred_changes();
        let changed =
            self.documents.transition(&self.name, label, self.clock.now(), |on_disk, context| {
                let mut document = on_disk.ok_or(TransitionError::Gone)?;
                for earlier in &deferred {
                    document = earlier(document, context)?;
                }
                change(document, context)
            })?;
        *self.document() = changed.document;
        self.mark_written(deferred.len());
        Ok(())
    }

    /// Makes a change that is written with the next one. Its event is emitted then.
    pub(crate) fn defer(
        &self,
        change: impl Fn(Checkpoint, &TransitionContext) -> Result<Checkpoint, TransitionError>
        + Send
        + Sync
        + 'static,
        event: EventKind,
    ) -> FlowResult<()> {
        let _alone = self.change_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        let context = TransitionContext { now, head: self.documents.head(), summary_words: usize::MAX };
        let mut document = self.document();
        *document = change(document.clone(), &context).map_err(|error| Stop::Failed(error.to_string()))?;
        drop(document);
        let mut deferred = self.deferred();
        deferred.changes.push(Arc::new(change));
        deferred.events.push(self.event(event));
        Ok(())
    }

    /// Writes the deferred changes, if there are any.
    pub(crate) fn flush(&self) -> FlowResult<()> {
        if self.deferred_changes().is_empty() {
            return Ok(());
        }
        self.change_best_effort("finish local steps", |document, _| Ok(document))
    }

    fn deferred(&self) -> MutexGuard<'_, Deferred> {
        self.deferred.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deferred_changes(&self) -> Vec<Change> {
        self.deferred().changes.clone()
    }

    /// Drops the first deferred changes, which are on disk now, and emits the events that waited for them.
    fn mark_written(&self, written: usize) {
        let mut deferred = self.deferred();
        let written = written.min(deferred.changes.len());
        deferred.changes.drain(..written);
        if !deferred.changes.is_empty() {
            return;
        }
        let events = std::mem::take(&mut deferred.events);
        drop(deferred);
        for event in &events {
            self.broadcast.send(event);
        }
    }

    /// Makes a change that may stay unsaved: if it cannot be written, the run warns once and continues without it.
    pub(crate) fn change_best_effort(
        &self,
        label: &str,
        change: impl Fn(Checkpoint, &TransitionContext) -> Result<Checkpoint, TransitionError>,
    ) -> FlowResult<()> {
        let error = match self.change(label, &change) {
            Ok(()) => return Ok(()),
            // Earlier unsaved changes are missing from the document on disk; that is no new problem.
            Err(error) if self.unsaved.load(Ordering::Relaxed) => error,
            Err(StoreError::Transition(error)) => return Err(Stop::Failed(error.to_string())),
            Err(error) => error,
        };
        if !self.unsaved.swap(true, Ordering::Relaxed) {
            let message = format!(
                "Failed to save checkpoint: {error}. Continuing execution without checkpoint persistence."
            );
            self.emit(EventKind::Warning { message });
        }
        let context = TransitionContext {
            now: self.clock.now(),
            head: self.documents.head(),
            summary_words: usize::MAX,
        };
        let mut document = self.document();
        *document = change(document.clone(), &context).map_err(|error| Stop::Failed(error.to_string()))?;
        drop(document);
        // Events do not wait for changes that cannot be written.
        self.mark_written(usize::MAX);
        Ok(())
    }

    pub(crate) fn complete(&self) -> FlowResult<()> {
        self.change_best_effort("complete", |document, context| transition::complete(Some(document), context))
    }

    pub(crate) fn emit(&self, kind: EventKind) {
        let event = self.event(kind);
        let mut deferred = self.deferred();
        if deferred.changes.is_empty() {
            drop(deferred);
            self.broadcast.send(&event);
        } else {
            deferred.events.push(event);
        }
    }

    fn event(&self, kind: EventKind) -> Event {
        let at = self.clock.now().stamp().to_string();
        Event { v: EVENT_VERSION, at, run: self.run_id.clone(), kind }
    }

    pub(crate) fn producer_of(&self, name: &str) -> Option<String> {
        self.producers.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(crate) fn set_producer(&self, lane: &str, names: impl Iterator<Item = String>) {
        let mut producers = self.producers.lock().unwrap_or_else(PoisonError::into_inner);
        producers.extend(names.map(|name| (name, lane.to_owned())));
    }

    /// Path of an artifact now: staged in a lane, or in the workspace.
    pub(crate) fn artifact_path(&self, name: &str) -> std::io::Result<PathBuf> {
        self.workspace.readable_path(name, self.producer_of(name).as_deref())
    }

    /// Digests of inputs, by label.
    pub(crate) fn digests(&self, reads: &[Input]) -> FlowResult<BTreeMap<String, String>> {
        reads.iter().map(|input| Ok((input.label(), self.digest(input)?))).collect()
    }

    fn digest(&self, input: &Input) -> FlowResult<String> {
        let file_digest = |name: &str| {
            let digest = self.workspace.digest(name, self.producer_of(name).as_deref());
            digest.map_err(|error| Stop::Failed(format!("cannot read {name}: {error}")))
        };
        match input {
            Input::Artifact(name) => file_digest(name)?.ok_or_else(|| {
                Stop::Failed(format!("{name} is missing from {}", self.workspace.folder().display()))
            }),
            Input::Optional(name) => Ok(file_digest(name)?.unwrap_or_else(|| "absent".to_owned())),
            Input::Given { digest, .. } => Ok(digest.clone()),
            Input::Answers(gate) => Ok(answers_digest(&self.document(), gate, None)),
            Input::Answer { gate, key } => Ok(answers_digest(&self.document(), gate, Some(key))),
        }
    }

    pub(crate) fn value(&self, phase: &str, id: &str) -> Value {
        self.step(phase, id).map(|step| progress::step_value(&step)).unwrap_or_default()
    }
}

/// Digest of all answers of a gate, or of one answer.
pub(crate) fn answers_digest(document: &Checkpoint, gate: &str, key: Option<&str>) -> String {
    let answers = document.gates.get(gate).map(|gate| &gate.answers);
    let text = match (answers, key) {
        (None, _) => Value::Null.to_string(),
        (Some(answers), Some(key)) => answers.get(key).unwrap_or(&Value::Null).to_string(),
        (Some(answers), None) => {
            // Sorted, so that the order of answering does not matter.
            let sorted: BTreeMap<&String, &Value> = answers.iter().collect();
            serde_json::to_string(&sorted).unwrap_or_default()
        }
    };
    sha256(text.as_bytes())
}
