//! A task is done, and every file that says so says so: `tasks.md`, `spec.json` and `meta.yaml` change
//! together or not at all.

use super::body::Mark;
use super::list::TaskList;
use super::progress::{self, Counts};
use crate::shown::shown;
use crate::spec::ids::Id;
use crate::spec::meta::{self, Value};
use crate::spec::record::{self, RecordError};

/// The files that know about tasks. The last two may not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecTexts {
    /// `tasks.md`.
    pub tasks: String,
    /// `spec.json`.
    pub spec_json: Option<String>,
    /// `meta.yaml`.
    pub meta_yaml: Option<String>,
}

/// Marks a task as done. `today` is the date the files are marked as changed.
///
/// A box is ticked, on the task's line or below it; a status word becomes `complete`; a heading that has neither
/// gets `- [x] Done` below it. The counts of the progress section are brought up to date, or added. Ticking a
/// task twice changes nothing the second time.
pub fn tick(texts: &SpecTexts, id: &str, today: &str) -> Result<SpecTexts, TickError> {
    let (bom, tasks) = texts.tasks.split_at(if texts.tasks.starts_with(BOM) { BOM.len_utf8() } else { 0 });
    let list = TaskList::parse(tasks);
    let wanted = Id::parse(id).and_then(|id| list.task(&id));
    let Some(task) = wanted else {
        let known = list.tasks.iter().map(|task| task.id.to_string()).collect();
        return Err(TickError::UnknownTask { id: id.to_owned(), known });
    };
    let ticked = if task.done { tasks.to_owned() } else { marked(tasks, task.mark) };
    let tasks = bom.to_owned() + &counted(&ticked);
    let (complete, total) = TaskList::parse(&tasks).counts();
    let spec_json = match &texts.spec_json {
        Some(text) => Some(record::with_task_done(text, &task.id, &task.title, today)?),
        None => None,
    };
    let meta_yaml = texts.meta_yaml.as_ref().map(|text| {
        let text = meta::with(text, "tasks_total", Value::Count(total));
        let text = meta::with(&text, "tasks_complete", Value::Count(complete));
        meta::with(&text, "updated", Value::Text(today))
    });
    Ok(SpecTexts { tasks, spec_json, meta_yaml })
}

/// The text with its progress section right; it is added if there is none.
pub fn with_counts(text: &str) -> String {
    let (bom, tasks) = text.split_at(if text.starts_with(BOM) { BOM.len_utf8() } else { 0 });
    bom.to_owned() + &counted(tasks)
}

const BOM: char = '\u{feff}';

/// The text with one mark set.
fn marked(text: &str, mark: Mark) -> String {
    let (Mark::Box { line: number, .. } | Mark::Word { line: number, .. } | Mark::Below { line: number }) =
        mark;
    let mut new = String::with_capacity(text.len() + 16);
    for (index, line) in lines(text).enumerate() {
        let (body, end) = line;
        if index + 1 != number {
            new.push_str(body);
            new.push_str(end);
            continue;
        }
        match mark {
            Mark::Box { at, .. } => {
                let after = at + body[at..].chars().next().map_or(0, char::len_utf8);
                new.extend([&body[..at], "x", &body[after..], end]);
            }
            Mark::Word { at, .. } => new.extend([&body[..at], "complete", end]),
            Mark::Below { .. } => {
                let end = if end.is_empty() { "\n" } else { end };
                let follower = lines(text).nth(index + 1).is_none_or(|(next, _)| next.trim().is_empty());
                let gap = if follower { "" } else { end };
                new.extend([body, end, end, "- [x] Done", end, gap]);
            }
        }
    }
    new
}

/// The text with its progress section right.
fn counted(text: &str) -> String {
    let list = TaskList::parse(text);
    let counts = Counts::of(&list);
    let mut new = String::with_capacity(text.len() + 64);
    let mut end_of_line = "\n";
    for (index, (body, end)) in lines(text).enumerate() {
        if !end.is_empty() {
            end_of_line = end;
        }
        let number = index + 1;
        match progress::rewritten(body, &counts).filter(|_| list.stated.lines.binary_search(&number).is_ok())
        {
            Some(line) => new.push_str(&line),
            None => new.push_str(body),
        }
        new.push_str(end);
        if list.stated.lines.is_empty() && list.stated.heading == Some(number) {
            let line = counts.line();
            new.extend([if end.is_empty() { end_of_line } else { "" }, end_of_line, &line, end_of_line]);
        }
    }
    if list.stated.heading.is_some() {
        return new;
    }
    let gap = if new.is_empty() || new.ends_with('\n') { "" } else { end_of_line };
    for heading in ["## Progress", "# Progress"] {
        let line = counts.line();
        let section = [gap, end_of_line, heading, end_of_line, end_of_line, &line, end_of_line];
        let added = new.clone() + &section.concat();
        // Below a task of the highest level, a section of the second is part of it; at the end of a text whose
        // last fence is open, it would only be more code.
        if TaskList::parse(&added).stated.heading.is_some() {
            return added;
        }
    }
    new
}

/// Lines with their ends, numbered as [`outline`](crate::spec::outline::outline) numbers them.
fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_inclusive('\n').map(|line| {
        let body = line.strip_suffix('\n').map_or(line, |body| body.strip_suffix('\r').unwrap_or(body));
        line.split_at(body.len())
    })
}

/// Why a task could not be ticked. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TickError {
    /// There is no such task.
    #[error("Task '{}' not found. Tasks: {}", shown(.id), .known.join(", "))]
    UnknownTask {
        /// What was asked for.
        id: String,
        /// What there is.
        known: Vec<String>,
    },
    /// `spec.json` cannot be understood.
    #[error(transparent)]
    Record(#[from] RecordError),
}
