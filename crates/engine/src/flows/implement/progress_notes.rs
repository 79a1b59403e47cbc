//! Notes in the state document about the tasks of a run: which are at work, done or waiting, and what they changed.

use super::state::RunState;
use super::work::Work;
use crate::run::PhaseHandle;
use crate::stop::FlowResult;
use charrette_model::checkpoint::tasks::{TaskNote, TaskNotes, TaskStatus};
use charrette_model::implement::TaskState;
use std::collections::BTreeSet;

/// Notes the tasks; `at_work` are the ids of those that are at work now.
pub(super) async fn note_progress(
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &RunState,
    at_work: &[&str],
) -> FlowResult<()> {
    let status = |id: &str| match state.state(id) {
        _ if at_work.contains(&id) => TaskStatus::InProgress,
        TaskState::Integrated => TaskStatus::Complete,
        TaskState::Skipped => TaskStatus::Skipped,
        TaskState::Parked => TaskStatus::Waiting,
        TaskState::Pending | TaskState::Running | TaskState::Left => TaskStatus::Pending,
    };
    let tasks = work.plan().tasks.iter().map(|task| TaskNote {
        id: task.id.clone(),
        title: task.title.clone(),
        status: status(&task.id),
    });
    let files: BTreeSet<&String> = state.integrated.values().flat_map(|task| &task.files).collect();
    let notes = TaskNotes { tasks: tasks.collect(), files_modified: files.into_iter().cloned().collect() };
    phase.run.journal.note_tasks(&phase.name, notes).await
}
