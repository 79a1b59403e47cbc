//! The difference of two versions of a document, as a merge patch.
//!
//! Most changes leave most of a document alone, so members are compared before they are turned into JSON: the
//! cost of a patch follows the size of the change, not of the document.

use super::document::{Checkpoint, PhaseRecord};
use crate::merge_patch::{diff, without_nulls};
use crate::stamp::Stamp;
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A document in the form of the history: without null members, which a merge patch cannot express.
pub fn compact(document: &Checkpoint) -> Value {
    json(document)
}

/// The merge patch from one compact document to another.
pub fn patch(before: &Checkpoint, after: &Checkpoint) -> Value {
    // Destructured without `..`, so that no member can be forgotten here.
    let Checkpoint {
        version,
        command,
        feature,
        head_commit,
        started_at,
        updated_at,
        completed_at,
        state,
        run,
        gates,
        phases,
        gate,
        spec_path,
        vercel,
        extra,
    } = after;
    let mut patch = Patch::default();
    patch.member("version", &before.version, version);
    patch.member("command", &before.command, command);
    patch.member("feature", &before.feature, feature);
    patch.member("head_commit", &before.head_commit, head_commit);
    patch.member("started_at", &stamp_text(before.started_at.as_ref()), &stamp_text(started_at.as_ref()));
    patch.member("updated_at", &stamp_text(before.updated_at.as_ref()), &stamp_text(updated_at.as_ref()));
    patch.member(
        "completed_at",
        &stamp_text(before.completed_at.as_ref()),
        &stamp_text(completed_at.as_ref()),
    );
    patch.member("state", &before.state, state);
    patch.member("run", &before.run, run);
    patch.member("gates", &non_empty(&before.gates), &non_empty(gates));
    patch.member("gate", &before.gate, gate);
    patch.member("spec_path", &before.spec_path, spec_path);
    patch.member("vercel", &before.vercel, vercel);
    patch.members(&before.extra, extra);
    let same = |old: &Arc<PhaseRecord>, new: &Arc<PhaseRecord>| Arc::ptr_eq(old, new) || old == new;
    patch.add("phases", patch_entries(&before.phases, phases, same, |old, new| patch_phase(old, new)));
    Value::Object(patch.0)
}

fn patch_phase(before: &PhaseRecord, after: &PhaseRecord) -> Value {
    let PhaseRecord {
        status,
        started_at,
        updated_at,
        context_summary,
        files_created,
        files_modified,
        error,
        checkpoint_responses,
        tasks,
        steps,
        extra,
    } = after;
    let mut patch = Patch::default();
    patch.member("status", &before.status, status);
    patch.member("started_at", &stamp_text(before.started_at.as_ref()), &stamp_text(started_at.as_ref()));
    patch.member("updated_at", &stamp_text(before.updated_at.as_ref()), &stamp_text(updated_at.as_ref()));
    patch.member("context_summary", &before.context_summary, context_summary);
    patch.member("files_created", &before.files_created, files_created);
    patch.member("files_modified", &before.files_modified, files_modified);
    patch.member("error", &before.error, error);
    patch.member("checkpoint_responses", &before.checkpoint_responses, checkpoint_responses);
    patch.members(&before.extra, extra);
    patch.add("tasks", patch_optional(before.tasks.as_ref(), tasks.as_ref(), PartialEq::eq));
    let is_same = |old: &Arc<_>, new: &Arc<_>| Arc::ptr_eq(old, new) || old == new;
    patch.add("steps", patch_optional(before.steps.as_ref(), steps.as_ref(), is_same));
    Value::Object(patch.0)
}

/// A patch under construction.
#[derive(Default)]
struct Patch(Map<String, Value>);

impl Patch {
    /// Adds the change of a member, if any. An absent member serialises as null.
    fn member<T: PartialEq + Serialize>(&mut self, name: &str, before: &T, after: &T) {
        if before != after {
            let (before, after) = (json(before), json(after));
            self.add(name, (before != after).then(|| diff(&before, &after)));
        }
    }

    /// Adds the changes of unknown members, which are siblings of the known ones.
    fn members(&mut self, before: &Map<String, Value>, after: &Map<String, Value>) {
        if before != after
            && let Value::Object(members) = diff(&json(before), &json(after))
        {
            self.0.extend(members);
        }
    }

    fn add(&mut self, name: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value);
        }
    }
}

