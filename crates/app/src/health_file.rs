//! What agents said when they were last asked whether they work: for people to look at, never to decide by.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What an agent said.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Health {
    /// When it was asked.
    pub at: String,
    /// Why it does not work, if it does not.
    pub reason: Option<String>,
}

/// What is known, by agent. A file that cannot be read tells nothing.
pub fn read(state_folder: &Path) -> BTreeMap<String, Health> {
    let text = fs_err::read(path(state_folder)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Adds what was just learnt.
pub fn write(state_folder: &Path, probed: &[(String, Result<(), String>)], at: &str) -> Result<(), String> {
    let mut known = read(state_folder);
    for (agent, works) in probed {
        known.insert(agent.clone(), Health { at: at.to_owned(), reason: works.as_ref().err().cloned() });
    }
    fs_err::create_dir_all(state_folder).map_err(|error| error.to_string())?;
    let bytes = serde_json::to_vec_pretty(&known).unwrap_or_default();
    charrette_store::atomic::replace_private(&path(state_folder), &bytes).map_err(|error| error.to_string())
}

fn path(state_folder: &Path) -> PathBuf {
    state_folder.join("health.json")
}
