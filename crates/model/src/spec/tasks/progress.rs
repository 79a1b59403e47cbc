//! What a file says about its own progress: `**Total:** 3/12 tasks complete`, or older lists of counts.

use super::list::TaskList;
use crate::spec::Problem;
use crate::spec::outline::{labelled, offset_in};

/// The lines of the progress section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stated {
    /// Finished and all tasks, and the line that says so.
    pub total: Option<(usize, usize, usize)>,
    /// The section's heading.
    pub(super) heading: Option<usize>,
    /// Every line of it that holds a count.
    pub(super) lines: Vec<usize>,
}

impl Stated {
    pub(super) fn read(&mut self, number: usize, line: &str) {
        let Some((subject, value)) = subject(line) else { return };
        self.lines.push(number);
        if subject == Subject::All
            && let Some((done, total)) = fraction(value)
        {
            let (Ok(done), Ok(total)) = (done.parse(), total.parse()) else { return };
            self.total.get_or_insert((done, total, number));
        }
    }
}

/// Counts for the whole and for each phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counts {
    all: (usize, usize),
    phases: Vec<(u32, usize, usize)>,
}

impl Counts {
    pub(super) fn of(list: &TaskList) -> Counts {
        let mut phases: Vec<_> = list.phases.iter().map(|phase| (phase.number, 0, 0)).collect();
        for task in &list.tasks {
            if let Some(phase) = task.phase.and_then(|index| phases.get_mut(index)) {
                phase.1 += usize::from(task.done);
                phase.2 += 1;
            }
        }
        Counts { all: list.counts(), phases }
    }

    /// The line for the whole.
    pub(super) fn line(&self) -> String {
        let (done, total) = self.all;
        format!("**Total:** {done}/{total} tasks complete")
    }
}

/// The line with its counts brought up to date; `None` if it holds none that are understood.
pub(super) fn rewritten(line: &str, counts: &Counts) -> Option<String> {
    let (subject, value) = subject(line)?;
    let (done, total) = match subject {
        Subject::Phase(number) => {
            let phase = counts.phases.iter().find(|(phase, _, _)| *phase == number)?;
            (phase.1, phase.2)
        }
        _ => counts.all,
    };
    let before = &line[..offset_in(line, value)];
    if let Some((said_done, said_total)) = fraction(value) {
        let second = offset_in(value, said_total);
        let between = &value[said_done.len()..second];
        let rest = with_percent(&value[second + said_total.len()..], done, total);
        return Some(format!("{before}{done}{between}{total}{rest}"));
    }
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let count = match subject {
        Subject::All | Subject::Phase(_) => total,
        Subject::Done => done,
        Subject::Open => total - done,
    };
    Some(format!("{before}{count}{}", with_percent(&value[digits..], done, total)))
}

pub(in crate::spec) fn problems(list: &TaskList) -> Option<Problem> {
    let (said_done, said_total, line) = list.stated.total?;
    let (done, total) = list.counts();
    ((said_done, said_total) != (done, total)).then(|| {
        Problem::new(line, format!("progress says {said_done}/{said_total}, the tasks say {done}/{total}"))
    })
}

/// What a count is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    All,
    Done,
    Open,
    Phase(u32),
}

/// The subject of a line and the text behind its label, if it holds a count.
fn subject(line: &str) -> Option<(Subject, &str)> {
    let (label, value) = labelled(line)?;
    if !value.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let subject = match label.as_str() {
        "total" | "total tasks" | "tasks" | "progress" | "overall" | "overall progress" => Subject::All,
        "completed" | "complete" | "done" | "completed tasks" | "tasks complete" | "tasks completed" => {
            Subject::Done
        }
        "remaining" | "pending" | "open" | "to do" | "remaining tasks" | "tasks remaining" => Subject::Open,
        label => {
            let number = label.strip_prefix("phase ")?;
            let digits = number.bytes().take_while(u8::is_ascii_digit).count();
            Subject::Phase(number[..digits].parse().ok()?)
        }
    };
    Some((subject, value))
}

/// The digits of `3/12`, `3 / 12` or `3 of 12` at the start of a text.
fn fraction(value: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let first = digits(value);
    let rest = value[first..].trim_start();
    let second = rest.strip_prefix('/').or_else(|| rest.strip_prefix("of "))?.trim_start();
    let length = digits(second);
    (first > 0 && length > 0).then(|| (&value[..first], &second[..length]))
}

/// A text with its first `NN%` brought up to date.
fn with_percent(text: &str, done: usize, total: usize) -> String {
    let Some(sign) = text.find('%') else { return text.to_owned() };
    let number = text[..sign].trim_end_matches(|c: char| c.is_ascii_digit());
    if number.len() == sign {
        return text.to_owned();
    }
    let percent = (done * 100).checked_div(total).unwrap_or(0);
    format!("{number}{percent}{}", &text[sign..])
}
