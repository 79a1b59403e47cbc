//! Who is at work: the seats of a panel, and single steps. As lines for a log, or as rows that tick.

use crate::style::{Style, Tone};
use crate::text::{columns, fit, padded};
use charrette_model::progress::{Lane, LaneState, elapsed, status_line};
use charrette_model::shown::one_line;
use std::time::Duration;

/// How many rows are shown at most; what is more is counted.
const MOST_ROWS: usize = 12;
/// How many characters the bar has.
const BAR: usize = 20;
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// One step, as somebody who works.
#[derive(Debug, Clone)]
pub(crate) struct Worker {
    pub(crate) step: String,
    name: String,
    agent: Option<String>,
    /// The last agent gave no answer.
    is_unanswered: bool,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Working { since: Duration },
    Ended(LaneState),
}

impl Worker {
    pub(crate) fn new(step: &str, name: &str) -> Worker {
        Worker {
            step: step.to_owned(),
            name: one_line(name),
            agent: None,
            is_unanswered: false,
            state: State::Waiting,
        }
    }

    /// It begins, or begins again.
    pub(crate) fn start(&mut self, now: Duration) {
        if !matches!(self.state, State::Working { .. }) {
            self.state = State::Working { since: now };
        }
    }

    pub(crate) fn seat(&mut self, agent: &str) {
        self.agent = Some(one_line(agent));
        self.is_unanswered = false;
    }

    pub(crate) fn unanswered(&mut self) {
        self.is_unanswered = true;
    }

    pub(crate) fn reuse(&mut self) {
        self.state = State::Ended(LaneState::Before);
    }

    /// It is over; without any answer, that is a failure, whatever the flow makes of it.
    pub(crate) fn finish(&mut self, now: Duration, has_output: bool) {
        let failed = self.is_unanswered && !has_output;
        self.state = State::Ended(self.ended(now, failed));
    }

    pub(crate) fn fail(&mut self, now: Duration) {
        self.state = State::Ended(self.ended(now, true));
    }

    fn ended(&self, now: Duration, failed: bool) -> LaneState {
        let seconds = match self.state {
            State::Working { since } => now.saturating_sub(since).as_secs(),
            State::Waiting | State::Ended(_) => 0,
        };
        if failed { LaneState::Failed(seconds) } else { LaneState::Done(seconds) }
    }

    fn row(&self, widest: usize, now: Duration) -> String {
        let (icon, time) = match self.state {
            State::Waiting => ("○", String::new()),
            State::Working { since } => {
                let frame = usize::try_from(now.as_millis() / 200).unwrap_or_default() % SPINNER.len();
                (SPINNER[frame], elapsed(now.saturating_sub(since).as_secs()))
            }
            State::Ended(LaneState::Done(seconds)) => ("✅", elapsed(seconds)),
            State::Ended(LaneState::Failed(seconds)) => ("❌", elapsed(seconds)),
            State::Ended(LaneState::Before | LaneState::Pending) => ("✅", "before".to_owned()),
            State::Ended(LaneState::Skipped) => ("⊘", String::new()),
        };
        let agent = self.agent.as_deref().unwrap_or_default();
        format!("  {} {}  {}  {time}", padded(icon, 2), padded(&self.name, widest), padded(agent, 10))
    }
}

/// People who work beside each other, under one title.
#[derive(Debug)]
pub(crate) struct Panel {
    title: String,
    began: Duration,
    workers: Vec<Worker>,
}

impl Panel {
    pub(crate) fn new(title: &str, lanes: &[(String, String)], now: Duration) -> Panel {
        let workers = lanes.iter().map(|(step, name)| Worker::new(step, name)).collect();
        Panel { title: one_line(title), began: now, workers }
    }

    pub(crate) fn worker(&mut self, step: &str) -> Option<&mut Worker> {
        self.workers.iter_mut().find(|worker| worker.step == step)
    }

    /// Whoever has not begun by now never will. Whether there was any.
    pub(crate) fn dismiss(&mut self) -> bool {
        let mut any = false;
        for worker in self.workers.iter_mut().filter(|worker| worker.state == State::Waiting) {
            worker.state = State::Ended(LaneState::Skipped);
            any = true;
        }
        any
    }

    /// Whether everybody is through.
    pub(crate) fn is_through(&self) -> bool {
        self.workers.iter().all(|worker| matches!(worker.state, State::Ended(_)))
    }

    /// The compact table.
    pub(crate) fn line(&self) -> String {
        let state = |worker: &Worker| match worker.state {
            State::Waiting | State::Working { .. } => LaneState::Pending,
            State::Ended(state) => state,
        };
        let lanes: Vec<Lane<'_>> =
            self.workers.iter().map(|worker| Lane { name: &worker.name, state: state(worker) }).collect();
        status_line(&self.title, &lanes)
    }
}

