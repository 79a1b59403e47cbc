//! Marks a task as done in `tasks.md`, `spec.json` and `meta.yaml`, in all of them or in none.

use super::body::StateMark;
use super::list::TaskList;
use super::progress::{self, Counts};
use crate::escape::printable;
use crate::spec::ids::SpecId;
use crate::spec::meta::{self, MetaValue};
use crate::spec::record::{self, RecordError};

/// Texts of the files that state tasks. The last two may not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFiles {
    pub tasks: String,
    pub spec_json: Option<String>,
    pub meta_yaml: Option<String>,
}

/// Marks a task as done. `today` becomes the date of the last change.
///
/// A checkbox is ticked, on the task's line or below it; a status word becomes `complete`; a heading that has
/// neither gets `- [x] Done` below it. The counts of the progress section are updated, or added. Ticking a task
/// twice changes nothing the second time.
pub fn tick(texts: &TaskFiles, id: &str, today: &str) -> Result<TaskFiles, TickError> {
    let (bom, tasks) = texts.tasks.split_at(if texts.tasks.starts_with(BOM) { BOM.len_utf8() } else { 0 });
    let list = TaskList::parse(tasks);
    let wanted = SpecId::parse(id).and_then(|id| list.task(&id));
    let Some(task) = wanted else {
        let known = list.tasks.iter().map(|task| task.id.to_string()).collect();
        return Err(TickError::UnknownTask { id: id.to_owned(), known });
    };
    let ticked = if task.done { tasks.to_owned() } else { set_mark(tasks, task.mark) };
    let tasks = bom.to_owned() + &update_counts(&ticked);
    let (complete, total) = TaskList::parse(&tasks).counts();
    let spec_json = match &texts.spec_json {
        Some(text) => Some(record::with_task_done(text, &task.id, &task.title, today)?),
        None => None,
    };
    let meta_yaml = texts.meta_yaml.as_ref().map(|text| {
        let text = meta::with_value(text, "tasks_total", MetaValue::Count(total));
        let text = meta::with_value(&text, "tasks_complete", MetaValue::Count(complete));
        meta::with_value(&text, "updated", MetaValue::Text(today))
    });
    Ok(TaskFiles { tasks, spec_json, meta_yaml })
}

/// Updates the progress section, or adds one; a byte order mark is kept.
pub fn with_counts(text: &str) -> String {
    let (bom, tasks) = text.split_at(if text.starts_with(BOM) { BOM.len_utf8() } else { 0 });
    bom.to_owned() + &update_counts(tasks)
}

const BOM: char = '\u{feff}';

/// Sets the mark of a task.
fn set_mark(text: &str, mark: StateMark) -> String {
    let (StateMark::Box { line: number, .. }
    | StateMark::Word { line: number, .. }
    | StateMark::Below { line: number }) = mark;
    let mut new = String::with_capacity(text.len() + 16);
    for (index, line) in lines(text).enumerate() {
        let (body, end) = line;
        if index + 1 != number {
            new.push_str(body);
            new.push_str(end);
            continue;
        }
        match mark {
            StateMark::Box { at, .. } => {
                let after = at + body[at..].chars().next().map_or(0, char::len_utf8);
                new.extend([&body[..at], "x", &body[after..], end]);
            }
            StateMark::Word { at, .. } => new.extend([&body[..at], "complete", end]),
            StateMark::Below { .. } => {
                let end = if end.is_empty() { "\n" } else { end };
                let follower = lines(text).nth(index + 1).is_none_or(|(next, _)| next.trim().is_empty());
                let gap = if follower { "" } else { end };
                new.extend([body, end, end, "- [x] Done", end, gap]);
            }
        }
    }
    new
}

fn update_counts(text: &str) -> String {
    let list = TaskList::parse(text);
    let counts = Counts::new(&list);
    let mut new = String::with_capacity(text.len() + 64);
    let mut end_of_line = "\n";
    for (index, (body, end)) in lines(text).enumerate() {
        if !end.is_empty() {
            end_of_line = end;
        }
        let number = index + 1;
        match progress::update_line(body, &counts)
            .filter(|_| list.progress.lines.binary_search(&number).is_ok())
        {
            Some(line) => new.push_str(&line),
            None => new.push_str(body),
        }
        new.push_str(end);
        if list.progress.lines.is_empty() && list.progress.heading == Some(number) {
            let line = counts.line();
            new.extend([if end.is_empty() { end_of_line } else { "" }, end_of_line, &line, end_of_line]);
        }
    }
    if list.progress.heading.is_some() {
        return new;
    }
    let gap = if new.is_empty() || new.ends_with('\n') { "" } else { end_of_line };
    for heading in ["## Progress", "# Progress"] {
        let line = counts.line();
        let section = [gap, end_of_line, heading, end_of_line, end_of_line, &line, end_of_line];
        let added = new.clone() + &section.concat();
        // Below a task at heading level 1 a level-2 section would be part of the task, and after an unclosed code
        // fence it would be code.
        if TaskList::parse(&added).progress.heading.is_some() {
            return added;
        }
    }
    new
}

/// Lines with their ends, numbered as [`outline`](crate::markdown::outline) numbers them.
fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_inclusive('\n').map(|line| {
        let body = line.strip_suffix('\n').map_or(line, |body| body.strip_suffix('\r').unwrap_or(body));
        line.split_at(body.len())
    })
}

/// Error of [`tick`]. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TickError {
    #[error("Task '{}' not found. Tasks: {}", printable(.id), .known.join(", "))]
    UnknownTask { id: String, known: Vec<String> },
    #[error(transparent)]
    Record(#[from] RecordError),
}
