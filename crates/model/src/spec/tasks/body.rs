//! What stands below a task: its prompt, its files, its mode, what it waits for, and whether it is done.

use super::depends::ids_in;
use super::heads::Check;
use crate::spec::ids::Id;
use crate::spec::outline::{boxed, is_decoration, item, labelled, offset_in};

/// How a task may run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// By itself.
    #[default]
    Sequential,
    /// Beside others.
    Parallel,
    /// Only with a person's consent.
    HumanGate,
}

/// What the agent that takes the task is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    /// Who it is.
    pub role: String,
    /// What it does.
    pub task: String,
    /// What it must not do.
    pub restrictions: String,
    /// How success is recognised.
    pub success: String,
}

/// Where a task's state is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// In a box on this line.
    Box {
        /// The line.
        line: usize,
        /// The byte of its mark.
        at: usize,
    },
    /// As a word on this line, from this byte on.
    Word {
        /// The line.
        line: usize,
        /// The first byte of the word.
        at: usize,
    },
    /// Nowhere yet; it goes below this line.
    Below {
        /// The line.
        line: usize,
    },
}

/// What was read below a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) state: Option<(Mark, bool)>,
    pub(super) depends_on: Vec<(Id, usize)>,
    pub(super) mode: Mode,
    pub(super) files: Vec<String>,
    pub(super) prompt: Option<Prompt>,
    reading: Reading,
}

/// What the next line may continue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Reading {
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
    /// An empty body whose task may have its state on its own line already.
    pub(super) fn starting(state: Option<(Mark, bool)>) -> Body {
        Body { state, ..Body::default() }
    }

    /// Reads one line below the task `id`. `budget` is how many more dependencies the file may state.
    pub(super) fn read(&mut self, id: &Id, number: usize, line: &str, budget: &mut usize) {
        if self.read_state(id, number, line) || self.read_prompt(line) {
            return;
        }
        let Some((label, value)) = labelled(line) else {
            self.continue_files(line);
            return;
        };
        self.reading = Reading::Nothing;
        match label.as_str() {
            "mode" => self.mode = mode(value),
            "files" => {
                self.reading = Reading::Files;
                self.files.extend(entries(value).filter_map(path));
            }
            "depends_on" | "depends on" | "dependencies" | "depends" | "blocked by" => {
                let before = self.depends_on.len();
                self.depends_on.extend(ids_in(value).take(*budget).map(|id| (id, number)));
                *budget -= self.depends_on.len() - before;
            }
            _ => {}
        }
    }

    /// `- [x] Done`, `- [ ] T001 complete` or `**Status:** complete`. The first one counts.
    fn read_state(&mut self, id: &Id, number: usize, line: &str) -> bool {
        if let Some(text) = item(line)
            && let Some((ticked, said)) = boxed(text)
            && is_about(said, id)
        {
            let check = Check { at: offset_in(line, text) + 1, ticked };
            self.state.get_or_insert((Mark::Box { line: number, at: check.at }, check.ticked));
            return true;
        }
        let Some((_, value)) = labelled(line).filter(|(label, _)| label == "status") else { return false };
        let mark = Mark::Word { line: number, at: offset_in(line, value) };
        self.state.get_or_insert((mark, says_done(value)));
        true
    }

    /// `**_Prompt:**` and its four parts, on one line with ` | ` between them or as a list. A part goes on until
    /// the next one or an empty line.
    fn read_prompt(&mut self, line: &str) -> bool {
        let text = item(line).unwrap_or(line).trim();
        let opened = labelled(text).filter(|(label, _)| label == "prompt").map(|(_, value)| value);
        if opened.is_some() {
            self.prompt.get_or_insert_default();
            self.reading = Reading::Prompt(None);
        }
        let (Reading::Prompt(mut part), Some(prompt)) = (self.reading, &mut self.prompt) else {
            return false;
        };
        let rest = opened.unwrap_or(text);
        let known = |piece| labelled(piece).and_then(|(label, value)| Some((part_of(&label)?, value)));
        if text.is_empty() {
            self.reading = Reading::Prompt(None);
            return true;
        }
        if opened.is_none() && known(rest).is_none() && (part.is_none() || labelled(rest).is_some()) {
            return false;
        }
        for piece in rest.split(" | ") {
            let said = match known(piece) {
                Some((next, value)) => {
                    part = Some(next);
                    value
                }
                None => piece,
            };
            if let Some(part) = part {
                push(prompt.part(part), said);
            }
        }
        self.reading = Reading::Prompt(part);
        true
    }

    fn continue_files(&mut self, line: &str) {
        if self.reading != Reading::Files {
            return;
        }
        match item(line) {
            Some(text) => self.files.extend(path(text)),
            None if line.trim().is_empty() => {}
            None => self.reading = Reading::Nothing,
        }
    }
}

impl Prompt {
    fn part(&mut self, part: Part) -> &mut String {
        match part {
            Part::Role => &mut self.role,
            Part::Task => &mut self.task,
            Part::Restrictions => &mut self.restrictions,
            Part::Success => &mut self.success,
        }
    }
}

fn part_of(label: &str) -> Option<Part> {
    match label {
        "role" => Some(Part::Role),
        "task" => Some(Part::Task),
        "restrictions" | "restriction" => Some(Part::Restrictions),
        "success" => Some(Part::Success),
        _ => None,
    }
}

fn push(text: &mut String, said: &str) {
    let said = said.trim_matches(|c: char| c.is_whitespace() || c == '|');
    if !text.is_empty() && !said.is_empty() {
        text.push(' ');
    }
    text.push_str(said);
}

fn mode(value: &str) -> Mode {
    let word = value.split_whitespace().next().unwrap_or_default().trim_matches(is_decoration);
    if word.eq_ignore_ascii_case("parallel") {
        Mode::Parallel
    } else if word.eq_ignore_ascii_case("human_gate") {
        Mode::HumanGate
    } else {
        Mode::Sequential
    }
}

/// What stands between commas; those inside parentheses are part of an entry.
fn entries(value: &str) -> impl Iterator<Item = &str> {
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

/// One entry of a list of files; "none" is none.
fn path(text: &str) -> Option<String> {
    let path = text.trim_matches(|c| is_decoration(c) || matches!(c, '[' | ']' | '"' | '\''));
    let none = ["none", "none.", "n/a", "-", "–", "—"];
    (!path.is_empty() && !none.iter().any(|word| word.eq_ignore_ascii_case(path))).then(|| path.to_owned())
}

/// Whether a box says the state of the task rather than one of its criteria.
fn is_about(said: &str, id: &Id) -> bool {
    let said = said.trim_matches(|c: char| is_decoration(c) || matches!(c, '.' | ':'));
    match Id::at_start(said) {
        Some((other, _)) => other == *id,
        None => {
            says_done(said) && said.split_whitespace().count() == 1
                || said.eq_ignore_ascii_case("task complete")
        }
    }
}

/// Whether a status means that the task is finished.
fn says_done(value: &str) -> bool {
    let word = value.split_whitespace().next().unwrap_or_default();
    let word = word.trim_matches(|c: char| is_decoration(c) || matches!(c, '.' | ','));
    ["complete", "completed", "done", "[x]", "✅"].iter().any(|done| done.eq_ignore_ascii_case(word))
}