/// Compares by text: stamps of the same moment can differ in text.
fn stamp_text(stamp: Option<&Stamp>) -> Option<&str> {
    stamp.map(Stamp::as_str)
}

/// An empty map is absent from the document.
fn non_empty<T>(entries: &IndexMap<String, T>) -> Option<&IndexMap<String, T>> {
    (!entries.is_empty()).then_some(entries)
}

fn patch_optional<T: Serialize>(
    before: Option<&IndexMap<String, T>>,
    after: Option<&IndexMap<String, T>>,
    same: impl Fn(&T, &T) -> bool,
) -> Option<Value> {
    match (before, after) {
        (Some(before), Some(after)) => {
            patch_entries(before, after, same, |old, new| diff(&json(old), &json(new)))
        }
        (None, None) => None,
        (_, Some(after)) => Some(json(after)),
        (Some(_), None) => Some(Value::Null),
    }
}

/// `None` if nothing changed.
fn patch_entries<T: Serialize>(
    before: &IndexMap<String, T>,
    after: &IndexMap<String, T>,
    same: impl Fn(&T, &T) -> bool,
    patch_entry: impl Fn(&T, &T) -> Value,
) -> Option<Value> {
    let removed =
        before.keys().filter(|name| !after.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    let changed = after.iter().filter_map(|(name, new)| match before.get(name) {
        Some(old) if same(old, new) => None,
        Some(old) => Some((name.clone(), patch_entry(old, new))),
        None => Some((name.clone(), json(new))),
    });
    let patch: Map<String, Value> = removed.chain(changed).collect();
    (!patch.is_empty()).then_some(Value::Object(patch))
}

fn json(value: &impl Serialize) -> Value {
    without_nulls(serde_json::to_value(value).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::read;
    use crate::merge_patch::apply;
    use serde_json::json;

    fn document(phases: &Value, more: &Value) -> Checkpoint {
        let mut value = json!({"version": 1, "command": "design", "phases": phases});
        apply(&mut value, more);
        read(value.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_patch_leads_from_any_version_to_any_other() {
        let step = |status: &str| json!({"status": status, "inputs": {"a": "1"}});
        let versions = [
            document(&json!({}), &json!({})),
            document(
                &json!({"research": {"status": "complete", "odd": {"x": 1}}}),
                &json!({"feature": "x", "mine": {"y": [1]}}),
            ),
            document(
                &json!({"research": {"status": "failed", "tasks": {"T1": {"status": "pending"}}}}),
                &json!({"state": {"pending_phases": ["a"]}}),
            ),
            document(
                &json!({"research": {"tasks": {"T1": {"status": "complete"}, "T2": {}}, "steps": {"s/1": step("done"), "s/2": step("failed")}}, "write": {}}),
                &json!({"gates": {"g": {"state": "approved"}}}),
            ),
            document(
                &json!({"write": {"steps": {"s/2": step("done")}, "context_summary": "new"}}),
                &json!({"run": {"id": "1"}, "completed_at": "2026-01-01T00:00:00Z"}),
            ),
            document(
                &json!({"write": {"started_at": "2026-01-01T00:00:00Z", "tasks": {}, "error": "", "odd": {"x": 2, "z": []}}}),
                &json!({"run": {"id": "1", "flags": {"a": true}, "odd": 1}, "completed_at": "2026-01-01T01:00:00+01:00",
                    "gate": {"ship_allowed": true}, "vercel": {"preview_url": "x"}, "spec_path": "y", "mine": {"y": [2], "z": 1}}),
            ),
        ];
        for before in &versions {
            for after in &versions {
                let mut value = compact(before);
                apply(&mut value, &patch(before, after));
                assert_eq!(value, compact(after));
            }
        }
    }

    #[test]
    fn a_patch_holds_only_what_changed() {
        let before = document(
            &json!({"a": {"steps": {"1": {"status": "done"}, "2": {"status": "running"}}}, "b": {}}),
            &json!({}),
        );
        let mut after = before.clone();
        let steps = Arc::make_mut(&mut after.phases["a"]).steps.as_mut().unwrap();
        Arc::make_mut(&mut steps["2"]).attempt = Some(2);
        assert_eq!(patch(&before, &after), json!({"phases": {"a": {"steps": {"2": {"attempt": 2}}}}}));
        assert_eq!(patch(&before, &before), json!({}));
    }
}
