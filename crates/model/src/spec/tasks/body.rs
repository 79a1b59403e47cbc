//! Body of a task: its prompt, files, mode, dependencies and state.

use super::depends::parse_task_ids;
use super::heads::Checkbox;
use crate::markdown::{is_decoration, item, offset_in, parse_checkbox, parse_label};
use crate::spec::check::paths::strip_emphasis;
use crate::spec::ids::SpecId;

/// Execution mode of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TaskMode {
    #[default]
    Sequential,
    Parallel,
    /// Needs approval by a person.
    HumanGate,
}

/// Prompt of the agent that takes the task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskPrompt {
    pub role: String,
    pub task: String,
    pub restrictions: String,
    /// Success criteria.
    pub success: String,
}

/// Position of a task's state in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateMark {
    /// In a checkbox.
    Box {
        line: usize,
        /// Byte offset of the mark.
        at: usize,
    },
    /// As a status word.
    Word {
        line: usize,
        /// Byte offset of the word.
        at: usize,
    },
    /// Not stated yet; to be inserted below this line.
    Below { line: usize },
}

/// Parsed body of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) state: Option<(StateMark, bool)>,
    pub(super) depends_on: Vec<(SpecId, usize)>,
    pub(super) mode: TaskMode,
    pub(super) files: Vec<String>,
    pub(super) states_files: bool,
    pub(super) proof: Option<(String, usize)>,
    pub(super) prompt: Option<TaskPrompt>,
    continuation: Continuation,
}

/// Part that the next line may continue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Continuation {
    #[default]
    Nothing,
    Files,
    Prompt(Option<Part>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Role,
    Task,
    Restrictions,
    Success,
}

impl Body {
    /// An empty body; the line of the task may state its state already.
    pub(super) fn new(state: Option<(StateMark, bool)>) -> Body {
        Body { state, ..Body::default() }
    }

    /// Parses one line below the task `id`. `budget` is the remaining number of dependencies for the file.
    pub(super) fn read(&mut self, id: &SpecId, number: usize, line: &str, budget: &mut usize) {
        if self.read_state(id, number, line) || self.read_prompt(line) {
            return;
        }
        let Some((label, value)) = parse_label(line) else {
            self.continue_files(line);
            return;
        };
        self.continuation = Continuation::Nothing;
        match label.as_str() {
            "mode" => self.mode = parse_mode(value),
            "files" => {
                self.continuation = Continuation::Files;
                self.states_files = true;
                self.files.extend(split_entries(value).filter_map(parse_file));
            }
            "proof" => drop(self.proof.get_or_insert_with(|| (value.trim().to_owned(), number))),
            "depends_on" | "depends on" | "dependencies" | "depends" | "blocked by" => {
                let before = self.depends_on.len();
                self.depends_on.extend(parse_task_ids(value).take(*budget).map(|id| (id, number)));
                *budget -= self.depends_on.len() - before;
            }
            _ => {}
        }
    }

    /// Parses `- [x] Done`, `- [ ] T001 complete` or `**Status:** complete`. The first one counts.
    fn read_state(&mut self, id: &SpecId, number: usize, line: &str) -> bool {
        if let Some(text) = item(line)
            && let Some((ticked, label)) = parse_checkbox(text)
            && is_state_of(label, id)
        {
            let check = Checkbox { at: offset_in(line, text) + 1, ticked };
            self.state.get_or_insert((StateMark::Box { line: number, at: check.at }, check.ticked));
            return true;
        }
        let Some((_, value)) = parse_label(line).filter(|(label, _)| label == "status") else { return false };
        let mark = StateMark::Word { line: number, at: offset_in(line, value) };
        self.state.get_or_insert((mark, says_done(value)));
        true
    }

