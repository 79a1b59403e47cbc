//! Counts, phases and lists of tasks: the same in every file that has them.

use super::all::{Read, is_missing};
use super::issue::{Code, Issue};
use crate::shown::shown;
use crate::spec::ids::Id;
use crate::spec::record::{SpecRecord, TaskRecord};
use std::collections::{BTreeMap, VecDeque};

pub(super) fn issues(read: &Read<'_>) -> Vec<Issue> {
    if is_missing(read.files.tasks) {
        return Vec::new();
    }
    let mut issues: Vec<Issue> = stated(read).into_iter().collect();
    if let Some(record) = &read.record {
        issues.extend(phases(read, record));
        issues.extend(listed(read, record));
    }
    if !is_missing(read.files.meta) {
        issues.extend(counted(read));
    }
    issues
}

/// What `tasks.md` says about its own progress.
fn stated(read: &Read<'_>) -> Option<Issue> {
    let (done, total) = read.tasks.counts();
    let (line, message) = match read.tasks.stated.total {
        None => {
            (1, format!("there is no line \"**Total:** {done}/{total} tasks complete\" under \"Progress\""))
        }
        Some((said_done, said_total, line)) if (said_done, said_total) != (done, total) => {
            (line, format!("progress says {said_done}/{said_total}, the tasks say {done}/{total}"))
        }
        Some(_) => return None,
    };
    Some(Issue::new("tasks.md", line, Code::Count, message))
}

fn phases(read: &Read<'_>, record: &SpecRecord) -> Option<Issue> {
    let names = read.tasks.phase_names();
    (record.phases != names).then(|| {
        let line = line_of(read.files.spec_json, "\"phases\"");
        let said = shown_list(&record.phases);
        let message = format!("the phases are {said}, in tasks.md they are {}", shown_list(&names));
        Issue::new("spec.json", line, Code::Phases, message)
    })
}

fn shown_list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = names.iter().take(12).map(|name| format!("\"{}\"", shown(name))).collect();
    shown.join(", ")
}

/// The tasks of `spec.json`: the same ids, titles and states.
fn listed(read: &Read<'_>, record: &SpecRecord) -> Vec<Issue> {
    let mut issues = Vec::new();
    let lines = lines_of_ids(read.files.spec_json);
    let mut listed: BTreeMap<Id, VecDeque<&TaskRecord>> = BTreeMap::new();
    let mut issue = |id: &str, message: String| {
        let line = lines.get(id).copied().unwrap_or(1);
        issues.push(Issue::new("spec.json", line, Code::Count, message));
    };
    // An id that `tasks.md` itself gives twice is said there, not here again.
    let mut there: BTreeMap<&Id, usize> = BTreeMap::new();
    for task in &read.tasks.tasks {
        *there.entry(&task.id).or_default() += 1;
    }
    for task in &record.tasks {
        match Id::parse(&task.id) {
            Some(id) => {
                match (listed.get(&id).map_or(0, VecDeque::len), there.get(&id).copied().unwrap_or(0)) {
                    (_, 0) => issue(&task.id, format!("{id} is not in tasks.md")),
                    (before, there) if before < there => listed.entry(id).or_default().push_back(task),
                    _ => issue(&task.id, format!("{id} is listed twice")),
                }
            }
            None => issue(&task.id, format!("'{}' is no id of a task", shown(&task.id))),
        }
    }
    for task in &read.tasks.tasks {
        let id = &task.id;
        let Some(record) = listed.get_mut(id).and_then(VecDeque::pop_front) else {
            let message = format!("{id} of tasks.md is not listed");
            issues.push(Issue::new(
                "spec.json",
                line_of(read.files.spec_json, "\"tasks\""),
                Code::Count,
                message,
            ));
            continue;
        };
        let line = lines.get(record.id.as_str()).copied().unwrap_or(1);
        if (record.status == "complete") != task.done {
            let state = if task.done { "complete" } else { "not complete" };
            let message = format!("{id} is '{}', in tasks.md it is {state}", shown(&record.status));
            issues.push(Issue::new("spec.json", line, Code::Count, message));
        }
        if record.title != task.title {
            let message =
                format!("{id} is called '{}', in tasks.md '{}'", shown(&record.title), shown(&task.title));
            issues.push(Issue::new("spec.json", line, Code::Count, message));
        }
    }
    issues
}

fn counted(read: &Read<'_>) -> Vec<Issue> {
    let (done, total) = read.tasks.counts();
    let counts =
        [("tasks_total", read.meta.tasks_total, total), ("tasks_complete", read.meta.tasks_complete, done)];
    let wrong = counts.iter().filter(|(_, said, counted)| *said != Some(*counted));
    wrong
        .map(|(key, said, counted)| {
            let said = said.map_or_else(|| "missing".to_owned(), |said| said.to_string());
            let line = line_of(read.files.meta, &format!("{key}:"));
            Issue::new(
                "meta.yaml",
                line,
                Code::Count,
                format_args!("{key} is {said}, in tasks.md it is {counted}"),
            )
        })
        .collect()
}

/// The first line that begins with these words; the first of all if there is none.
pub(super) fn line_of(text: &str, start: &str) -> usize {
    let begins = |line: &str| line.trim_start_matches(['\u{feff}', ' ', '\t']).starts_with(start);
    text.lines().position(begins).map_or(1, |index| index + 1)
}

/// The lines on which `"id": "…"` stands.
fn lines_of_ids(json: &str) -> BTreeMap<&str, usize> {
    let mut lines = BTreeMap::new();
    for (index, line) in json.lines().enumerate() {
        for rest in line.split("\"id\"").skip(1) {
            let value =
                rest.trim_start().strip_prefix(':').and_then(|value| value.trim_start().strip_prefix('"'));
            if let Some((id, _)) = value.and_then(|value| value.split_once('"')) {
                lines.entry(id).or_insert(index + 1);
            }
        }
    }
    lines
}
