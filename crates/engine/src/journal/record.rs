//! The record of a run: the document as this driver last saw it, and durable changes to it. [`foreign`] finds what others
//! have changed, and other drivers.

mod foreign;

use self::foreign::unrestored_message;
use crate::artifact::Input;
use crate::event::{Broadcast, EVENT_VERSION, Event, EventKind};
use crate::ports::Clock;
use crate::stop::{FlowResult, Stop};
use charrette_model::checkpoint::transition::{self, TransitionContext};
use charrette_model::checkpoint::{Checkpoint, DocumentName, StepRecord, TransitionError, progress};
use charrette_model::tree::{ChangeKind, TreeChange};
use charrette_store::workspace::sha256;
use charrette_store::{DocumentKeeper, Documents, ForeignChange, StoreError, Workspace};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

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

/// A change that was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    /// Another process drives the run now: this one writes nothing any more.
    #[error("{0}")]
    LostLease(String),
    #[error(transparent)]
    Store(#[from] StoreError),
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
    /// Keeps the document as this driver last wrote or accepted it.
    keeper: DocumentKeeper,
    /// Why this process may not go on: another one has held a lease of it.
    lost_lease: OnceLock<String>,
    /// Why nothing of the run may be believed: files that an earlier driver could not put back are still as others left them.
    blocked: Option<String>,
    /// Changes of the run's own files that did not pass through this driver, and are taken back.
    foreign: Mutex<Vec<TreeChange>>,
    /// Agents at work.
    agents: AtomicUsize,
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
        let evidence = workspace.folder().join("evidence");
        let keeper = documents.take_custody(&name, document.clone(), workspace.answer_notes(), evidence);
        let unrestored = workspace.restore_unrestored(&document);
        let blocked = unrestored.problems.first();
        let blocked = blocked.map(|(path, error)| format!("cannot put back {}: {error}", path.display()));
        let record = Record {
            documents,
            name,
            workspace,
            run_id,
            user_name,
            clock,
            broadcast,
            change_lock: Mutex::default(),
            deferred: Mutex::default(),
            keeper,
            lost_lease: OnceLock::new(),
            blocked,
            document: Mutex::new(document),
            foreign: Mutex::default(),
            agents: AtomicUsize::new(0),
            producers: Mutex::default(),
            unsaved: AtomicBool::new(false),
        };
        for ForeignChange { path, kind } in unrestored.changes {
            record.note_foreign(&path, kind, None);
        }
        record
    }

    pub(crate) fn document(&self) -> MutexGuard<'_, Checkpoint> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn step(&self, phase: &str, id: &str) -> Option<Arc<StepRecord>> {
        self.document().phases.get(phase)?.steps.as_ref()?.get(id).cloned()
    }

    /// Reads the document again, because another process has changed it.
    pub(crate) fn reload(&self) -> FlowResult<()> {
        self.flush()?;
        self.accept_document()?;
        *self.document() = self.keeper.document();
        Ok(())
    }

    /// Accepts document and files as another process of ours has left them.
    pub(crate) fn accept_document(&self) -> FlowResult<()> {
        let loaded = self.documents.load(&self.name).map_err(|error| Stop::Failed(error.to_string()))?;
        let loaded = loaded.ok_or_else(|| Stop::Failed(TransitionError::Gone.to_string()))?;
        self.keeper.accept(loaded.document);
        // A worker has staged files of its own.
        self.workspace.take_custody().map_err(|error| unaccepted(&error))
    }

    /// Makes a durable change, together with the deferred ones. The document is read again under its lock; what others have
    /// changed while the run was driven is put back.
    pub(crate) fn change(
        &self,
        label: &str,
        change: impl Fn(Checkpoint, &TransitionContext) -> Result<Checkpoint, TransitionError>,
    ) -> Result<(), ChangeError> {
        let _alone = self.change_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = || self.lost_lease.get().cloned().map(ChangeError::LostLease);
        if let Some(lost) = lost() {
            return Err(lost);
        }
        let deferred = self.deferred_changes();
        let changed = self.documents.transition(&self.name, label, self.clock.now(), |on_disk, context| {
            // Under the document's lock, which a driver that takes over waits for before it reads: what is written
            // here is written before that, or not at all.
            if self.find_lost_lease().is_some() {
                return Err(TransitionError::Gone);
            }
            let mut document = on_disk.ok_or(TransitionError::Gone)?;
            for earlier in &deferred {
                document = earlier(document, context)?;
            }
            change(document, context)
        });
        let changed = changed.map_err(|error| lost().unwrap_or_else(|| error.into()))?;
        *self.document() = changed.document;
        self.mark_written(deferred.len());
        let taken_back = self.keeper.take_changes();
        if !taken_back.is_empty() {
            let path = self.documents.folder().document(&self.name);
            self.note_foreign(&path, ChangeKind::Modified, Some(&taken_back.join(", ")));
        }
        Ok(())
    }

    /// Accepts the files of the run as they are, after a person or a worker may have changed them. While an agent is at
    /// work, nobody else may. True if one has changed since custody began.
    pub(crate) fn accept_files(&self) -> FlowResult<bool> {
        if self.agents.load(Ordering::Relaxed) > 0 {
            return Ok(false);
        }
        self.workspace.accept_artifacts().map_err(|error| unaccepted(&error))
    }

    /// Takes the files of the run in custody when the first step runs. Until then only recorded steps are reused, and nobody
    /// else is at work.
    pub(crate) fn begin_custody(&self) -> FlowResult<()> {
        if self.workspace.is_in_custody() {
            return Ok(());
        }
        self.workspace.take_custody().map_err(|error| unaccepted(&error))
    }

    /// True if a change of this process could not be written.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.unsaved.load(Ordering::Relaxed)
    }

    /// Counts an agent as being at work until the value is dropped.
    pub(crate) fn agent_at_work(&self) -> AgentAtWork<'_> {
        self.agents.fetch_add(1, Ordering::Relaxed);
        AgentAtWork(&self.agents)
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
            Err(ChangeError::LostLease(reason)) => return Err(Stop::Failed(reason)),
            // Earlier unsaved changes are missing from the document on disk; that is no new problem.
            Err(ChangeError::Store(error)) if self.unsaved.load(Ordering::Relaxed) => error,
            Err(ChangeError::Store(StoreError::Transition(error))) => {
                return Err(Stop::Failed(error.to_string()));
            }
            Err(ChangeError::Store(error)) => error,
        };
        if !self.unsaved.swap(true, Ordering::Relaxed) {
            let message = format!(
                "Failed to save checkpoint: {error}. Continuing execution without checkpoint persistence."
            );
            self.emit(EventKind::warning(message));
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
        if let Some(problem) = &self.blocked {
            return Err(Stop::Failed(unrestored_message(std::slice::from_ref(problem))));
        }
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

/// The run's files are not accepted, because one of them cannot be read.
fn unaccepted(error: &std::io::Error) -> Stop {
    Stop::Failed(format!(
        "cannot read a file of the run: {error}. It is as it was: give back the rights or move it elsewhere, and resume"
    ))
}

/// An agent at work.
pub(crate) struct AgentAtWork<'a>(&'a AtomicUsize);

impl Drop for AgentAtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
