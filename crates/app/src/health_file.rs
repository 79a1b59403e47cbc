//! File with the last health probe of each agent: for display only, never used for decisions.

use charrette_store::plain_file::{self, Links};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Size that the file never reaches, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Result of a health probe, as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProbeRecord {
    /// Time of the probe.
    pub at: String,
    /// Reason of the failure; none if the agent works.
    pub reason: Option<String>,
}

/// A new probe result of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProbe {
    pub agent: String,
    /// The reason, if the agent is not healthy.
    pub health: Result<(), String>,
}

/// Reads the last probes, by agent. An unreadable file counts as empty.
pub fn read(state_folder: &Path) -> BTreeMap<String, ProbeRecord> {
    let text = plain_file::read(&path(state_folder), Links::Followed, MAX_BYTES).ok().flatten();
    serde_json::from_slice(&text.unwrap_or_default()).unwrap_or_default()
}

/// Adds new probe results to the file.
pub fn write(state_folder: &Path, probes: &[AgentProbe], at: &str) -> Result<(), String> {
    let mut known = read(state_folder);
    for AgentProbe { agent, health } in probes {
        known
            .insert(agent.clone(), ProbeRecord { at: at.to_owned(), reason: health.as_ref().err().cloned() });
    }
    fs_err::create_dir_all(state_folder).map_err(|error| error.to_string())?;
    let bytes = serde_json::to_vec_pretty(&known).unwrap_or_default();
    charrette_store::atomic::replace_private(&path(state_folder), &bytes).map_err(|error| error.to_string())
}

fn path(state_folder: &Path) -> PathBuf {
    state_folder.join("health.json")
}
