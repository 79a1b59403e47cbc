//! Progress stated in `tasks.md`: `**Total:** 3/12 tasks complete`, or older lists of counts.

use super::list::TaskList;
use crate::markdown::{offset_in, parse_label};
use crate::spec::Problem;

/// Total stated in the progress section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatedTotal {
    /// Complete tasks.
    pub done: usize,
    /// All tasks.
    pub total: usize,
    pub line: usize,
}

/// Parsed progress section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgressSection {
    pub total: Option<StatedTotal>,
    /// Line number of the heading.
    pub(super) heading: Option<usize>,
    /// Numbers of all lines with a count.
    pub(super) lines: Vec<usize>,
}

impl ProgressSection {
    pub(super) fn read(&mut self, number: usize, line: &str) {
        let Some((subject, value)) = subject(line) else { return };
        self.lines.push(number);
        if subject == Subject::All
            && let Some((done, total)) = fraction(value)
        {
            let (Ok(done), Ok(total)) = (done.parse(), total.parse()) else { return };
            self.total.get_or_insert(StatedTotal { done, total, line: number });
        }
    }
}

/// Counts of the whole list and of each phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counts {
    all: (usize, usize),
    phases: Vec<(u32, usize, usize)>,
}

impl Counts {
    pub(super) fn new(list: &TaskList) -> Counts {
        let mut phases: Vec<_> = list.phases.iter().map(|phase| (phase.number, 0, 0)).collect();
        for task in &list.tasks {
            if let Some(phase) = task.phase.and_then(|index| phases.get_mut(index)) {
                phase.1 += usize::from(task.done);
                phase.2 += 1;
            }
        }
        Counts { all: list.counts(), phases }
    }

    /// The line with the total.
    pub(super) fn line(&self) -> String {
        let (done, total) = self.all;
        format!("**Total:** {done}/{total} tasks complete")
    }
}

/// Updates the counts of a line; none if it has no known count.
pub(super) fn update_line(line: &str, counts: &Counts) -> Option<String> {
    let (subject, value) = subject(line)?;
    let (done, total) = match subject {
        Subject::Phase(number) => {
            let phase = counts.phases.iter().find(|(phase, _, _)| *phase == number)?;
            (phase.1, phase.2)
        }
        _ => counts.all,
    };
    let before = &line[..offset_in(line, value)];
    if let Some((stated_done, stated_total)) = fraction(value) {
        let second = offset_in(value, stated_total);
        let between = &value[stated_done.len()..second];
        let rest = with_percent(&value[second + stated_total.len()..], done, total);
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
    let StatedTotal { done: stated_done, total: stated_total, line } = list.progress.total?;
    let (done, total) = list.counts();
    ((stated_done, stated_total) != (done, total)).then(|| {
        Problem::new(
            line,
            format!("progress says {stated_done}/{stated_total}, the tasks say {done}/{total}"),
        )
    })
}

/// Subject of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    All,
    Done,
    Open,
    Phase(u32),
}

/// The subject of a line and the text after its label, if it has a count.
fn subject(line: &str) -> Option<(Subject, &str)> {
    let (label, value) = parse_label(line)?;
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

/// Splits `3/12`, `3 / 12` or `3 of 12` at the start of a text.
fn fraction(value: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let first = digits(value);
    let rest = value[first..].trim_start();
    let second = rest.strip_prefix('/').or_else(|| rest.strip_prefix("of "))?.trim_start();
    let length = digits(second);
    (first > 0 && length > 0).then(|| (&value[..first], &second[..length]))
}

/// Updates the first `NN%` of a text.
fn with_percent(text: &str, done: usize, total: usize) -> String {
    let Some(sign) = text.find('%') else { return text.to_owned() };
    let number = text[..sign].trim_end_matches(|c: char| c.is_ascii_digit());
    if number.len() == sign {
        return text.to_owned();
    }
    let percent = (done * 100).checked_div(total).unwrap_or(0);
    format!("{number}{percent}{}", &text[sign..])
}
