//! Validation of a task list: duplicates, unknown dependencies and cycles.

use super::problem::PlanProblem;
use super::task::{ImplementTask, TaskPlan};
use std::collections::{BTreeMap, BTreeSet};

/// Reports ids that occur more than once.
pub(super) fn find_duplicates(tasks: &[ImplementTask], problems: &mut Vec<PlanProblem>) {
    let mut seen = BTreeSet::new();
    let mut reported = BTreeSet::new();
    for task in tasks {
        if !seen.insert(&task.id) && reported.insert(&task.id) {
            problems.push(PlanProblem::Duplicate { id: task.id.clone() });
        }
    }
}

/// Reports an empty list, unknown dependencies and every cycle.
pub(super) fn find_problems(plan: &TaskPlan, problems: &mut Vec<PlanProblem>) {
    if plan.tasks.is_empty() && problems.is_empty() {
        problems.push(PlanProblem::NoTasks);
    }
    let known: BTreeMap<&str, &ImplementTask> =
        plan.tasks.iter().map(|task| (task.id.as_str(), task)).collect();
    for task in &plan.tasks {
        for missing in task.depends_on.iter().filter(|first| !known.contains_key(first.as_str())) {
            problems.push(PlanProblem::UnknownDependency { id: task.id.clone(), missing: missing.clone() });
        }
    }
    problems.extend(find_cycles(plan, &known).into_iter().map(|ids| PlanProblem::Cycle { ids }));
}

/// One cycle for each group of tasks that wait for each other. Iterative, so that a long chain cannot exhaust the stack.
fn find_cycles(plan: &TaskPlan, known: &BTreeMap<&str, &ImplementTask>) -> Vec<Vec<String>> {
    let mut finished: BTreeSet<&str> = BTreeSet::new();
    let mut cycles = Vec::new();
    for start in &plan.tasks {
        if finished.contains(start.id.as_str()) {
            continue;
        }
        let mut path: Vec<(&str, usize)> = vec![(&start.id, 0)];
        let mut on_path: BTreeSet<&str> = BTreeSet::from([start.id.as_str()]);
        let mut is_cyclic = false;
        while let Some((id, next)) = path.last_mut() {
            let (id, target) = (*id, known.get(id).and_then(|task| task.depends_on.get(*next)));
            *next += 1;
            match target.map(String::as_str) {
                None => {
                    finished.insert(id);
                    on_path.remove(id);
                    path.pop();
                }
                Some(target) if on_path.contains(target) => {
                    // One cycle is named for all that are reached from here.
                    if !is_cyclic {
                        let around = path.iter().map(|(id, _)| *id).skip_while(|id| *id != target);
                        cycles.push(around.chain([target]).map(str::to_owned).collect());
                    }
                    is_cyclic = true;
                }
                Some(target) if finished.contains(target) || !known.contains_key(target) => {}
                Some(target) => {
                    on_path.insert(target);
                    path.push((target, 0));
                }
            }
        }
    }
    cycles
}
