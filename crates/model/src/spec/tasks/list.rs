//! The whole file: phases, tasks, dependencies and what it says about its progress.

use super::body::{Body, Mark, Mode, Prompt};
use super::depends;
use super::heads::{self, TaskHead};
use super::progress::{self, Stated};
use crate::spec::Problem;
use crate::spec::ids::Id;
use crate::spec::outline::{Line, heading, is_decoration, outline};
use std::collections::{BTreeMap, BTreeSet};

/// A `tasks.md`, as far as it was understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskList {
    /// The phases, in order.
    pub phases: Vec<Phase>,
    /// The tasks, in order.
    pub tasks: Vec<Task>,
    /// What the file says about its progress.
    pub stated: Stated,
    /// What does not fit.
    pub problems: Vec<Problem>,
}

/// A group of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// What stands in parentheses behind the name.
    pub note: Option<String>,
    /// Its 1-based line.
    pub line: usize,
}

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its id.
    pub id: Id,
    /// Its title.
    pub title: String,
    /// The requirements, stories, components and decisions it refers to.
    pub refs: Vec<Id>,
    /// The index of its phase.
    pub phase: Option<usize>,
    /// Its 1-based line.
    pub line: usize,
    /// Whether it is finished.
    pub done: bool,
    /// What must be finished before, and the line that says so.
    pub depends_on: Vec<(Id, usize)>,
    /// How it may run.
    pub mode: Mode,
    /// The files it touches.
    pub files: Vec<String>,
    /// What the agent that takes it is told.
    pub prompt: Option<Prompt>,
    /// Where its state is written.
    pub(super) mark: Mark,
}

/// The most dependencies a file may state. A few bytes can name hundreds, so there must be an end.
const MOST_DEPENDENCIES: usize = 100_000;

impl TaskList {
    /// Reads a file.
    pub fn parse(text: &str) -> TaskList {
        let outline = outline(text);
        let mut reader = Reader {
            list: TaskList::default(),
            section: Section::Work,
            open: None,
            seen: BTreeSet::new(),
            arrows: Vec::new(),
            budget: MOST_DEPENDENCIES,
        };
        for line in &outline.lines {
            reader.read(line);
        }
        if let Some(line) = outline.unclosed_fence {
            reader.list.problems.push(Problem::new(line, "this fence is never closed"));
        }
        reader.finish()
    }

    /// The task of that id, the first if there are several.
    pub fn task(&self, id: &Id) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == *id)
    }

    /// How many tasks are finished, and how many there are.
    pub fn counts(&self) -> (usize, usize) {
        (self.tasks.iter().filter(|task| task.done).count(), self.tasks.len())
    }

    /// The names of the phases, as `spec.json` lists them.
    pub fn phase_names(&self) -> Vec<String> {
        self.phases.iter().map(|phase| phase.name.clone()).collect()
    }
}

/// The part of the file a line is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Work,
    Progress,
    Dependencies,
    /// Completion criteria have boxes too, but they are no tasks.
    Criteria,
}

/// Below every heading: the level of a task that is a box in a list.
const IN_LIST: usize = 7;

struct Reader {
    list: TaskList,
    section: Section,
    /// The task whose body is being read, with the level of its heading.
    open: Option<(Task, Body, usize)>,
    seen: BTreeSet<Id>,
    arrows: Vec<(Id, Id, usize)>,
    /// How many more dependencies are taken; see [`MOST_DEPENDENCIES`].
    budget: usize,
}

impl Reader {
    fn read(&mut self, line: &Line<'_>) {
        if line.code {
            // Arrows are usually drawn inside a fence.
            self.read_arrows(line);
        } else if let Some((level, title)) = heading(line.text) {
            self.read_heading(line, level, title);
        } else {
            match self.section {
                Section::Work => self.read_work(line),
                Section::Progress => self.list.stated.read(line.number, line.text),
                Section::Dependencies => self.read_arrows(line),
                Section::Criteria => {}
            }
        }
    }

    fn read_heading(&mut self, line: &Line<'_>, level: usize, title: &str) {
        if let Some((number, name, note)) = heads::phase(title) {
            self.close();
            self.section = Section::Work;
            self.list.phases.push(Phase { number, name, note, line: line.number });
        } else if let Some(head) = heads::in_heading(line.text, title) {
            self.section = Section::Work;
            self.open(head, line.number, level);
        } else if self.open.as_ref().is_none_or(|(_, _, task)| level <= *task) {
            self.close();
            self.section = section(title);
            if self.section == Section::Progress {
                self.list.stated.heading.get_or_insert(line.number);
            }
        }
    }

    fn read_work(&mut self, line: &Line<'_>) {
        if let Some(head) = heads::in_list(line.text)
            && self.is_new_task(&head, line.text)
        {
            self.open(head, line.number, IN_LIST);
        } else if let Some((task, body, _)) = &mut self.open {
            body.read(&task.id, line.number, line.text, &mut self.budget);
        }
    }

    /// Below a heading, a box with the same id is that task's state, and plain numbers are steps of its own.
    fn is_new_task(&self, head: &TaskHead, line: &str) -> bool {
        match &self.open {
            Some((task, _, level)) if *level < IN_LIST => task.id != head.id && has_letter(line),
            _ => true,
        }
    }

    fn open(&mut self, head: TaskHead, line: usize, level: usize) {
        self.close();
        let TaskHead { id, title, refs, check } = head;
        if !self.seen.insert(id.clone()) {
            self.list.problems.push(Problem::new(line, format!("{id} is there twice")));
        }
        if title.is_empty() {
            self.list.problems.push(Problem::new(line, format!("{id} has no title")));
        }
        let mark = check.map_or(Mark::Below { line }, |check| Mark::Box { line, at: check.at });
        let done = check.is_some_and(|check| check.ticked);
        let phase = self.list.phases.len().checked_sub(1);
        let body = Body::starting(check.map(|_| (mark, done)));
        let task = Task {
            id,
            title,
            refs,
            phase,
            line,
            done,
            depends_on: Vec::new(),
            mode: Mode::Sequential,
            files: Vec::new(),
            prompt: None,
            mark,
        };
        self.open = Some((task, body, level));
    }

    fn close(&mut self) {
        let Some((mut task, body, _)) = self.open.take() else { return };
        if let Some((mark, done)) = body.state {
            (task.mark, task.done) = (mark, done);
        }
        task.depends_on = body.depends_on;
        task.mode = body.mode;
        task.files = body.files;
        task.prompt = body.prompt;
        self.list.tasks.push(task);
    }

    fn read_arrows(&mut self, line: &Line<'_>) {
        if self.section != Section::Dependencies || self.budget == 0 {
            return;
        }
        let Some(pairs) = depends::arrows(line.text) else { return };
        if pairs.is_empty() {
            self.list.problems.push(Problem::new(line.number, "this arrow does not join two tasks"));
        }
        self.budget = self.budget.saturating_sub(pairs.len());
        self.arrows.extend(pairs.into_iter().map(|(first, second)| (first, second, line.number)));
    }

    fn finish(mut self) -> TaskList {
        self.close();
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

/// Whether the id of a box in a list is spelled with its letter.
fn has_letter(line: &str) -> bool {
    let after_box = line.split_once(']').map_or("", |(_, rest)| rest);
    after_box.trim_start_matches(is_decoration).starts_with(['T', 't'])
}

fn section(title: &str) -> Section {
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
