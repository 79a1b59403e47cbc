//! Tasks to implement, read from `spec.json` and `tasks.md`.
//!
//! `spec.json` decides about order, titles and state where it lists tasks; members that only it may have (`files`,
//! `depends_on`, `requirements`, `mode`, `phase`, `proof`) count where `tasks.md` is silent. Where both speak and differ,
//! the specification is refused: one of them was approved and the other was not.

use super::paths::is_test_path;
use super::problem::{PlanProblem, PlanRefusal};
use super::proof::{Proof, TaskProof};
use super::scope::FileScope;
use super::validate;
use crate::spec::approval::covered_text;
use crate::spec::ids::{IdKind, SpecId, mentions};
use crate::spec::record::{RecordError, SpecRecord, TaskRecord};
use crate::spec::tasks::{Task, TaskList, TaskMode, depends::parse_task_ids};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// The tasks of a specification in their order. It has been validated: ids are unique, dependencies exist, and none
/// waits for itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskPlan {
    pub tasks: Vec<ImplementTask>,
    /// Names of the phases, by number.
    pub phases: Vec<PlanPhase>,
}

/// Phase of the work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanPhase {
    pub number: u32,
    pub name: String,
}

/// Task to implement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImplementTask {
    /// Normalised, such as `T001`.
    pub id: String,
    pub title: String,
    /// Its section of `tasks.md`, word for word.
    pub text: String,
    pub files: FileScope,
    /// Prerequisites, in order.
    pub depends_on: Vec<String>,
    /// Ids of the requirements, stories and non-functional requirements it covers.
    pub requirements: Vec<String>,
    /// Ids of the components and decisions it refers to.
    pub references: Vec<String>,
    pub mode: WorkMode,
    pub proof: TaskProof,
    /// Number of its phase; 0 if there are none.
    pub phase: u32,
    pub done: bool,
}

/// Who works on a task, and beside whom.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkMode {
    /// An agent; the schedule decides what runs beside it.
    #[default]
    Auto,
    /// An agent; declared independent of its neighbours. The schedule decides all the same.
    Parallel,
    /// A person.
    Human,
}

impl TaskPlan {
    /// Reads and validates the tasks of a specification, as far as an approval covers them; an empty text stands for an
    /// absent file.
    pub fn read(tasks_md: &str, spec_json: &str) -> Result<TaskPlan, PlanRefusal> {
        let tasks_md = tasks_md.strip_prefix('\u{feff}').unwrap_or(tasks_md);
        // Ticks count as they are now, everything else as it was approved.
        let covered = covered_text(tasks_md);
        let mut list = TaskList::parse(&covered);
        for (task, now) in list.tasks.iter_mut().zip(TaskList::parse(tasks_md).tasks) {
            task.done = now.done;
        }
        let record = if spec_json.trim().is_empty() {
            SpecRecord::default()
        } else {
            SpecRecord::parse(spec_json)
                .map_err(|error: RecordError| PlanProblem::Record(error.to_string()))?
        };
        let lines: Vec<&str> = covered.split_inclusive('\n').collect();
        let mut problems = Vec::new();
        let mut tasks: Vec<ImplementTask> = Vec::new();
        for task in &list.tasks {
            tasks.push(from_list(task, &list, &lines, &mut problems));
        }
        validate::find_duplicates(&tasks, &mut problems);
        if !record.tasks.is_empty() {
            tasks = in_record_order(tasks, &record.tasks, &mut problems);
        }
        if tasks.iter().all(|task| task.proof.is_derived) {
            // A specification that is older than proofs may have prose under that label.
            problems.retain(|problem| !matches!(problem, PlanProblem::Proof { .. }));
        }
        derive_proofs(&mut tasks);
        let phases = plan_phases(&list, &record);
        let plan = TaskPlan { tasks, phases };
        validate::find_problems(&plan, &mut problems);
        if problems.is_empty() { Ok(plan) } else { Err(PlanRefusal { problems }) }
    }

    /// The task with this id, in any spelling of it.
    pub fn task(&self, id: &str) -> Option<&ImplementTask> {
        let id = normalise_id(id);
        self.tasks.iter().find(|task| task.id == id)
    }

