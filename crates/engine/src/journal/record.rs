//! The record of a run: the document as this driver last saw it, and durable changes to it.

use crate::artifact::Input;
use crate::event::{Broadcast, EVENT_VERSION, Event, EventKind};
use crate::ports::Clock;
use crate::stop::{Flow, Stop};
use charrette_model::checkpoint::transition::{self, Circumstances};
use charrette_model::checkpoint::{Checkpoint, DocumentName, Step, TransitionError, progress};
use charrette_store::workspace::sha256;
use charrette_store::{Documents, StoreError, Workspace};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A pure change of the document.
type Change = Arc<dyn Fn(Checkpoint, &Circumstances) -> Result<Checkpoint, TransitionError> + Send + Sync>;

/// What is done and not yet on disk: local steps, which can be done again at no cost, are written with the next change.
/// Whatever is told after such a step waits for it, so that nothing is reported that a kill could undo.
#[derive(Default)]
struct Held {
    changes: Vec<Change>,
    events: Vec<Event>,
}

pub(crate) struct Record {
    pub(crate) documents: Documents,
    pub(crate) name: DocumentName,
    pub(crate) workspace: Workspace,
    pub(crate) run_id: String,
    pub(crate) by: Box<dyn Fn() -> String + Send + Sync>,
    clock: Arc<dyn Clock>,
    broadcast: Broadcast,
    /// Held by whoever makes a change, so that none is lost from what is remembered here.
    changing: Mutex<()>,
    held: Mutex<Held>,
    /// As of our own last change. Only this process drives the run; what others answer is seen at the next change.
    document: Mutex<Checkpoint>,
    /// Which lane wrote an artifact, for as long as it may still be staged there.
    producers: Mutex<HashMap<String, String>>,
    unsaved: AtomicBool,
}

impl Record {
    pub(crate) fn new(
        documents: Documents,
        name: DocumentName,
        workspace: Workspace,
        document: Checkpoint,
        by: Box<dyn Fn() -> String + Send + Sync>,
        (clock, broadcast): (Arc<dyn Clock>, Broadcast),
    ) -> Record {
        let run_id = document.run.as_ref().map(|run| run.id.clone()).unwrap_or_default();
        Record {
            documents,
            name,
            workspace,
            run_id,
            by,
            clock,
            broadcast,
            changing: Mutex::default(),
            held: Mutex::default(),
            document: Mutex::new(document),
            producers: Mutex::default(),
            unsaved: AtomicBool::new(false),
        }
    }

