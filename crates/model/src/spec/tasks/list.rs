//! Parser of `tasks.md`: phases, tasks, dependencies and stated progress.

use super::body::{Body, StateMark, TaskMode, TaskPrompt};
use super::depends;
use super::heads::{self, TaskHead};
use super::progress::{self, ProgressSection};
use crate::markdown::{Line, heading, is_decoration, outline};
use crate::spec::Problem;
use crate::spec::ids::SpecId;
use std::collections::{BTreeMap, BTreeSet};

/// Parsed `tasks.md`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskList {
    pub phases: Vec<TaskPhase>,
    pub tasks: Vec<Task>,
    pub progress: ProgressSection,
    pub problems: Vec<Problem>,
}

/// Phase of the work, with its tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPhase {
    pub number: u32,
    pub name: String,
    /// Text in parentheses after the name.
    pub note: Option<String>,
    /// From 1.
    pub line: usize,
}

/// Task of a specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub id: SpecId,
    pub title: String,
    /// Ids of the requirements, stories, components and decisions it refers to.
    pub refs: Vec<SpecId>,
    /// Index of its phase.
    pub phase: Option<usize>,
    /// From 1.
    pub line: usize,
    pub done: bool,
    /// Prerequisite tasks, each with the line that names it.
    pub depends_on: Vec<(SpecId, usize)>,
    pub mode: TaskMode,
    pub files: Vec<String>,
    /// True if it has a file list, even one that says "none".
    pub states_files: bool,
    /// Value of its `**Proof:**` line, and that line.
    pub proof: Option<(String, usize)>,
    pub prompt: Option<TaskPrompt>,
    /// Last line of its text.
    pub end: usize,
    pub(super) mark: StateMark,
}

/// Maximum number of dependencies in a file. A few bytes can name hundreds.
const MAX_DEPENDENCIES: usize = 100_000;

impl TaskList {
    /// Parses the file.
    pub fn parse(text: &str) -> TaskList {
        let outline = outline(text);
        let mut parser = Parser {
            list: TaskList::default(),
            section: Section::Work,
            open: None,
            seen: BTreeSet::new(),
            arrows: Vec::new(),
            budget: MAX_DEPENDENCIES,
        };
        for line in &outline.lines {
            parser.read(line);
        }
        if let Some(fence) = outline.unclosed_fence {
            parser.list.problems.push(Problem::new(fence.line, "this fence is never closed"));
        }
        parser.finish(outline.lines.last().map_or(0, |line| line.number))
    }

    /// The task with this id, the first if there are several.
    pub fn task(&self, id: &SpecId) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == *id)
    }

    /// Number of complete tasks and of all tasks.
    pub fn counts(&self) -> (usize, usize) {
        (self.tasks.iter().filter(|task| task.done).count(), self.tasks.len())
    }

    /// The names of the phases, as listed in `spec.json`.
    pub fn phase_names(&self) -> Vec<String> {
        self.phases.iter().map(|phase| phase.name.clone()).collect()
    }
}

/// Part of the file that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Work,
    Progress,
    Dependencies,
    /// Completion criteria have checkboxes too, but are no tasks.
    Criteria,
}

/// Level of a task in a list: below all headings.
const IN_LIST: usize = 7;

struct Parser {
    list: TaskList,
    section: Section,
    /// The task whose body is being read, with the level of its heading.
    open: Option<(Task, Body, usize)>,
    seen: BTreeSet<SpecId>,
    arrows: Vec<(SpecId, SpecId, usize)>,
    /// Remaining number of dependencies; see [`MAX_DEPENDENCIES`].
    budget: usize,
}

impl Parser {
    fn read(&mut self, line: &Line<'_>) {
        if line.fenced {
            // Arrows are usually drawn inside a code fence.
            self.read_arrows(line);
        } else if let Some((level, title)) = heading(line.text) {
            self.read_heading(line, level, title);
        } else {
            match self.section {
                Section::Work => self.read_work(line),
                Section::Progress => self.list.progress.read(line.number, line.text),
                Section::Dependencies => self.read_arrows(line),
                Section::Criteria => {}
            }
        }
    }

    fn read_heading(&mut self, line: &Line<'_>, level: usize, title: &str) {
        if let Some((number, name, note)) = heads::parse_phase(title) {
            self.close(line.number - 1);
            self.section = Section::Work;
            self.list.phases.push(TaskPhase { number, name, note, line: line.number });
        } else if let Some(head) = heads::parse_heading(line.text, title) {
            self.section = Section::Work;
            self.open(head, line.number, level);
        } else if self.open.as_ref().is_none_or(|(_, _, task)| level <= *task) {
            self.close(line.number - 1);
            self.section = section_kind(title);
            if self.section == Section::Progress {
                self.list.progress.heading.get_or_insert(line.number);
            }
        }
    }