    /// Parses `**_Prompt:**` and its four parts, on one line with ` | ` between them or as a list. A part ends
    /// at the next one or an empty line.
    fn read_prompt(&mut self, line: &str) -> bool {
        let text = item(line).unwrap_or(line).trim();
        let opened = parse_label(text).filter(|(label, _)| label == "prompt").map(|(_, value)| value);
        if opened.is_some() {
            self.prompt.get_or_insert_default();
            self.continuation = Continuation::Prompt(None);
        }
        let (Continuation::Prompt(mut part), Some(prompt)) = (self.continuation, &mut self.prompt) else {
            return false;
        };
        let rest = opened.unwrap_or(text);
        let known = |piece| parse_label(piece).and_then(|(label, value)| Some((parse_part(&label)?, value)));
        if text.is_empty() {
            self.continuation = Continuation::Prompt(None);
            return true;
        }
        if opened.is_none() && known(rest).is_none() && (part.is_none() || parse_label(rest).is_some()) {
            return false;
        }
        for piece in rest.split(" | ") {
            let value = match known(piece) {
                Some((next, value)) => {
                    part = Some(next);
                    value
                }
                None => piece,
            };
            if let Some(part) = part {
                append_text(prompt.part(part), value);
            }
        }
        self.continuation = Continuation::Prompt(part);
        true
    }

    fn continue_files(&mut self, line: &str) {
        if self.continuation != Continuation::Files {
            return;
        }
        match item(line) {
            Some(text) => self.files.extend(parse_file(text)),
            None if line.trim().is_empty() => {}
            None => self.continuation = Continuation::Nothing,
        }
    }
}

impl TaskPrompt {
    fn part(&mut self, part: Part) -> &mut String {
        match part {
            Part::Role => &mut self.role,
            Part::Task => &mut self.task,
            Part::Restrictions => &mut self.restrictions,
            Part::Success => &mut self.success,
        }
    }
}

fn parse_part(label: &str) -> Option<Part> {
    match label {
        "role" => Some(Part::Role),
        "task" => Some(Part::Task),
        "restrictions" | "restriction" => Some(Part::Restrictions),
        "success" => Some(Part::Success),
        _ => None,
    }
}

fn append_text(text: &mut String, value: &str) {
    let value = value.trim_matches(|c: char| c.is_whitespace() || c == '|');
    if !text.is_empty() && !value.is_empty() {
        text.push(' ');
    }
    text.push_str(value);
}

fn parse_mode(value: &str) -> TaskMode {
    let word = value.split_whitespace().next().unwrap_or_default().trim_matches(is_decoration);
    if word.eq_ignore_ascii_case("parallel") {
        TaskMode::Parallel
    } else if ["human_gate", "human-gate", "human"].iter().any(|human| word.eq_ignore_ascii_case(human)) {
        TaskMode::HumanGate
    } else {
        TaskMode::Sequential
    }
}

/// Splits at commas outside parentheses.
fn split_entries(value: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    value.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}

/// Parses an entry of a file list; none for "none".
fn parse_file(text: &str) -> Option<String> {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '\\' | '"' | '\'');
    let path = strip_emphasis(text.trim_matches(is_mark));
    let path = path.trim_start_matches('[');
    // A list in brackets is split at its commas; a class of a glob is closed.
    let path = if path.contains('[') { path } else { path.trim_end_matches(']') };
    let path = path
        .strip_prefix('`')
        .and_then(|open| open.strip_suffix('`'))
        .filter(|inside| !inside.contains('`'))
        .unwrap_or(path);
    let none = ["none", "none.", "n/a", "-", "–", "—"];
    (!path.is_empty() && !none.iter().any(|word| word.eq_ignore_ascii_case(path))).then(|| path.to_owned())
}

/// True if a checkbox states the state of the task, not one of its criteria.
fn is_state_of(label: &str, id: &SpecId) -> bool {
    let label = label.trim_matches(|c: char| is_decoration(c) || matches!(c, '.' | ':'));
    match SpecId::parse_prefix(label) {
        Some((other, _)) => other == *id,
        None => {
            says_done(label) && label.split_whitespace().count() == 1
                || label.eq_ignore_ascii_case("task complete")
        }
    }
}

/// True if a status means that the task is complete.
fn says_done(value: &str) -> bool {
    let word = value.split_whitespace().next().unwrap_or_default();
    let word = word.trim_matches(|c: char| is_decoration(c) || matches!(c, '.' | ','));
    ["complete", "completed", "done", "[x]", "✅"].iter().any(|done| done.eq_ignore_ascii_case(word))
}
