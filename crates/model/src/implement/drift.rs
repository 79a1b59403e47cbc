//! Drift between a specification and its implementation: every requirement needs a task that is done and a test or a
//! reason, every changed file a task it belongs to.

use super::proof::Proof;
use super::schedule::TaskState;
use super::task::{ImplementTask, TaskPlan};
use super::verdict::ProofVerdict;
use crate::escape::one_line;
use crate::spec::ids::{IdKind, SpecId};
use crate::spec::requirements::Requirements;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What became of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskResult {
    pub state: TaskState,
    /// None if its proof was not judged in this run.
    pub verdict: Option<ProofVerdict>,
    /// Files that its commits changed.
    pub files: Vec<String>,
}

/// The table of a whole implementation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftTable {
    pub requirements: Vec<RequirementRow>,
    pub files: Vec<FileRow>,
}

/// A requirement and what stands for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequirementRow {
    pub id: String,
    pub text: String,
    pub tasks: Vec<String>,
    pub status: RequirementStatus,
    /// Proofs that hold, or the reasons for having none.
    pub shown_by: Vec<String>,
}

/// Status of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequirementStatus {
    /// Its tasks are done, and a proof or a reason stands for it.
    Met,
    /// No task covers it.
    Uncovered,
    /// A task that covers it is not done.
    Undone,
    /// The tasks that cover it and are not done were not selected for this run.
    Left,
    /// Its tasks are done, and no proof holds.
    Unproven,
}

/// A changed file and the tasks it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRow {
    pub path: String,
    /// Tasks that changed it or name it; none is drift.
    pub tasks: Vec<String>,
}

impl DriftTable {
    /// True if nothing drifted.
    pub fn is_clean(&self) -> bool {
        self.problems().is_empty()
    }

    /// Requirements that wait for tasks which were not selected.
    pub fn left(&self) -> Vec<&str> {
        let left = self.requirements.iter().filter(|row| row.status == RequirementStatus::Left);
        left.map(|row| row.id.as_str()).collect()
    }

    /// What drifted and what is left for another run, one sentence each; empty if everything is met.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.problems();
        let left = self.left();
        if !left.is_empty() {
            remarks.push(format!("left to tasks that were not selected: {}", left.join(", ")));
        }
        remarks
    }

    /// What drifted, one sentence each.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for row in &self.requirements {
            let tasks = row.tasks.join(", ");
            match row.status {
                RequirementStatus::Met | RequirementStatus::Left => {}
                RequirementStatus::Uncovered => problems.push(format!("{} has no task", row.id)),
                RequirementStatus::Undone => problems.push(format!("{} is not done: {tasks}", row.id)),
                RequirementStatus::Unproven => problems.push(format!("{} is not proven: {tasks}", row.id)),
            }
        }
        let orphans = self.files.iter().filter(|row| row.tasks.is_empty());
        problems.extend(orphans.map(|row| format!("{} belongs to no task", one_line(&row.path))));
        problems
    }

    /// The tables as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = String::from("| requirement | tasks | status | shown by |\n|---|---|---|---|\n");
        for row in &self.requirements {
            let status = match row.status {
                RequirementStatus::Met => "met",
                RequirementStatus::Uncovered => "**no task**",
                RequirementStatus::Undone => "**not done**",
                RequirementStatus::Left => "left for another run",
                RequirementStatus::Unproven => "**not proven**",
            };
            let (tasks, shown) = (cell(&row.tasks.join(", ")), cell(&row.shown_by.join("; ")));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| {} | {tasks} | {status} | {shown} |", cell(&row.id));
        }
        text.push_str("\n| changed file | tasks |\n|---|---|\n");
        for row in &self.files {
            let tasks = if row.tasks.is_empty() { "**none**".to_owned() } else { row.tasks.join(", ") };
            let _ = writeln!(text, "| {} | {tasks} |", cell(&row.path));
        }
        text
    }
}

/// Text for one cell of a table.
pub(super) fn cell(text: &str) -> String {
    let text = one_line(text).replace('|', "\\|");
    if text.is_empty() { "–".to_owned() } else { text }
}

/// Compares a specification with what was done. `changed` are the files of the whole change.
pub fn find_drift(
    requirements_md: &str,
    plan: &TaskPlan,
    results: &BTreeMap<String, TaskResult>,
    changed: &[String],
) -> DriftTable {
    let requirements = Requirements::parse(requirements_md).requirements;
    let rows = requirements.iter().map(|requirement| {
        let covering: Vec<&ImplementTask> =
            plan.tasks.iter().filter(|task| covers(task, &requirement.id)).collect();
        let (status, shown_by) = judge(&covering, results);
        RequirementRow {
            id: requirement.id.to_string(),
            text: requirement.text.clone(),
            tasks: covering.iter().map(|task| task.id.clone()).collect(),
            status,
            shown_by,
        }
    });
    let owners = |path: &String| {
        let changed_it =
            |task: &ImplementTask| results.get(&task.id).is_some_and(|result| result.files.contains(path));
        let names_it = |task: &ImplementTask| !task.files.is_unknown && task.files.covers(path);
        let owners = plan.tasks.iter().filter(|task| changed_it(task) || names_it(task));
        owners.map(|task| task.id.clone()).collect()
    };
    let files = changed.iter().map(|path| FileRow { path: path.clone(), tasks: owners(path) });
    DriftTable { requirements: rows.collect(), files: files.collect() }
}

/// True if a task covers a requirement by its id, or by the story it belongs to.
fn covers(task: &ImplementTask, id: &SpecId) -> bool {
    let names =
        |wanted: &SpecId| task.requirements.iter().any(|named| SpecId::parse(named).as_ref() == Some(wanted));
    let story = (id.kind == IdKind::Requirement).then(|| {
        let number = id.number.split('.').next().unwrap_or_default().to_owned();
        SpecId { kind: IdKind::Story, number }
    });
    names(id) || story.is_some_and(|story| names(&story))
}

fn judge(
    tasks: &[&ImplementTask],
    results: &BTreeMap<String, TaskResult>,
) -> (RequirementStatus, Vec<String>) {
    if tasks.is_empty() {
        return (RequirementStatus::Uncovered, Vec::new());
    }
    let is_done = |task: &ImplementTask| {
        results.get(&task.id).map_or(task.done, |result| result.state == TaskState::Integrated)
    };
    let is_left =
        |task: &ImplementTask| results.get(&task.id).is_some_and(|result| result.state == TaskState::Left);
    let mut undone = tasks.iter().filter(|task| !is_done(task)).peekable();
    if undone.peek().is_some() {
        let all_left = undone.all(|task| is_left(task));
        let status = if all_left { RequirementStatus::Left } else { RequirementStatus::Undone };
        return (status, Vec::new());
    }
    let shown: Vec<String> = tasks.iter().filter_map(|task| shown_by(task, results.get(&task.id))).collect();
    let status = if shown.is_empty() { RequirementStatus::Unproven } else { RequirementStatus::Met };
    (status, shown)
}

/// The proof that holds for a task, or the reason for having none.
fn shown_by(task: &ImplementTask, result: Option<&TaskResult>) -> Option<String> {
    match &task.proof.proof {
        Proof::None(reason) => Some(format!("none: {reason}")),
        _ if task.done && result.is_none_or(|result| result.verdict.is_none()) => {
            Some(task.proof.to_string())
        }
        _ => result?.verdict.filter(|verdict| verdict.holds()).map(|_| task.proof.to_string()),
    }
}