    fn read_work(&mut self, line: &Line<'_>) {
        if let Some(head) = heads::parse_list_item(line.text)
            && self.is_new_task(&head, line.text)
        {
            self.open(head, line.number, IN_LIST);
        } else if let Some((task, body, _)) = &mut self.open {
            body.read(&task.id, line.number, line.text, &mut self.budget);
        }
    }

    /// True unless the checkbox belongs to the open task: below a heading, the same id is its state, and plain
    /// numbers are its steps.
    fn is_new_task(&self, head: &TaskHead, line: &str) -> bool {
        match &self.open {
            Some((task, _, level)) if *level < IN_LIST => task.id != head.id && has_letter(line),
            _ => true,
        }
    }

    fn open(&mut self, head: TaskHead, line: usize, level: usize) {
        self.close(line - 1);
        let TaskHead { id, title, refs, check } = head;
        if !self.seen.insert(id.clone()) {
            self.list.problems.push(Problem::new(line, format!("{id} is there twice")));
        }
        if title.is_empty() {
            self.list.problems.push(Problem::new(line, format!("{id} has no title")));
        }
        let mark = check.map_or(StateMark::Below { line }, |check| StateMark::Box { line, at: check.at });
        let done = check.is_some_and(|check| check.ticked);
        let phase = self.list.phases.len().checked_sub(1);
        let body = Body::new(check.map(|_| (mark, done)));
        let task = Task {
            id,
            title,
            refs,
            phase,
            line,
            done,
            depends_on: Vec::new(),
            mode: TaskMode::Sequential,
            files: Vec::new(),
            states_files: false,
            proof: None,
            prompt: None,
            end: line,
            mark,
        };
        self.open = Some((task, body, level));
    }

    /// Ends the open task; `last` is the last line before the one that ends it.
    fn close(&mut self, last: usize) {
        let Some((mut task, body, _)) = self.open.take() else { return };
        if let Some((mark, done)) = body.state {
            (task.mark, task.done) = (mark, done);
        }
        task.depends_on = body.depends_on;
        task.mode = body.mode;
        task.files = body.files;
        task.states_files = body.states_files;
        task.proof = body.proof;
        task.prompt = body.prompt;
        task.end = last.max(task.line);
        self.list.tasks.push(task);
    }

    fn read_arrows(&mut self, line: &Line<'_>) {
        if self.section != Section::Dependencies || self.budget == 0 {
            return;
        }
        let Some(pairs) = depends::parse_arrows(line.text) else { return };
        if pairs.is_empty() {
            self.list.problems.push(Problem::new(line.number, "this arrow does not join two tasks"));
        }
        self.budget = self.budget.saturating_sub(pairs.len());
        self.arrows.extend(pairs.into_iter().map(|(first, second)| (first, second, line.number)));
    }

    fn finish(mut self, last: usize) -> TaskList {
        self.close(last);
        let mut list = self.list;
        let mut places = BTreeMap::new();
        for (index, task) in list.tasks.iter().enumerate() {
            places.entry(task.id.clone()).or_insert(index);
        }
        for (first, second, line) in self.arrows {
            match places.get(&second) {
                Some(place) => list.tasks[*place].depends_on.push((first, line)),
                None => list.problems.push(Problem::new(line, format!("{second} does not exist"))),
            }
        }
        for task in &mut list.tasks {
            task.depends_on.sort();
            task.depends_on.dedup_by(|next, kept| next.0 == kept.0);
        }
        list.problems.extend(depends::problems(&list));
        list.problems.extend(progress::problems(&list));
        list.problems.sort();
        list
    }
}

/// True if the id in a checkbox item is spelled with its letter.
fn has_letter(line: &str) -> bool {
    let after_box = line.split_once(']').map_or("", |(_, rest)| rest);
    after_box.trim_start_matches(is_decoration).starts_with(['T', 't'])
}

fn section_kind(title: &str) -> Section {
    let title = title.to_lowercase();
    if title.starts_with("progress") {
        Section::Progress
    } else if title.starts_with("task dependencies")
        || title.starts_with("dependencies")
        || title.starts_with("dependency")
    {
        Section::Dependencies
    } else if title.starts_with("completion")
        || title.starts_with("acceptance")
        || title.starts_with("success criteria")
    {
        Section::Criteria
    } else {
        Section::Work
    }
}
