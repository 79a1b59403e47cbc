//! Checks task counts, phases and task lists: the same in every file that states them.

use super::issue::{IssueCode, SpecIssue};
use super::spec_files::{ParsedSpec, is_missing};
use crate::escape::printable;
use crate::spec::ids::SpecId;
use crate::spec::record::{SpecRecord, TaskRecord};
use crate::spec::tasks::progress::StatedTotal;
use std::collections::{BTreeMap, VecDeque};

pub(super) fn issues(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    if is_missing(spec.files.tasks) {
        return Vec::new();
    }
    let mut issues: Vec<SpecIssue> = check_progress_line(spec).into_iter().collect();
    if let Some(record) = &spec.record {
        issues.extend(check_phases(spec, record));
        issues.extend(check_task_records(spec, record));
    }
    if !is_missing(spec.files.meta) {
        issues.extend(check_meta_counts(spec));
    }
    issues
}

/// Checks the progress line of `tasks.md`.
fn check_progress_line(spec: &ParsedSpec<'_>) -> Option<SpecIssue> {
    let (done, total) = spec.tasks.counts();
    let (line, message) = match spec.tasks.progress.total {
        None => {
            (1, format!("there is no line \"**Total:** {done}/{total} tasks complete\" under \"Progress\""))
        }
        Some(stated) if (stated.done, stated.total) != (done, total) => {
            let StatedTotal { done: stated_done, total: stated_total, line } = stated;
            (line, format!("progress says {stated_done}/{stated_total}, the tasks say {done}/{total}"))
        }
        Some(_) => return None,
    };
    Some(SpecIssue::new("tasks.md", line, IssueCode::Count, message))
}

fn check_phases(spec: &ParsedSpec<'_>, record: &SpecRecord) -> Option<SpecIssue> {
    let names = spec.tasks.phase_names();
    (record.phases != names).then(|| {
        let line = line_of(spec.files.spec_json, "\"phases\"");
        let stated = format_list(&record.phases);
        let message = format!("the phases are {stated}, in tasks.md they are {}", format_list(&names));
        SpecIssue::new("spec.json", line, IssueCode::Phases, message)
    })
}

fn format_list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let quoted: Vec<String> = names.iter().take(12).map(|name| format!("\"{}\"", printable(name))).collect();
    quoted.join(", ")
}

/// Checks the tasks of `spec.json`: same ids, titles and states as in `tasks.md`.
fn check_task_records(spec: &ParsedSpec<'_>, record: &SpecRecord) -> Vec<SpecIssue> {
    let mut issues = Vec::new();
    let lines = lines_of_ids(spec.files.spec_json);
    let mut listed: BTreeMap<SpecId, VecDeque<&TaskRecord>> = BTreeMap::new();
    let mut issue = |id: &str, message: String| {
        let line = lines.get(id).copied().unwrap_or(1);
        issues.push(SpecIssue::new("spec.json", line, IssueCode::Count, message));
    };
    // Duplicate ids of `tasks.md` are reported for that file, not again here.
    let mut expected: BTreeMap<&SpecId, usize> = BTreeMap::new();
    for task in &spec.tasks.tasks {
        *expected.entry(&task.id).or_default() += 1;
    }
    for task in &record.tasks {
        match SpecId::parse(&task.id) {
            Some(id) => {
                match (listed.get(&id).map_or(0, VecDeque::len), expected.get(&id).copied().unwrap_or(0)) {
                    (_, 0) => issue(&task.id, format!("{id} is not in tasks.md")),
                    (before, expected) if before < expected => listed.entry(id).or_default().push_back(task),
                    _ => issue(&task.id, format!("{id} is listed twice")),
                }
            }
            None => issue(&task.id, format!("'{}' is no id of a task", printable(&task.id))),
        }
    }
    for task in &spec.tasks.tasks {
        let id = &task.id;
        let Some(record) = listed.get_mut(id).and_then(VecDeque::pop_front) else {
            let message = format!("{id} of tasks.md is not listed");
            issues.push(SpecIssue::new(
                "spec.json",
                line_of(spec.files.spec_json, "\"tasks\""),
                IssueCode::Count,
                message,
            ));
            continue;
        };
        let line = lines.get(record.id.as_str()).copied().unwrap_or(1);
        if (record.status == "complete") != task.done {
            let state = if task.done { "complete" } else { "not complete" };
            let message = format!("{id} is '{}', in tasks.md it is {state}", printable(&record.status));
            issues.push(SpecIssue::new("spec.json", line, IssueCode::Count, message));
        }
        if record.title != task.title {
            let message = format!(
                "{id} is called '{}', in tasks.md '{}'",
                printable(&record.title),
                printable(&task.title)
            );
            issues.push(SpecIssue::new("spec.json", line, IssueCode::Count, message));
        }
    }
    issues
}

fn check_meta_counts(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let (done, total) = spec.tasks.counts();
    let counts =
        [("tasks_total", spec.meta.tasks_total, total), ("tasks_complete", spec.meta.tasks_complete, done)];
    let wrong = counts.iter().filter(|(_, stated, counted)| *stated != Some(*counted));
    wrong
        .map(|(key, stated, counted)| {
            let stated = stated.map_or_else(|| "missing".to_owned(), |stated| stated.to_string());
            let line = line_of(spec.files.meta, &format!("{key}:"));
            SpecIssue::new(
                "meta.yaml",
                line,
                IssueCode::Count,
                format_args!("{key} is {stated}, in tasks.md it is {counted}"),
            )
        })
        .collect()
}

/// Number of the first line that begins with `start`; 1 if there is none.
pub(super) fn line_of(text: &str, start: &str) -> usize {
    let begins = |line: &str| line.trim_start_matches(['\u{feff}', ' ', '\t']).starts_with(start);
    text.lines().position(begins).map_or(1, |index| index + 1)
}

/// Line numbers of the `"id": "…"` members.
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
