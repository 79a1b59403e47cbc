//! Merging of new data into a phase, member by member.
//!
//! A member of the data replaces the old one and null removes it. Tasks and steps are merged one by one, so
//! that an update of one task does not erase the others.

use super::document::PhaseRecord;
use crate::escape::printable;
use crate::merge_patch;
use indexmap::IndexMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A member of the wrong type.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub(super) struct MergeError {
    path: String,
    problem: String,
}

/// Merges `data` into a phase. On error the phase may be half changed and must be discarded.
pub(super) fn merge_phase(phase: &mut PhaseRecord, data: Map<String, Value>) -> Result<(), MergeError> {
    for (key, value) in data {
        match key.as_str() {
            "status" => phase.status = member::<Option<_>>(&key, value)?.unwrap_or_default(),
            "started_at" => phase.started_at = member(&key, value)?,
            "updated_at" => phase.updated_at = member(&key, value)?,
            "context_summary" => phase.context_summary = member(&key, value)?,
            "files_created" => phase.files_created = member(&key, value)?,
            "files_modified" => phase.files_modified = member(&key, value)?,
            "error" => phase.error = member(&key, value)?,
            "checkpoint_responses" => phase.checkpoint_responses = member(&key, value)?,
            "tasks" => merge_entries(&mut phase.tasks, &key, value)?,
            "steps" => merge_entries(&mut phase.steps, &key, value)?,
            _ if value.is_null() => drop(phase.extra.shift_remove(&key)),
            _ => drop(phase.extra.insert(key, value)),
        }
    }
    Ok(())
}

fn merge_entries<T: Serialize + DeserializeOwned>(
    entries: &mut Option<IndexMap<String, T>>,
    key: &str,
    value: Value,
) -> Result<(), MergeError> {
    let news: Option<Map<String, Value>> = member(key, value)?;
    let Some(news) = news else {
        *entries = None;
        return Ok(());
    };
    let entries = entries.get_or_insert_default();
    for (id, new) in news {
        if new.is_null() {
            entries.shift_remove(&id);
            continue;
        }
        let mut whole = entries.get(&id).and_then(|old| serde_json::to_value(old).ok()).unwrap_or_default();
        merge_patch::apply(&mut whole, &new);
        let entry = member(&format!("{key}.{id}"), whole)?;
        entries.insert(id, entry);
    }
    Ok(())
}

fn member<T: DeserializeOwned>(path: &str, value: Value) -> Result<T, MergeError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let inner = error.path().to_string();
        let path = if inner == "." { path.to_owned() } else { format!("{path}.{inner}") };
        MergeError {
            path: printable(&path).to_string(),
            problem: printable(&error.inner().to_string()).to_string(),
        }
    })
}
