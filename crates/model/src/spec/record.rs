//! `spec.json`: what a specification is made of, for machines.
//!
//! The file is committed, so a change touches only what changed: [`with_task_done`] and [`with_approval`] edit
//! the document they are given and keep its order and its unknown members. [`SpecRecord`] is for reading it and
//! for writing the first one.

use super::ids::Id;
use super::tasks::TaskList;
use crate::shown::shown;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The whole document. Members nobody here knows survive in `other`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpecRecord {
    /// The specification's name.
    pub name: String,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_project: Option<String>,
    /// The feature it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_feature: Option<String>,
    /// `draft` or `approved`.
    pub status: String,
    /// The day it was made.
    pub created: String,
    /// The day it last changed.
    pub updated: String,
    /// Who wrote it.
    pub author: String,
    /// Its version.
    pub version: String,
    /// Its files, by what they are.
    pub files: IndexMap<String, String>,
    /// The names of its phases.
    pub phases: Vec<String>,
    /// Its tasks.
    pub tasks: Vec<TaskRecord>,
    /// The tracker's issue, once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linear: Option<LinearIssue>,
    /// Everything else.
    #[serde(flatten)]
    pub other: IndexMap<String, Value>,
}

/// One task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskRecord {
    /// Its id: `T001`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// `pending`, `in_progress` or `complete`.
    pub status: String,
    /// Who works on it.
    pub assignee: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub other: IndexMap<String, Value>,
}

/// An issue in the tracker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinearIssue {
    /// What people call it: `BASE-123`.
    pub identifier: String,
    /// Where it is.
    pub url: String,
}

/// The status of a specification that nobody approved yet.
pub const DRAFT: &str = "draft";
/// The status of one that somebody did.
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

    /// Reads a document. Members that are missing are empty; a template's notes are dropped.
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

    /// The document's text.
    pub fn text(&self) -> String {
        // A record has only text keys, which is all that could fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// The document with one task complete. A task it does not know is added.
pub fn with_task_done(text: &str, id: &Id, title: &str, today: &str) -> Result<String, RecordError> {
    edited(text, |spec| {
        let tasks = spec.entry("tasks").or_insert_with(|| json!([]));
        let Value::Array(tasks) = tasks else {
            return Err(RecordError::Shape("tasks: expected a list".to_owned()));
        };
        let is_it = |task: &Value| {
            let spelled = task.get("id").and_then(Value::as_str);
            spelled.and_then(Id::parse).is_some_and(|other| other == *id)
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

/// The document approved, with the tracker's issue if there is one.
pub fn with_approval(text: &str, issue: Option<&LinearIssue>, today: &str) -> Result<String, RecordError> {
    edited(text, |spec| {
        spec.insert("status".to_owned(), json!(APPROVED));
        if let Some(issue) = issue {
            spec.insert("linear".to_owned(), json!({"identifier": issue.identifier, "url": issue.url}));
        }
        spec.insert("updated".to_owned(), json!(today));
        Ok(())
    })
}

/// The document with another status.
pub fn with_status(text: &str, status: &str, today: &str) -> Result<String, RecordError> {
    edited(text, |spec| {
        spec.insert("status".to_owned(), json!(status));
        spec.insert("updated".to_owned(), json!(today));
        Ok(())
    })
}

fn edited(
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
    // A value that came from JSON goes back to JSON.
    Ok(serde_json::to_string_pretty(&value).unwrap_or_default() + end)
}

/// A `spec.json` that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Not JSON.
    #[error("spec.json is not JSON: {}", shown(.0))]
    NotJson(String),
    /// JSON of another shape.
    #[error("spec.json: {}", shown(.0))]
    Shape(String),
}
