//! One attempt at a step, on record in files.

use super::record::Record;
use crate::event::EventKind;
use crate::ports::BoxFuture;
use crate::ports::journal::{Call, Lane};
use charrette_model::checkpoint::incidents;
use charrette_model::checkpoint::progress;
use charrette_model::tree::Change;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One attempt at a step.
pub(super) struct FileLane {
    record: Arc<Record>,
    phase: String,
    id: String,
    attempt: u32,
    name: String,
    /// The agent that was put on record together with the beginning of the step: its first launch needs no record of its
    /// own.
    seated: Option<String>,
    has_launched: AtomicBool,
}

/// The name of a lane: unique in its run, and harmless as a folder.
pub(super) fn lane_name(phase: &str, id: &str, attempt: u32) -> String {
    let harmless = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '.' };
    let id: String = id.chars().map(harmless).collect();
    format!("{phase}-{id}-{attempt}")
}

impl FileLane {
    pub(super) fn new(record: Arc<Record>, call: &Call, attempt: u32) -> FileLane {
        let Call { phase, id, agent, .. } = call;
        FileLane {
            record,
            phase: phase.clone(),
            id: id.clone(),
            attempt,
            name: lane_name(phase, id, attempt),
            seated: agent.clone().filter(|agent| !agent.is_empty()),
            has_launched: AtomicBool::new(false),
        }
    }

    fn evidence(&self, agent: &str, text: &str) -> String {
        let name = |n: usize| format!("evidence/{}-{agent}-{n}.txt", self.name);
        let free = (1..100).map(name).find(|name| self.record.current(name).is_ok_and(|path| !path.exists()));
        let name = free.unwrap_or_else(|| name(100));
        match self.record.workspace.put(&name, text.as_bytes()) {
            Ok(_) => name,
            Err(error) => format!("nowhere ({error})"),
        }
    }
}

impl Lane for FileLane {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn attempt(&self) -> u32 {
        self.attempt
    }

    fn seat<'a>(&'a self, agent: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let is_first = !self.has_launched.swap(true, Ordering::Relaxed);
            if is_first && self.seated.as_deref() == Some(agent) {
                return Ok(());
            }
            let label = format!("launch {agent} for {}", self.id);
            let seated = self.record.change(&label, |document, circumstances| {
                progress::seat_agent(document, &self.phase, &self.id, agent, circumstances)
            });
            seated.map_err(|error| {
                format!("{agent} was not launched, because that could not be put on record: {error}")
            })
        })
    }

    fn note_tree<'a>(&'a self, changes: &'a [Change]) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            if changes.is_empty() {
                return Ok(());
            }
            let values: Vec<_> =
                changes.iter().map(|change| serde_json::to_value(change).unwrap_or_default()).collect();
            let label = format!("note what changed during {}", self.id);
            let noted = self.record.change(&label, |document, circumstances| {
                incidents::note_tree(document, &self.phase, &self.id, &values, circumstances)
            });
            noted.map_err(|error| {
                format!("{} files changed, and that could not be put on record: {error}", changes.len())
            })
        })
    }

    fn keep_evidence<'a>(&'a self, agent: &'a str, text: &'a str) -> BoxFuture<'a, String> {
        Box::pin(async move { self.evidence(agent, text) })
    }

    fn tell(&self, event: EventKind) {
        self.record.tell(event);
    }
}
