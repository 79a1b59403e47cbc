//! Progress of the tasks of a run, for people and other programs. Nothing is decided by it: the steps are the truth.

use super::document::{Checkpoint, ImplementationTask};
use super::transition::{TransitionContext, TransitionError, stamp};
use std::sync::Arc;

/// Tasks of a phase as they stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskNotes {
    pub tasks: Vec<TaskNote>,
    /// Files that the finished tasks changed.
    pub files_modified: Vec<String>,
}

/// State of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskNote {
    pub id: String,
    pub title: String,
    pub status: TaskStatus,
}

/// Status of a task in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
    Pending,
    InProgress,
    /// Waits for a person.
    Waiting,
    Complete,
    Skipped,
}

impl TaskStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            TaskStatus::Pending => "pending",
            TaskStatus::InProgress => "in_progress",
            TaskStatus::Waiting => "waiting",
            TaskStatus::Complete => "complete",
            TaskStatus::Skipped => "skipped",
        }
    }
}

/// Notes the tasks of a phase: `phases.<phase>.tasks`, its `files_modified`, and `state.current_task`, the first one that is
/// in progress. A run that is resumed passes its finished tasks again: what is complete stays so, and files are only added.
pub fn note_tasks(
    mut document: Checkpoint,
    phase: &str,
    notes: &TaskNotes,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let record = Arc::make_mut(document.phases.entry(phase.to_owned()).or_default());
    let tasks = record.tasks.get_or_insert_default();
    let mut current = None;
    for note in &notes.tasks {
        let task: &mut ImplementationTask = tasks.entry(note.id.clone()).or_default();
        if !is_noted(Some(task), note) {
            task.status = Some(note.status.as_str().to_owned());
            task.description = Some(note.title.clone());
        }
        current = current.or_else(|| is_current(note, task).then(|| note.id.clone()));
    }
    let mut files = record.files_modified.take().unwrap_or_default();
    files.extend(
        notes.files_modified.iter().filter(|path| !files.contains(path)).cloned().collect::<Vec<_>>(),
    );
    files.sort();
    record.files_modified = (!files.is_empty()).then_some(files);
    document.state.current_task = current;
    stamp(document, previous.as_ref(), context)
}

/// True if a document says the same about the tasks of a phase.
pub fn has_notes(document: &Checkpoint, phase: &str, notes: &TaskNotes) -> bool {
    let Some(record) = document.phases.get(phase) else { return false };
    let task = |id: &str| record.tasks.as_ref().and_then(|tasks| tasks.get(id));
    let files = record.files_modified.as_deref().unwrap_or_default();
    let current = notes.tasks.iter().find(|note| task(&note.id).is_some_and(|task| is_current(note, task)));
    notes.tasks.iter().all(|note| is_noted(task(&note.id), note))
        && notes.files_modified.iter().all(|path| files.contains(path))
        && document.state.current_task == current.map(|note| note.id.clone())
}

fn is_current(note: &TaskNote, task: &ImplementationTask) -> bool {
    note.status == TaskStatus::InProgress && task.status.as_deref() == Some(note.status.as_str())
}

/// True if the record of a task says what the note does, or says that it is complete while the note passes it again.
fn is_noted(task: Option<&ImplementationTask>, note: &TaskNote) -> bool {
    let status = task.and_then(|task| task.status.as_deref());
    let is_passed_again = matches!(note.status, TaskStatus::Pending | TaskStatus::InProgress);
    status == Some(note.status.as_str()) || (is_passed_again && status == Some(TaskStatus::Complete.as_str()))
}
