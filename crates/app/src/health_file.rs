//! File with the last health probe of each agent: for display only, never used for decisions.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Result of a health probe.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProbeRecord {
    /// Time of the probe.
    pub at: String,
    /// Reason of the failure; none if the agent works.
    pub reason: Option<String>,
}

/// Reads the last probes, by agent. An unreadable file counts as empty.
pub fn read(state_folder: &Path) -> BTreeMap<String, ProbeRecord> {
    let text = fs_err::read(path(state_folder)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Adds new probe results to the file.
pub fn write(state_folder: &Path, probed: &[(String, Result<(), String>)], at: &str) -> Result<(), String> {
    let mut known = read(state_folder);
    for (agent, works) in probed {
        known.insert(agent.clone(), ProbeRecord { at: at.to_owned(), reason: works.as_ref().err().cloned() });
    }
    fs_err::create_dir_all(state_folder).map_err(|error| error.to_string())?;
    let bytes = serde_json::to_vec_pretty(&known).unwrap_or_default();
    charrette_store::atomic::replace_private(&path(state_folder), &bytes).map_err(|error| error.to_string())
}

fn path(state_folder: &Path) -> PathBuf {
    state_folder.join("health.json")
}
