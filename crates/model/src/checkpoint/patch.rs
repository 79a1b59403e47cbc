//! What changed between two versions of a document, as a merge patch.
//!
//! Most of a document does not change most of the time, so phases, tasks and steps are compared before they
//! are turned into JSON: the cost of a patch follows the size of the change, not of the document.

use super::document::{Checkpoint, Phase};
use crate::merge_patch::{diff, without_nulls};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A document as history keeps it: without null members, which a merge patch cannot express.
pub fn compact(document: &Checkpoint) -> Value {
    json(document)
}

/// The merge patch from one compact document to another.
pub fn patch(before: &Checkpoint, after: &Checkpoint) -> Value {
    let mut patch = diff(&json(&without_phases(before)), &json(&without_phases(after)));
    let same = |old: &Arc<Phase>, new: &Arc<Phase>| Arc::ptr_eq(old, new) || old == new;
    let phases = patch_entries(&before.phases, &after.phases, same, |old, new| patch_phase(old, new));
    add(&mut patch, "phases", phases);
    patch
}

fn patch_phase(before: &Phase, after: &Phase) -> Value {
    let mut patch = diff(&json(&without_entries(before)), &json(&without_entries(after)));
    add(&mut patch, "tasks", patch_optional(before.tasks.as_ref(), after.tasks.as_ref()));
    add(&mut patch, "steps", patch_optional(before.steps.as_ref(), after.steps.as_ref()));
    patch
}

fn patch_optional<T: PartialEq + Serialize>(
    before: Option<&IndexMap<String, T>>,
    after: Option<&IndexMap<String, T>>,
) -> Option<Value> {
    match (before, after) {
        (Some(before), Some(after)) => {
            patch_entries(before, after, PartialEq::eq, |old, new| diff(&json(old), &json(new)))
        }
        (None, None) => None,
        (_, Some(after)) => Some(json(after)),
        (Some(_), None) => Some(Value::Null),
    }
}

/// None if nothing changed.
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

fn add(patch: &mut Value, member: &str, value: Option<Value>) {
    if let (Value::Object(members), Some(value)) = (patch, value) {
        members.insert(member.to_owned(), value);
    }
}

fn json(value: &impl Serialize) -> Value {
    without_nulls(serde_json::to_value(value).unwrap_or_default())
}

/// The document without its phases. Members are named one by one, so that none can be forgotten here.
fn without_phases(document: &Checkpoint) -> Checkpoint {
    Checkpoint {
        version: document.version,
        command: document.command.clone(),
        feature: document.feature.clone(),
        head_commit: document.head_commit.clone(),
        started_at: document.started_at.clone(),
        updated_at: document.updated_at.clone(),
        completed_at: document.completed_at.clone(),
        state: document.state.clone(),
        run: document.run.clone(),
        gates: document.gates.clone(),
        phases: IndexMap::new(),
        gate: document.gate.clone(),
        spec_path: document.spec_path.clone(),
        vercel: document.vercel.clone(),
        extra: document.extra.clone(),
    }
}

/// The phase without its tasks and steps.
fn without_entries(phase: &Phase) -> Phase {
    Phase {
        status: phase.status,
        started_at: phase.started_at.clone(),
        updated_at: phase.updated_at.clone(),
        context_summary: phase.context_summary.clone(),
        files_created: phase.files_created.clone(),
        files_modified: phase.files_modified.clone(),
        error: phase.error.clone(),
        checkpoint_responses: phase.checkpoint_responses.clone(),
        tasks: None,
        steps: None,
        extra: phase.extra.clone(),
    }
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
        Arc::make_mut(&mut after.phases["a"]).steps.as_mut().unwrap()["2"].attempt = Some(2);
        assert_eq!(patch(&before, &after), json!({"phases": {"a": {"steps": {"2": {"attempt": 2}}}}}));
        assert_eq!(patch(&before, &before), json!({}));
    }
}