    /// Ids of all tasks, in order.
    pub fn ids(&self) -> Vec<String> {
        self.tasks.iter().map(|task| task.id.clone()).collect()
    }

    /// Ids of the tasks that wait for this one, directly or through others.
    pub fn dependents(&self, id: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::from([normalise_id(id)]);
        loop {
            let before = found.len();
            for task in &self.tasks {
                if task.depends_on.iter().any(|first| found.contains(first)) {
                    found.insert(task.id.clone());
                }
            }
            if found.len() == before {
                found.remove(&normalise_id(id));
                return found;
            }
        }
    }

    /// True if no task states a proof: the specification is older than proofs.
    pub fn is_without_proofs(&self) -> bool {
        self.tasks.iter().all(|task| task.proof.is_derived)
    }
}

/// Normalises the id of a task as it was typed: `t1`, `1` and `T001` are the same.
pub fn normalise_id(id: &str) -> String {
    let id = id.trim();
    let numbered = parse_task_ids(id).next().filter(|_| !id.contains([' ', ',', '-']));
    numbered.or_else(|| SpecId::parse(id)).map_or_else(|| id.to_owned(), |id| id.to_string())
}

fn from_list(task: &Task, list: &TaskList, lines: &[&str], problems: &mut Vec<PlanProblem>) -> ImplementTask {
    let text: String = lines.iter().skip(task.line - 1).take(task.end + 1 - task.line).copied().collect();
    let is_demand =
        |id: &SpecId| matches!(id.kind, IdKind::Story | IdKind::Requirement | IdKind::NonFunctional);
    let mut requirements: Vec<String> =
        task.refs.iter().filter(|id| is_demand(id)).map(SpecId::to_string).collect();
    if requirements.is_empty() {
        let named =
            text.lines().flat_map(mentions).filter(|(_, id)| is_demand(id)).map(|(_, id)| id.to_string());
        requirements.extend(named);
    }
    dedup(&mut requirements);
    let references = task.refs.iter().filter(|id| !is_demand(id)).map(SpecId::to_string).collect();
    let mut depends_on: Vec<String> = task.depends_on.iter().map(|(id, _)| id.to_string()).collect();
    depends_on.sort();
    let entries = (task.states_files || !task.files.is_empty()).then_some(task.files.as_slice());
    let id = task.id.to_string();
    let proof = match task.proof.as_ref().map(|(value, _)| Proof::parse(value)) {
        Some(Ok(proof)) => TaskProof { proof, is_derived: false },
        Some(Err(error)) => {
            problems.push(PlanProblem::Proof { id: id.clone(), reason: error.to_string() });
            TaskProof::default()
        }
        None => TaskProof::default(),
    };
    ImplementTask {
        id,
        title: task.title.clone(),
        text: text.trim_end().to_owned() + "\n",
        files: FileScope::parse(entries),
        depends_on,
        requirements,
        references,
        mode: match task.mode {
            TaskMode::Sequential => WorkMode::Auto,
            TaskMode::Parallel => WorkMode::Parallel,
            TaskMode::HumanGate => WorkMode::Human,
        },
        proof,
        phase: task.phase.and_then(|index| list.phases.get(index)).map_or(0, |phase| phase.number),
        done: task.done,
    }
}

/// Orders the tasks as the record does and takes over its members.
fn in_record_order(
    listed: Vec<ImplementTask>,
    records: &[TaskRecord],
    problems: &mut Vec<PlanProblem>,
) -> Vec<ImplementTask> {
    let mut listed: IndexMap<String, ImplementTask> =
        listed.into_iter().map(|task| (task.id.clone(), task)).collect();
    let has_list = !listed.is_empty();
    let mut tasks: Vec<ImplementTask> = Vec::new();
    for record in records {
        let id = normalise_id(&record.id);
        if tasks.iter().any(|task| task.id == id) {
            problems.push(PlanProblem::Duplicate { id });
            continue;
        }
        let task = match listed.shift_remove(&id) {
            Some(task) => task,
            None if has_list => {
                problems.push(PlanProblem::OnlyInRecord { id });
                continue;
            }
            None => ImplementTask {
                id: id.clone(),
                files: FileScope::parse(None),
                text: format!("{id}: {}\n", record.title),
                ..ImplementTask::default()
            },
        };
        tasks.push(with_record(task, record, problems));
    }
    problems.extend(listed.into_keys().map(|id| PlanProblem::OnlyInList { id }));
    tasks
}

