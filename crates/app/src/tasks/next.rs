//! Tasks that can be done next.

use super::listing::SpecTasks;
use charrette_model::implement::{ImplementTask, WorkMode};
use serde::Serialize;

/// Open tasks of a specification: those that can be done now, and those that wait for them.
#[derive(Debug, Clone, Serialize)]
pub struct NextPage {
    pub feature: String,
    pub done: usize,
    pub total: usize,
    /// Tasks whose prerequisites are done, in the order of the specification.
    pub next: Vec<TaskView>,
    /// Tasks that wait for others.
    pub waiting: Vec<WaitingTask>,
}

/// A task for people and programs.
#[derive(Debug, Clone, Serialize)]
pub struct TaskView {
    pub id: String,
    pub title: String,
    /// Its section of `tasks.md`, word for word.
    pub text: String,
    pub phase: u32,
    pub mode: WorkMode,
    /// Files that it may touch; none if the specification does not say.
    pub files: Option<Vec<String>>,
    /// As in `tasks.md`.
    pub proof: String,
    /// True if the specification states no proof, and this one follows from the files.
    pub proof_is_derived: bool,
    /// Prerequisites; all of them are done.
    pub depends_on: Vec<String>,
    pub requirements: Vec<String>,
}

/// A task that waits.
#[derive(Debug, Clone, Serialize)]
pub struct WaitingTask {
    pub id: String,
    pub title: String,
    /// Prerequisites that are not done.
    pub waits_for: Vec<String>,
}

/// Finds the tasks that can be done next.
pub fn find_next(tasks: &SpecTasks) -> NextPage {
    let mut page = NextPage {
        feature: tasks.feature.clone(),
        done: tasks.done_count(),
        total: tasks.plan.tasks.len(),
        next: Vec::new(),
        waiting: Vec::new(),
    };
    for task in tasks.plan.tasks.iter().filter(|task| !task.done) {
        let waits_for = tasks.open_prerequisites(task);
        if waits_for.is_empty() {
            page.next.push(view(task));
        } else {
            let (id, title) = (task.id.clone(), task.title.clone());
            page.waiting.push(WaitingTask { id, title, waits_for });
        }
    }
    page
}

fn view(task: &ImplementTask) -> TaskView {
    let files = task.files.patterns.iter().map(|pattern| pattern.path.clone()).collect();
    TaskView {
        id: task.id.clone(),
        title: task.title.clone(),
        text: task.text.clone(),
        phase: task.phase,
        mode: task.mode,
        files: (!task.files.is_unknown).then_some(files),
        proof: task.proof.proof.to_string(),
        proof_is_derived: task.proof.is_derived,
        depends_on: task.depends_on.clone(),
        requirements: task.requirements.clone(),
    }
}