/// The rows that tick: the panel with a bar, then whoever else works.
pub(crate) fn rows(panel: Option<&Panel>, others: &[Worker], style: Style, now: Duration) -> Vec<String> {
    let mut rows = Vec::new();
    let mut workers: Vec<&Worker> = Vec::new();
    if let Some(panel) = panel {
        let done = panel.workers.iter().filter(|worker| matches!(worker.state, State::Ended(_))).count();
        let all = panel.workers.len().max(1);
        let time = elapsed(now.saturating_sub(panel.began).as_secs());
        let head = format!("📊 {} {} {done}/{all} | {time}", panel.title, bar(done, all));
        rows.push(style.paint(Tone::Heading, &fit(&head, style.width.saturating_sub(1))));
        workers.extend(&panel.workers);
    }
    workers.extend(others);
    let hidden = workers.len().saturating_sub(MOST_ROWS);
    if hidden > 0 {
        // Whoever works is worth a row before whoever is done or has not begun.
        workers.sort_by_key(|worker| !matches!(worker.state, State::Working { .. }));
        workers.truncate(MOST_ROWS);
    }
    let widest = workers.iter().map(|worker| columns(&worker.name)).max().unwrap_or_default();
    let widest = widest.min(style.width / 2);
    for worker in workers {
        rows.push(fit(worker.row(widest, now).trim_end(), style.width.saturating_sub(1)));
    }
    if hidden > 0 {
        rows.push(format!("  … and {hidden} more"));
    }
    rows
}

fn bar(done: usize, all: usize) -> String {
    let full = BAR * done / all;
    format!("[{}{}] {}%", "=".repeat(full), " ".repeat(BAR - full), 100 * done / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel() -> Panel {
        let lanes: Vec<(String, String)> = [
            ("sketch/arch", "Cursor-Arch"),
            ("sketch/edge", "Cursor-Edge"),
            ("sketch/new", "レート制限"),
            ("sketch/last", "Codex-Pragmatic"),
        ]
        .map(|(step, name)| (step.to_owned(), name.to_owned()))
        .to_vec();
        let at = Duration::from_secs;
        let mut panel = Panel::new("Sketches (regular)", &lanes, at(10));
        panel.worker("sketch/arch").unwrap().start(at(11));
        panel.worker("sketch/arch").unwrap().seat("codex");
        panel.worker("sketch/edge").unwrap().start(at(11));
        panel.worker("sketch/edge").unwrap().seat("claude");
        panel.worker("sketch/edge").unwrap().finish(at(196), true);
        panel.worker("sketch/new").unwrap().start(at(12));
        panel.worker("sketch/new").unwrap().seat("gemini");
        panel.worker("sketch/new").unwrap().unanswered();
        panel.worker("sketch/new").unwrap().finish(at(72), false);
        panel
    }

    #[test]
    fn the_compact_table_says_where_everybody_is() {
        let mut panel = panel();
        assert_eq!(
            panel.line(),
            "📊 Sketches (regular): | Cursor-Arch: ⏳ | Cursor-Edge: ✅ 3m5s | レート制限: ❌ 1m | Codex-Pragmatic: ⏳ |"
        );
        assert!(panel.dismiss());
        assert!(panel.line().ends_with("| Codex-Pragmatic: ⊘ |"));
    }

    #[test]
    fn the_live_table_ticks_and_fits() {
        insta::allow_duplicates! { for width in [80, 120] {
            let style = Style { color: false, width, is_tty: true };
            let mut other = Worker::new("aggregator", "aggregator");
            other.start(Duration::from_secs(200));
            let rows = rows(Some(&panel()), &[other], style, Duration::from_secs(230));
            insta::assert_snapshot!(rows.join("\n"), @r"
            📊 Sketches (regular) [==========          ] 50% 2/4 | 3m40s
              ⠋  Cursor-Arch      codex       3m39s
              ✅ Cursor-Edge      claude      3m5s
              ❌ レート制限       gemini      1m
              ○  Codex-Pragmatic
              ⠋  aggregator                   30s
            ");
        } }
    }

    #[test]
    fn a_crowd_does_not_fill_the_screen() {
        let lanes: Vec<(String, String)> =
            (0..200).map(|n| (format!("member/{n}"), format!("member-{n}"))).collect();
        let mut panel = Panel::new("Members", &lanes, Duration::ZERO);
        panel.worker("member/150").unwrap().start(Duration::ZERO);
        let style = Style { color: false, width: 30, is_tty: true };
        let rows = rows(Some(&panel), &[], style, Duration::from_secs(5));
        assert_eq!(rows.len(), MOST_ROWS + 2);
        assert!(rows[1].contains("member-150"), "{rows:?}");
        assert!(rows.iter().all(|row| columns(row) < 30), "{rows:?}");
    }
}
