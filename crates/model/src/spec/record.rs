//! `spec.json`: the machine-readable record of a specification.
//!
//! The file is committed, so edits are minimal: [`with_task_done`], [`with_approval`] and [`with_status`] edit
//! the given document and keep its order and its unknown members. [`SpecRecord`] is for parsing, and for
//! writing the first one.

use super::approval::Approval;
use super::ids::SpecId;
use super::tasks::TaskList;
use crate::escape::printable;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The whole document. Unknown members are kept in `other`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpecRecord {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_feature: Option<String>,
    /// [`DRAFT`] or [`APPROVED`].
    pub status: String,
    /// Date of creation.
    pub created: String,
    /// Date of the last change.
    pub updated: String,
    pub author: String,
    pub version: String,
    /// File names by kind.
    pub files: IndexMap<String, String>,
    /// Names of the phases.
    pub phases: Vec<String>,
    pub tasks: Vec<TaskRecord>,
    /// Issue in the tracker, once created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linear: Option<LinearIssue>,
    /// Unknown members.
    #[serde(flatten)]
    pub other: IndexMap<String, Value>,
}

/// Task of a specification.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskRecord {
    /// Such as `T001`.
    pub id: String,
    pub title: String,
    /// `pending`, `in_progress` or `complete`.
    pub status: String,
    pub assignee: Option<String>,
    /// Unknown members.
    #[serde(flatten)]
    pub other: IndexMap<String, Value>,
}

/// Linear issue of a specification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinearIssue {
    /// Such as `BASE-123`.
    pub identifier: String,
    pub url: String,
}

/// Status before approval.
pub const DRAFT: &str = "draft";
/// Status after approval.
pub const APPROVED: &str = "approved";
const PENDING: &str = "pending";
const COMPLETE: &str = "complete";

impl SpecRecord {
    /// The first record of a specification, from its tasks.
    pub fn draft(name: &str, tasks: &TaskList, today: &str) -> SpecRecord {
        let file = |kind: &str, name: &str| (kind.to_owned(), name.to_owned());
        let files = [
            file("requirements", "requirements.md"),
            file("design", "design.md"),
            file("tasks", "tasks.md"),
            file("summary", "summary.md"),
            file("meta", "meta.yaml"),
        ];
        let task = |task: &super::tasks::Task| TaskRecord {
            id: task.id.to_string(),
            title: task.title.clone(),
            status: if task.done { COMPLETE } else { PENDING }.to_owned(),
            ..TaskRecord::default()
        };
        SpecRecord {
            name: name.to_owned(),
            status: DRAFT.to_owned(),
            created: today.to_owned(),
            updated: today.to_owned(),
            author: "plan-agent".to_owned(),
            version: "1.0.0".to_owned(),
            files: files.into_iter().collect(),
            phases: tasks.phase_names(),
            tasks: tasks.tasks.iter().map(task).collect(),
            ..SpecRecord::default()
        }
    }

    /// Parses a document. Missing members are empty; `_note…` members of a template are dropped.
    pub fn parse(text: &str) -> Result<SpecRecord, RecordError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut json = serde_json::Deserializer::from_str(text);
        let mut record: SpecRecord = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            if error.inner().is_data() {
                RecordError::Shape(format!("{}: {}", error.path(), error.inner()))
            } else {
                RecordError::NotJson(error.inner().to_string())
            }
        })?;
        json.end().map_err(|error| RecordError::NotJson(error.to_string()))?;
        record.other.retain(|key, _| !key.starts_with("_note"));
        for task in &mut record.tasks {
            task.other.retain(|key, _| !key.starts_with("_note"));
        }
        Ok(record)
    }

    pub fn to_text(&self) -> String {
        // Serialisation fails for non-string keys only, and a record has none.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Marks a task as complete. An unknown task is added.
pub fn with_task_done(text: &str, id: &SpecId, title: &str, today: &str) -> Result<String, RecordError> {
    edit_document(text, |spec| {
        let tasks = spec.entry("tasks").or_insert_with(|| json!([]));
        let Value::Array(tasks) = tasks else {
            return Err(RecordError::Shape("tasks: expected a list".to_owned()));
        };
        let is_it = |task: &Value| {
            let spelled = task.get("id").and_then(Value::as_str);
            spelled.and_then(SpecId::parse).is_some_and(|other| other == *id)
        };
        match tasks.iter_mut().find(|task| is_it(task)) {
            Some(task) => task["status"] = json!(COMPLETE),
            None => tasks
                .push(json!({"id": id.to_string(), "title": title, "status": COMPLETE, "assignee": null})),
        }
        spec.insert("updated".to_owned(), json!(today));
        Ok(())
    })
}

/// Marks the document as approved, with the tracker's issue if there is one.
pub fn with_approval(text: &str, issue: Option<&LinearIssue>, today: &str) -> Result<String, RecordError> {
    edit_document(text, |spec| {
        spec.insert("status".to_owned(), json!(APPROVED));
        if let Some(issue) = issue {
            spec.insert("linear".to_owned(), json!({"identifier": issue.identifier, "url": issue.url}));
        }
        spec.insert("updated".to_owned(), json!(today));
        Ok(())
    })
}

/// Records who approved which text, and when; without an approval, removes the record.
pub fn with_approved_text(text: &str, approval: Option<&Approval>) -> Result<String, RecordError> {
    edit_document(text, |spec| {
        match approval {
            Some(approval) => drop(spec.insert("approved".to_owned(), json!(approval))),
            None => drop(spec.shift_remove("approved")),
        }
        Ok(())
    })
}

/// Changes the status of the document.
pub fn with_status(text: &str, status: &str, today: &str) -> Result<String, RecordError> {
    edit_document(text, |spec| {
        spec.insert("status".to_owned(), json!(status));
        spec.insert("updated".to_owned(), json!(today));
        Ok(())
    })
}

fn edit_document(
    text: &str,
    change: impl FnOnce(&mut Map<String, Value>) -> Result<(), RecordError>,
) -> Result<String, RecordError> {
    let json = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut value: Value =
        serde_json::from_str(json).map_err(|error| RecordError::NotJson(error.to_string()))?;
    let Value::Object(spec) = &mut value else {
        return Err(RecordError::Shape("expected an object".to_owned()));
    };
    change(spec)?;
    let end = if json.ends_with('\n') { "\n" } else { "" };
    // A value parsed from JSON can be serialised again.
    Ok(serde_json::to_string_pretty(&value).unwrap_or_default() + end)
}

/// Invalid `spec.json`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("spec.json is not JSON: {}", printable(.0))]
    NotJson(String),
    /// Valid JSON, but not a `spec.json`.
    #[error("spec.json: {}", printable(.0))]
    Shape(String),
}
