//! Order of work: which tasks may begin now, side by side.
//!
//! A task waits for its prerequisites, and two tasks that may touch the same file are never at work at the same time.
//! [`next_tasks`] decides step by step, from what is known about each task; [`waves`] is the preview, in which all
//! tasks of a wave end before the next one begins.

use super::task::{ImplementTask, TaskPlan, WorkMode};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// State of a task in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    /// Waits for its turn.
    #[default]
    Pending,
    /// At work.
    Running,
    /// Its work is part of the integrated tree, or was before the run.
    Integrated,
    /// A person decided not to do it; what depends on it is not done either.
    Skipped,
    /// Waits for a person; what depends on it waits as well.
    Parked,
    /// Not selected for this run.
    Left,
}

/// States of the tasks of a run by id. A task that is not listed is pending, or integrated if the plan says it is done.
pub type TaskStates = BTreeMap<String, TaskState>;

/// What can begin now, and what cannot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextTasks {
    /// Tasks of agents to start now, in order.
    pub start: Vec<String>,
    /// Tasks of people to ask about now, in order.
    pub ask: Vec<String>,
    /// Pending tasks that can never begin because a prerequisite was skipped or not selected.
    pub skipped: Vec<String>,
    /// Pending tasks that wait for a prerequisite or for a file in use, with the reason.
    pub waiting: Vec<Waiting>,
}

/// A task that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    pub id: String,
    pub reason: WaitReason,
    /// The task it waits for.
    pub other: String,
}

/// Why a task waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitReason {
    Prerequisite,
    /// The prerequisite waits for a person.
    Parked,
    /// The other one may touch the same file.
    SameFile,
    /// As many tasks are at work as allowed.
    Limit,
}

impl NextTasks {
    /// True if nothing is left to do, to ask, or to wait for.
    pub fn is_finished(&self) -> bool {
        self.start.is_empty() && self.ask.is_empty() && self.waiting.is_empty()
    }
}

/// Decides which tasks begin now. At most `limit` tasks of agents are at work at the same time, those that run already
/// included; tasks of people do not count.
pub fn next_tasks(plan: &TaskPlan, states: &TaskStates, limit: usize) -> NextTasks {
    let table = StateTable { plan, states };
    let mut busy: Vec<&ImplementTask> =
        plan.tasks.iter().filter(|task| table.state(task) == TaskState::Running).collect();
    let mut agents = busy.iter().filter(|task| task.mode != WorkMode::Human).count();
    let mut next = NextTasks::default();
    let lost = table.lost_tasks();
    for task in plan.tasks.iter().filter(|task| table.state(task) == TaskState::Pending) {
        let id = task.id.clone();
        if lost.contains(&task.id.as_str()) {
            next.skipped.push(id);
            continue;
        }
        if let Some((reason, other)) = table.unmet(task) {
            next.waiting.push(Waiting { id, reason, other });
            continue;
        }
        if let Some(other) = busy.iter().find(|other| task.files.overlaps(&other.files)) {
            next.waiting.push(Waiting { id, reason: WaitReason::SameFile, other: other.id.clone() });
            continue;
        }
        if task.mode == WorkMode::Human {
            next.ask.push(id);
        } else if agents < limit {
            next.start.push(id);
            agents += 1;
        } else {
            let other = busy.last().map(|other| other.id.clone()).unwrap_or_default();
            next.waiting.push(Waiting { id, reason: WaitReason::Limit, other });
            continue;
        }
        busy.push(task);
    }
    next
}

/// The waves of a run as they would be if all tasks of a wave ended before the next one begins.
pub fn waves(plan: &TaskPlan, states: &TaskStates, limit: usize) -> Vec<Vec<String>> {
    let mut states = states.clone();
    let mut waves = Vec::new();
    loop {
        let next = next_tasks(plan, &states, limit.max(1));
        let wave: Vec<String> = plan
            .tasks
            .iter()
            .map(|task| task.id.clone())
            .filter(|id| next.start.contains(id) || next.ask.contains(id))
            .collect();
        if wave.is_empty() {
            return waves;
        }
        states.extend(wave.iter().map(|id| (id.clone(), TaskState::Integrated)));
        waves.push(wave);
    }
}

struct StateTable<'a> {
    plan: &'a TaskPlan,
    states: &'a TaskStates,
}

impl<'a> StateTable<'a> {
    fn state(&self, task: &ImplementTask) -> TaskState {
        let default = if task.done { TaskState::Integrated } else { TaskState::Pending };
        self.states.get(&task.id).copied().unwrap_or(default)
    }

    /// Tasks that can never begin.
    fn lost_tasks(&self) -> Vec<&'a str> {
        let is_out = |task: &&ImplementTask| matches!(self.state(task), TaskState::Skipped | TaskState::Left);
        let mut lost: Vec<&str> =
            self.plan.tasks.iter().filter(is_out).map(|task| task.id.as_str()).collect();
        loop {
            let before = lost.len();
            for task in &self.plan.tasks {
                let is_lost = task.depends_on.iter().any(|first| lost.contains(&first.as_str()));
                let is_open = matches!(self.state(task), TaskState::Pending | TaskState::Parked);
                if is_lost && is_open && !lost.contains(&task.id.as_str()) {
                    lost.push(&task.id);
                }
            }
            if lost.len() == before {
                return lost;
            }
        }
    }

    /// The first prerequisite that is not integrated.
    fn unmet(&self, task: &ImplementTask) -> Option<(WaitReason, String)> {
        let open =
            task.depends_on.iter().filter_map(|first| self.plan.tasks.iter().find(|task| task.id == *first));
        let mut open = open.filter(|first| self.state(first) != TaskState::Integrated);
        let parked = |first: &&ImplementTask| self.state(first) == TaskState::Parked;
        let all: Vec<&ImplementTask> = open.by_ref().collect();
        let first = all.iter().copied().find(|first| parked(first)).or_else(|| all.first().copied())?;
        let reason = if parked(&first) { WaitReason::Parked } else { WaitReason::Prerequisite };
        Some((reason, first.id.clone()))
    }
}

/// States at the begin of a run: tasks outside of the selection are left, done ones are integrated.
pub fn initial_states(plan: &TaskPlan, selection: &super::filter::Selection) -> TaskStates {
    let state = |task: &ImplementTask| {
        if task.done {
            TaskState::Integrated
        } else if selection.open.contains(&task.id) {
            TaskState::Pending
        } else {
            TaskState::Left
        }
    };
    plan.tasks.iter().map(|task| (task.id.clone(), state(task))).collect()
}
