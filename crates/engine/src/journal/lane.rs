//! Lanes of the durable journal: one attempt at a step each.

use super::record::Record;
use crate::event::EventKind;
use crate::ports::journal::{Lane, StepCall};
use crate::ports::{BoxFuture, KeptAnswer};
use charrette_model::checkpoint::incidents;
use charrette_model::checkpoint::progress;
use charrette_model::tree::TreeChange;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One attempt at a step, recorded in the state document.
pub(super) struct FileLane {
    record: Arc<Record>,
    phase: String,
    id: String,
    attempt: u32,
    name: String,
    /// Lane of the answers that are kept across attempts.
    kept: String,
    /// Agent that was recorded with the start of the step: its first launch needs no record of its own.
    first_agent: Option<String>,
    has_launched: AtomicBool,
}

/// Name of a lane: unique in its run, and safe as a folder name.
pub(super) fn lane_name(phase: &str, id: &str, attempt: u32) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '.' };
    let id: String = id.chars().map(safe).collect();
    format!("{phase}-{id}-{attempt}")
}

/// Lane of the answers that are kept across attempts at a step.
pub(super) fn kept_lane(phase: &str, id: &str) -> String {
    lane_name(phase, id, 0)
}

fn kept_file(key: &str) -> String {
    format!("{key}.answer")
}

/// File of an answer after the tree was compared.
fn compared_file(key: &str) -> String {
    format!("{key}.compared")
}

impl FileLane {
    pub(super) fn new(record: Arc<Record>, call: &StepCall, attempt: u32) -> FileLane {
        let StepCall { phase, id, agent, .. } = call;
        FileLane {
            record,
            phase: phase.clone(),
            id: id.clone(),
            attempt,
            name: lane_name(phase, id, attempt),
            kept: kept_lane(phase, id),
            first_agent: agent.clone().filter(|agent| !agent.is_empty()),
            has_launched: AtomicBool::new(false),
        }
    }

    fn save_evidence(&self, agent: &str, text: &str) -> String {
        let name = |n: usize| format!("evidence/{}-{agent}-{n}.txt", self.name);
        let free =
            (1..100).map(name).find(|name| self.record.artifact_path(name).is_ok_and(|path| !path.exists()));
        let name = free.unwrap_or_else(|| name(100));
        match self.record.workspace.put(&name, text.as_bytes()) {
            Ok(_) => name,
            Err(error) => format!("no file ({error})"),
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

    fn record_agent<'a>(&'a self, agent: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let is_first = !self.has_launched.swap(true, Ordering::Relaxed);
            if is_first && self.first_agent.as_deref() == Some(agent) {
                return Ok(());
            }
            let label = format!("launch {agent} for {}", self.id);
            let recorded = self.record.change(&label, |document, context| {
                progress::seat_agent(document, &self.phase, &self.id, agent, context)
            });
            recorded.map_err(|error| format!("{agent} was not launched: cannot record the launch: {error}"))
        })
    }

    fn record_changes<'a>(&'a self, changes: &'a [TreeChange]) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            if changes.is_empty() {
                return Ok(());
            }
            let values: Vec<_> =
                changes.iter().map(|change| serde_json::to_value(change).unwrap_or_default()).collect();
            let label = format!("record tree changes of {}", self.id);
            let recorded = self.record.change(&label, |document, context| {
                incidents::record_tree_changes(document, &self.phase, &self.id, &values, context)
            });
            recorded.map_err(|error| {
                format!("{} files changed in the tree: cannot record the changes: {error}", changes.len())
            })
        })
    }

    fn keep_answer(&self, key: &str, answer: &KeptAnswer) -> Result<(), String> {
        let bytes = serde_json::to_vec(answer).map_err(|error| error.to_string())?;
        self.record.workspace.keep(&self.kept, &kept_file(key), &bytes).map_err(|error| error.to_string())
    }

    fn kept_answer(&self, key: &str) -> Option<KeptAnswer> {
        let read = |file: &str| -> Option<KeptAnswer> {
            let bytes = self.record.workspace.read_staged(&self.kept, file).ok()??;
            serde_json::from_slice(&bytes).ok()
        };
        let compared = || Some(KeptAnswer { tree: Value::Null, ..read(&compared_file(key))? });
        read(&kept_file(key)).or_else(compared)
    }

    fn mark_compared(&self, key: &str) {
        // If that fails, the comparison is repeated.
        let _ = self.record.workspace.rename_kept(&self.kept, &kept_file(key), &compared_file(key));
    }

    fn keep_evidence<'a>(&'a self, agent: &'a str, text: &'a str) -> BoxFuture<'a, String> {
        Box::pin(async move { self.save_evidence(agent, text) })
    }

    fn emit(&self, event: EventKind) {
        self.record.emit(event);
    }
}
