//! One attempt at a step: what it may read, where it writes, whom it asks.

use super::record::Record;
use crate::event::EventKind;
use crate::ports::{AgentAnswer, Call, LaunchError};
use crate::prompt::Readable;
use charrette_model::checkpoint::incidents;
use charrette_model::checkpoint::progress;
use charrette_store::tree::Change;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// One attempt at a step.
pub struct Lane {
    record: Arc<Record>,
    call: Call,
    /// Which attempt, from 1.
    pub(crate) attempt: u32,
    name: String,
    outputs: Mutex<BTreeMap<String, String>>,
}

/// The name of a lane: unique in its run, and harmless as a folder.
pub(super) fn lane_name(phase: &str, id: &str, attempt: u32) -> String {
    let harmless = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '.' };
    let id: String = id.chars().map(harmless).collect();
    format!("{phase}-{id}-{attempt}")
}

impl Lane {
    pub(super) fn new(record: Arc<Record>, call: Call, attempt: u32) -> Lane {
        let name = lane_name(&call.phase, &call.id, attempt);
        Lane { record, call, attempt, name, outputs: Mutex::default() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What was written so far, with digests.
    pub(super) fn outputs(&self) -> BTreeMap<String, String> {
        self.outputs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The content of an artifact, if the step said that it reads it.
    pub(crate) fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        if self.call.reads.iter().all(|input| input.label() != name) {
            let problem = format!("{} reads {name} without having named it as an input", self.call.id);
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
        }
        self.record.workspace.read(name, self.record.produced_by(name).as_deref())
    }

    /// The content of an artifact, whoever reads it.
    pub(crate) fn read_present(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.record.workspace.read(name, self.record.produced_by(name).as_deref())
    }

    /// Whether some step of this run wrote what is there now.
    pub(crate) fn is_own(&self, name: &str) -> io::Result<bool> {
        let digest = self.record.workspace.digest(name, self.record.produced_by(name).as_deref())?;
        Ok(digest.is_none_or(|digest| self.record.document().wrote(name, &digest)))
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let digest = self.record.workspace.stage(&self.name, name, bytes)?;
        self.outputs.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), digest);
        Ok(())
    }

    /// Puts on record who is about to be launched. Nothing may be launched if this fails.
    pub(crate) fn seat(&self, agent: &str) -> Result<(), String> {
        let Call { phase, id, .. } = &self.call;
        self.record
            .change(&format!("launch {agent} for {id}"), |document, circumstances| {
                progress::seat_agent(document, phase, id, agent, circumstances)
            })
            .map_err(|error| {
                format!("{agent} was not launched, because that could not be put on record: {error}")
            })
    }

    /// Puts on record what agents changed in the tree. It must not be lost: somebody will be asked about it.
    pub(crate) fn note_tree(&self, changes: &[Change]) -> Result<(), String> {
        if changes.is_empty() {
            return Ok(());
        }
        let Call { phase, id, .. } = &self.call;
        let changes: Vec<_> =
            changes.iter().map(|change| serde_json::to_value(change).unwrap_or_default()).collect();
        let noted =
            self.record.change(&format!("note what changed during {id}"), |document, circumstances| {
                incidents::note_tree(document, phase, id, &changes, circumstances)
            });
        noted.map_err(|error| {
            format!("{} files changed, and that could not be put on record: {error}", changes.len())
        })
    }

    pub(crate) fn note(&self, agent: &str, note: &str) {
        self.record.tell(EventKind::Warning { message: format!("{}: {agent}: {note}", self.call.id) });
    }

    /// Its phase and its step.
    pub(crate) fn place(&self) -> (String, String) {
        (self.call.phase.clone(), self.call.id.clone())
    }

    /// Where the artifacts are.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.record.workspace.folder().to_owned()
    }

    /// The files an agent may read, and where they are.
    pub(crate) fn readable(&self) -> Vec<Readable> {
        let names = self.call.reads.iter().map(crate::artifact::Input::label);
        names
            .filter_map(|name| {
                let path = self.record.current(&name).ok()?;
                let content = String::from_utf8_lossy(&self.read(&name).ok()??).into_owned();
                Some(Readable { name, path, content })
            })
            .collect()
    }

    /// A scratch folder for an agent, outside the repository.
    pub(crate) fn folder(&self) -> PathBuf {
        self.record.workspace.lane(&self.name)
    }

    pub(crate) fn token(&self) -> (String, String) {
        (self.record.run_id.clone(), self.name.clone())
    }

    /// Keeps an answer that could not be used. Returns where.
    pub(crate) fn keep_evidence(&self, agent: &str, text: &str) -> String {
        let name = |n: usize| format!("evidence/{}-{agent}-{n}.txt", self.name);
        let free = (1..100).map(name).find(|name| self.record.current(name).is_ok_and(|path| !path.exists()));
        let name = free.unwrap_or_else(|| name(100));
        match self.record.workspace.put(&name, text.as_bytes()) {
            Ok(_) => name,
            Err(error) => format!("nowhere ({error})"),
        }
    }

    pub(crate) fn watch(&self, agent: &str) -> Watch<'_> {
        let step = self.call.id.clone();
        self.record.tell(EventKind::AgentStarted { step: step.clone(), agent: agent.to_owned() });
        Watch { lane: self, agent: agent.to_owned(), since: Instant::now() }
    }
}

/// An agent at work.
pub(crate) struct Watch<'a> {
    lane: &'a Lane,
    agent: String,
    since: Instant,
}

impl Watch<'_> {
    pub(crate) fn ended(self, outcome: &Result<AgentAnswer, LaunchError>) {
        let (status, usage) = match outcome {
            Ok(answer) => ("ok".to_owned(), answer.usage.clone()),
            Err(error) => (error.to_string(), None),
        };
        self.lane.record.tell(EventKind::AgentFinished {
            step: self.lane.call.id.clone(),
            agent: self.agent,
            status,
            seconds: self.since.elapsed().as_secs_f64(),
            usage,
        });
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lane").field(&self.name).finish()
    }
}
