//! Selection of tasks: `--task`, `--phase`, `--from`, `--until`. Several of them narrow each other.

use super::problem::{PlanProblem, PlanRefusal};
use super::task::{ImplementTask, TaskPlan, normalise_id};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Tasks that a person asked for. The default is all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskFilter {
    pub tasks: Vec<String>,
    pub phase: Option<u32>,
    /// First task, in the order of the plan.
    pub from: Option<String>,
    /// Last task, in the order of the plan.
    pub until: Option<String>,
}

/// Tasks to be implemented, in the order of the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// Tasks that are not done yet.
    pub open: Vec<String>,
    /// Tasks that match and are done already.
    pub done: Vec<String>,
}

impl TaskFilter {
    /// True if it selects everything.
    pub fn is_empty(&self) -> bool {
        *self == TaskFilter::default()
    }

    /// The flags, as they would be typed.
    pub fn shown(&self) -> String {
        let tasks = (!self.tasks.is_empty()).then(|| format!("--task {}", self.tasks.join(" ")));
        let phase = self.phase.map(|number| format!("--phase {number}"));
        let from = self.from.as_ref().map(|id| format!("--from {id}"));
        let until = self.until.as_ref().map(|id| format!("--until {id}"));
        [tasks, phase, from, until].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Selects tasks of a plan. A selected task whose prerequisite is neither done nor selected is refused.
    pub fn select(&self, plan: &TaskPlan) -> Result<Selection, PlanRefusal> {
        let mut problems = Vec::new();
        let wanted: BTreeSet<usize> =
            self.tasks.iter().filter_map(|id| place(plan, id, &mut problems)).collect();
        let from = self.from.as_ref().and_then(|id| place(plan, id, &mut problems));
        let until = self.until.as_ref().and_then(|id| place(plan, id, &mut problems));
        if let Some(number) = self.phase
            && plan.tasks.iter().all(|task| task.phase != number)
        {
            problems.push(PlanProblem::UnknownPhase { number, known: shown_phases(plan) });
        }
        if let (Some(first), Some(last)) = (from, until)
            && first > last
        {
            let (from, until) = (plan.tasks[first].id.clone(), plan.tasks[last].id.clone());
            problems.push(PlanProblem::FromAfterUntil { from, until });
        }
        if !problems.is_empty() {
            return Err(PlanRefusal { problems });
        }
        let matches = |at: usize, task: &ImplementTask| {
            (self.tasks.is_empty() || wanted.contains(&at))
                && self.phase.is_none_or(|number| task.phase == number)
                && from.is_none_or(|first| at >= first)
                && until.is_none_or(|last| at <= last)
        };
        let chosen =
            plan.tasks.iter().enumerate().filter(|(at, task)| matches(*at, task)).map(|(_, task)| task);
        let (done, open): (Vec<_>, Vec<_>) = chosen.partition(|task| task.done);
        if done.is_empty() && open.is_empty() {
            return Err(PlanProblem::EmptySelection { filter: self.shown(), known: plan.ids() }.into());
        }
        let ids = |tasks: Vec<&ImplementTask>| tasks.into_iter().map(|task| task.id.clone()).collect();
        let selection = Selection { open: ids(open), done: ids(done) };
        let problems = missing_prerequisites(plan, &selection);
        if problems.is_empty() { Ok(selection) } else { Err(PlanRefusal { problems }) }
    }
}

fn place(plan: &TaskPlan, id: &str, problems: &mut Vec<PlanProblem>) -> Option<usize> {
    let wanted = normalise_id(id);
    let at = plan.tasks.iter().position(|task| task.id == wanted);
    if at.is_none() {
        problems.push(PlanProblem::UnknownTask { id: id.to_owned(), known: plan.ids() });
    }
    at
}

/// Phases that have tasks, with their names.
fn shown_phases(plan: &TaskPlan) -> Vec<String> {
    let used: BTreeSet<u32> = plan.tasks.iter().map(|task| task.phase).collect();
    let name = |number: &u32| match plan.phases.iter().find(|phase| phase.number == *number) {
        Some(phase) if !phase.name.is_empty() => format!("{number} ({})", phase.name),
        _ => number.to_string(),
    };
    used.iter().map(name).collect()
}

fn missing_prerequisites(plan: &TaskPlan, selection: &Selection) -> Vec<PlanProblem> {
    let open: BTreeSet<&str> = selection.open.iter().map(String::as_str).collect();
    let is_met = |id: &str| open.contains(id) || plan.task(id).is_some_and(|task| task.done);
    let selected = plan.tasks.iter().filter(|task| open.contains(task.id.as_str()));
    let missing = selected.flat_map(|task| {
        let missing = task.depends_on.iter().filter(|first| !is_met(first));
        missing
            .map(|missing| PlanProblem::MissingPrerequisite { id: task.id.clone(), missing: missing.clone() })
    });
    missing.collect()
}