fn with_record(
    mut task: ImplementTask,
    record: &TaskRecord,
    problems: &mut Vec<PlanProblem>,
) -> ImplementTask {
    let id = task.id.clone();
    if !record.title.trim().is_empty() {
        record.title.trim().clone_into(&mut task.title);
    }
    task.done = task.done || record.status == "complete";
    let mut contradict =
        |member: &'static str| problems.push(PlanProblem::Contradiction { id: id.clone(), member });
    if let Some(entries) = texts(record, "files") {
        let stated = FileScope::parse(Some(&entries));
        if task.files.is_unknown {
            task.files = stated;
        } else if sorted(task.files.patterns.iter().map(|pattern| pattern.path.clone()))
            != sorted(stated.patterns.iter().map(|pattern| pattern.path.clone()))
        {
            contradict("files");
        }
    }
    if let Some(ids) = texts(record, "depends_on") {
        let stated: Vec<String> = ids.iter().map(|id| normalise_id(id)).collect();
        if task.depends_on.is_empty() {
            task.depends_on = stated;
        } else if sorted(task.depends_on.iter().cloned()) != sorted(stated) {
            contradict("depends_on");
        }
    }
    if let Some(ids) = texts(record, "requirements").filter(|_| task.requirements.is_empty()) {
        task.requirements =
            ids.iter().map(|id| SpecId::parse(id).map_or_else(|| id.clone(), |id| id.to_string())).collect();
    }
    match record.other.get("mode").and_then(Value::as_str) {
        Some("human" | "human_gate" | "human-gate") => task.mode = WorkMode::Human,
        Some("parallel") if task.mode == WorkMode::Auto => task.mode = WorkMode::Parallel,
        _ => {}
    }
    let phase = record.other.get("phase").and_then(Value::as_u64).and_then(|phase| u32::try_from(phase).ok());
    task.phase = phase.filter(|_| task.phase == 0).unwrap_or(task.phase);
    match record.other.get("proof").filter(|value| !value.is_null()).map(Proof::from_value) {
        Some(Ok(proof)) if task.proof.is_derived => task.proof = TaskProof { proof, is_derived: false },
        Some(Ok(proof)) if proof != task.proof.proof => contradict("proof"),
        Some(Err(error)) => {
            problems.push(PlanProblem::Proof { id: task.id.clone(), reason: error.to_string() });
        }
        _ => {}
    }
    task
}

/// Texts of a list member of a task in the record.
fn texts(record: &TaskRecord, member: &str) -> Option<Vec<String>> {
    let items = record.other.get(member)?.as_array()?;
    Some(items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
}

fn sorted(items: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    items.into_iter().collect()
}

fn dedup(items: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    items.retain(|item| seen.insert(item.clone()));
}

/// Gives tasks without a proof the one that their files suggest.
fn derive_proofs(tasks: &mut [ImplementTask]) {
    for task in tasks.iter_mut().filter(|task| task.proof.is_derived) {
        let paths = || task.files.patterns.iter().map(|pattern| pattern.path.as_str());
        let is_prose = !task.files.is_unknown && paths().all(is_prose);
        task.proof.proof = if task.mode == WorkMode::Human && task.files.patterns.is_empty() {
            Proof::None("a person does it".to_owned())
        } else if is_prose && task.files.patterns.is_empty() {
            Proof::None("it touches no file".to_owned())
        } else if is_prose {
            Proof::None("it changes documentation only".to_owned())
        } else {
            Proof::Suite(paths().filter(|path| is_test_path(path)).map(str::to_owned).collect())
        };
    }
}

fn is_prose(path: &str) -> bool {
    [".md", ".txt", ".rst", ".adoc"].iter().any(|end| path.to_lowercase().ends_with(end))
}

fn plan_phases(list: &TaskList, record: &SpecRecord) -> Vec<PlanPhase> {
    if list.phases.is_empty() {
        let named = record.phases.iter().zip(1..);
        return named.map(|(name, number)| PlanPhase { number, name: name.clone() }).collect();
    }
    list.phases.iter().map(|phase| PlanPhase { number: phase.number, name: phase.name.clone() }).collect()
}