    pub(crate) fn document(&self) -> MutexGuard<'_, Checkpoint> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn step(&self, phase: &str, id: &str) -> Option<Step> {
        self.document().phases.get(phase)?.steps.as_ref()?.get(id).cloned()
    }

    /// Reads the document again, because somebody else has changed it.
    pub(crate) fn refresh(&self) -> Flow<()> {
        self.flush()?;
        let loaded = self.documents.load(&self.name).map_err(|error| Stop::Failed(error.to_string()))?;
        let loaded = loaded.ok_or_else(|| Stop::Failed(TransitionError::Gone.to_string()))?;
        *self.document() = loaded.document;
        Ok(())
    }

    /// Makes a change, durably, together with everything that was held back. The document is read again under its lock.
    pub(crate) fn change(
        &self,
        label: &str,
        change: impl Fn(Checkpoint, &Circumstances) -> Result<Checkpoint, TransitionError>,
    ) -> Result<(), StoreError> {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let held = self.held_changes();
        let changed =
            self.documents.transition(&self.name, label, self.clock.now(), |on_disk, circumstances| {
                let mut document = on_disk.ok_or(TransitionError::Gone)?;
                for earlier in &held {
                    document = earlier(document, circumstances)?;
                }
                change(document, circumstances)
            })?;
        *self.document() = changed.document;
        self.release(held.len());
        Ok(())
    }

    /// Makes a change that is written with the next one. What it is reported by is told then.
    pub(crate) fn hold(
        &self,
        change: impl Fn(Checkpoint, &Circumstances) -> Result<Checkpoint, TransitionError> + Send + Sync + 'static,
        report: EventKind,
    ) -> Flow<()> {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        let circumstances = Circumstances { now, head: self.documents.head(), summary_words: usize::MAX };
        let mut document = self.document();
        *document =
            change(document.clone(), &circumstances).map_err(|error| Stop::Failed(error.to_string()))?;
        drop(document);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.changes.push(Arc::new(change));
        held.events.push(self.event(report));
        Ok(())
    }

    /// Writes what was held back, if anything was.
    pub(crate) fn flush(&self) -> Flow<()> {
        if self.held_changes().is_empty() {
            return Ok(());
        }
        self.change_if_possible("finish local steps", |document, _| Ok(document))
    }

    fn held_changes(&self) -> Vec<Change> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).changes.clone()
    }

    /// The first so many changes are on disk: what waited for them is told.
    fn release(&self, written: usize) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let written = written.min(held.changes.len());
        held.changes.drain(..written);
        if !held.changes.is_empty() {
            return;
        }
        let events = std::mem::take(&mut held.events);
        drop(held);
        for event in &events {
            self.broadcast.send(event);
        }
    }

    /// The same for something that can be done again at no cost: if it cannot be saved, the run goes on without.
    pub(crate) fn change_if_possible(
        &self,
        label: &str,
        change: impl Fn(Checkpoint, &Circumstances) -> Result<Checkpoint, TransitionError>,
    ) -> Flow<()> {
        let error = match self.change(label, &change) {
            Ok(()) => return Ok(()),
            // What could not be saved before is missing from the document now; that is no new problem.
            Err(error) if self.unsaved.load(Ordering::Relaxed) => error,
            Err(StoreError::Transition(error)) => return Err(Stop::Failed(error.to_string())),
            Err(error) => error,
        };
        if !self.unsaved.swap(true, Ordering::Relaxed) {
            let message = format!(
                "Failed to save checkpoint: {error}. Continuing execution without checkpoint persistence."
            );
            self.tell(EventKind::Warning { message });
        }
        let circumstances =
            Circumstances { now: self.clock.now(), head: self.documents.head(), summary_words: usize::MAX };
        let mut document = self.document();
        *document =
            change(document.clone(), &circumstances).map_err(|error| Stop::Failed(error.to_string()))?;
        drop(document);
        // What cannot be written is not waited for.
        self.release(usize::MAX);
        Ok(())
    }

    pub(crate) fn complete(&self) -> Flow<()> {
        self.change_if_possible("complete", |document, circumstances| {
            transition::complete(Some(document), circumstances)
        })
    }

    pub(crate) fn tell(&self, kind: EventKind) {
        let event = self.event(kind);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.changes.is_empty() {
            drop(held);
            self.broadcast.send(&event);
        } else {
            held.events.push(event);
        }
    }

    fn event(&self, kind: EventKind) -> Event {
        let at = self.clock.now().stamp().to_string();
        Event { v: EVENT_VERSION, at, run: self.run_id.clone(), kind }
    }

    pub(crate) fn produced_by(&self, name: &str) -> Option<String> {
        self.producers.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(crate) fn set_producer(&self, lane: &str, names: impl Iterator<Item = String>) {
        let mut producers = self.producers.lock().unwrap_or_else(PoisonError::into_inner);
        producers.extend(names.map(|name| (name, lane.to_owned())));
    }

    /// Where an artifact can be read right now.
    pub(crate) fn current(&self, name: &str) -> std::io::Result<PathBuf> {
        self.workspace.current(name, self.produced_by(name).as_deref())
    }

    /// The digest of everything that is read, by label.
    pub(crate) fn digests(&self, reads: &[Input]) -> Flow<BTreeMap<String, String>> {
        reads.iter().map(|input| Ok((input.label(), self.digest(input)?))).collect()
    }

    fn digest(&self, input: &Input) -> Flow<String> {
        let of_file = |name: &str| {
            let digest = self.workspace.digest(name, self.produced_by(name).as_deref());
            digest.map_err(|error| Stop::Failed(format!("cannot read {name}: {error}")))
        };
        match input {
            Input::Artifact(name) => of_file(name)?.ok_or_else(|| {
                Stop::Failed(format!("{name} is missing from {}", self.workspace.folder().display()))
            }),
            Input::Optional(name) => Ok(of_file(name)?.unwrap_or_else(|| "absent".to_owned())),
            Input::Given { digest, .. } => Ok(digest.clone()),
            Input::Answers(gate) => Ok(answers_digest(&self.document(), gate, None)),
            Input::Answer { gate, key } => Ok(answers_digest(&self.document(), gate, Some(key))),
        }
    }

    pub(crate) fn value(&self, phase: &str, id: &str) -> Value {
        self.step(phase, id).map(|step| progress::value(&step)).unwrap_or_default()
    }
}

/// The digest of what was answered at a gate, or of one answer.
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
