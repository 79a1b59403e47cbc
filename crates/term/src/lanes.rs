//! Lanes of a panel and single steps, as summary lines for a log or as live rows.

use crate::style::{Style, Tone};
use crate::text::{columns, fit, padded};
use charrette_model::escape::one_line;
use charrette_model::progress::{LaneState, TableLane, elapsed, status_line};
use std::time::Duration;

/// Maximum number of live rows; the rest is counted.
const MAX_ROWS: usize = 12;
/// Width of the progress bar.
const BAR_WIDTH: usize = 20;
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// Row of one step.
#[derive(Debug, Clone)]
pub(crate) struct LaneRow {
    pub(crate) step: String,
    name: String,
    agent: Option<String>,
    /// True if the last agent gave no answer.
    is_unanswered: bool,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Working { since: Duration },
    Ended(LaneState),
}

impl LaneRow {
    pub(crate) fn new(step: &str, name: &str) -> LaneRow {
        LaneRow {
            step: step.to_owned(),
            name: one_line(name),
            agent: None,
            is_unanswered: false,
            state: State::Waiting,
        }
    }

    /// Marks the step as running, unless it is already.
    pub(crate) fn start(&mut self, now: Duration) {
        if !matches!(self.state, State::Working { .. }) {
            self.state = State::Working { since: now };
        }
    }

    pub(crate) fn set_agent(&mut self, agent: &str) {
        self.agent = Some(one_line(agent));
        self.is_unanswered = false;
    }

    pub(crate) fn mark_unanswered(&mut self) {
        self.is_unanswered = true;
    }

    pub(crate) fn mark_reused(&mut self) {
        self.state = State::Ended(LaneState::DoneEarlier);
    }

    /// Marks the step as ended. Without an answer and without output it counts as failed.
    pub(crate) fn finish(&mut self, now: Duration, has_output: bool) {
        let failed = self.is_unanswered && !has_output;
        self.state = State::Ended(self.end_state(now, failed));
    }

    pub(crate) fn fail(&mut self, now: Duration) {
        self.state = State::Ended(self.end_state(now, true));
    }

    fn end_state(&self, now: Duration, failed: bool) -> LaneState {
        let seconds = match self.state {
            State::Working { since } => now.saturating_sub(since).as_secs(),
            State::Waiting | State::Ended(_) => 0,
        };
        if failed { LaneState::Failed(seconds) } else { LaneState::Done(seconds) }
    }

    /// Lens and agent, without the vendor that the seat is named after.
    fn label(&self) -> String {
        match (lens(&self.name), self.agent.as_deref()) {
            ("", Some(agent)) => agent.to_owned(),
            ("", None) => self.name.clone(),
            (lens, Some(agent)) => format!("{lens} · {agent}"),
            (lens, None) => lens.to_owned(),
        }
    }

    fn icon(&self, now: Duration) -> (&'static str, String) {
        match self.state {
            State::Waiting => ("○", String::new()),
            State::Working { since } => {
                let frame = usize::try_from(now.as_millis() / 200).unwrap_or_default() % SPINNER.len();
                (SPINNER[frame], elapsed(now.saturating_sub(since).as_secs()))
            }
            State::Ended(LaneState::Done(seconds)) => ("✅", elapsed(seconds)),
            State::Ended(LaneState::Failed(seconds)) => ("❌", elapsed(seconds)),
            State::Ended(LaneState::DoneEarlier | LaneState::Pending) => ("✅", "before".to_owned()),
            State::Ended(LaneState::Skipped) => ("⊘", String::new()),
        }
    }

    fn text(&self, widest: usize, now: Duration) -> String {
        let (icon, time) = self.icon(now);
        format!("  {} {}  {time}", padded(icon, 2), padded(&self.label(), widest))
    }
}

/// Lanes of a panel, under one title.
#[derive(Debug)]
pub(crate) struct LaneTable {
    title: String,
    began: Duration,
    rows: Vec<LaneRow>,
}

impl LaneTable {
    pub(crate) fn new(title: &str, lanes: &[(String, String)], now: Duration) -> LaneTable {
        let rows = lanes.iter().map(|(step, name)| LaneRow::new(step, name)).collect();
        LaneTable { title: one_line(title), began: now, rows }
    }

    pub(crate) fn row(&mut self, step: &str) -> Option<&mut LaneRow> {
        self.rows.iter_mut().find(|row| row.step == step)
    }

    /// Marks lanes that have not begun as skipped. True if there were any.
    pub(crate) fn skip_waiting(&mut self) -> bool {
        let mut any = false;
        for row in self.rows.iter_mut().filter(|row| row.state == State::Waiting) {
            row.state = State::Ended(LaneState::Skipped);
            any = true;
        }
        any
    }

    /// True if all lanes have ended.
    pub(crate) fn is_done(&self) -> bool {
        self.rows.iter().all(|row| matches!(row.state, State::Ended(_)))
    }

    /// Lanes for a terminal, on one line: lens, agent, state.
    pub(crate) fn summary(&self) -> String {
        let lane = |row: &LaneRow| {
            let (icon, time) = row.icon(Duration::ZERO);
            format!("{} {icon} {time}", row.label()).trim_end().to_owned()
        };
        format!("📊 {}: {}", self.title, self.rows.iter().map(lane).collect::<Vec<_>>().join(", "))
    }

    /// Compact table on one line, for logs.
    pub(crate) fn line(&self) -> String {
        let state = |row: &LaneRow| match row.state {
            State::Waiting | State::Working { .. } => LaneState::Pending,
            State::Ended(state) => state,
        };
        let lanes: Vec<TableLane<'_>> =
            self.rows.iter().map(|row| TableLane { name: &row.name, state: state(row) }).collect();
        status_line(&self.title, &lanes)
    }
}

/// Live rows: the table with a progress bar, then single steps.
pub(crate) fn live_rows(
    table: Option<&LaneTable>,
    others: &[LaneRow],
    style: Style,
    now: Duration,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rows: Vec<&LaneRow> = Vec::new();
    if let Some(table) = table {
        let done = table.rows.iter().filter(|row| matches!(row.state, State::Ended(_))).count();
        let all = table.rows.len().max(1);
        let time = elapsed(now.saturating_sub(table.began).as_secs());
        let head = format!("📊 {} {} {done}/{all} | {time}", table.title, bar(done, all));
        lines.push(style.paint(Tone::Heading, &fit(&head, style.width.saturating_sub(1))));
        rows.extend(&table.rows);
    }
    rows.extend(others);
    let hidden = rows.len().saturating_sub(MAX_ROWS);
    if hidden > 0 {
        // Running lanes are shown before those that have ended or not begun.
        rows.sort_by_key(|row| !matches!(row.state, State::Working { .. }));
        rows.truncate(MAX_ROWS);
    }
    let widest = rows.iter().map(|row| columns(&row.label())).max().unwrap_or_default();
    let widest = widest.min(style.width / 2);
    for row in rows {
        lines.push(fit(row.text(widest, now).trim_end(), style.width.saturating_sub(1)));
    }
    if hidden > 0 {
        lines.push(format!("  … and {hidden} more"));
    }
    lines
}

/// Lens of a seat that is named after a vendor: `Architecture` of `Cursor-Arch`, nothing of `Cursor`.
fn lens(name: &str) -> &str {
    let (vendor, rest) = name.split_once('-').unwrap_or((name, ""));
    match (["Cursor", "Codex", "Claude"].contains(&vendor), rest) {
        (false, _) => name,
        (true, "Arch") => "Architecture",
        (true, "Edge") => "Edge cases",
        (true, rest) => rest,
    }
}

fn bar(done: usize, all: usize) -> String {
    let full = BAR_WIDTH * done / all;
    format!("[{}{}] {}%", "=".repeat(full), " ".repeat(BAR_WIDTH - full), 100 * done / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> LaneTable {
        let lanes: Vec<(String, String)> = [
            ("sketch/arch", "Cursor-Arch"),
            ("sketch/edge", "Cursor-Edge"),
            ("sketch/new", "レート制限"),
            ("sketch/last", "Codex-Pragmatic"),
        ]
        .map(|(step, name)| (step.to_owned(), name.to_owned()))
        .to_vec();
        let at = Duration::from_secs;
        let mut table = LaneTable::new("Sketches (regular)", &lanes, at(10));
        table.row("sketch/arch").unwrap().start(at(11));
        table.row("sketch/arch").unwrap().set_agent("codex");
        table.row("sketch/edge").unwrap().start(at(11));
        table.row("sketch/edge").unwrap().set_agent("claude");
        table.row("sketch/edge").unwrap().finish(at(196), true);
        table.row("sketch/new").unwrap().start(at(12));
        table.row("sketch/new").unwrap().set_agent("gemini");
        table.row("sketch/new").unwrap().mark_unanswered();
        table.row("sketch/new").unwrap().finish(at(72), false);
        table
    }

    #[test]
    fn the_compact_table_shows_every_lane() {
        let mut table = table();
        assert_eq!(
            table.line(),
            "📊 Sketches (regular): | Cursor-Arch: ⏳ | Cursor-Edge: ✅ 3m5s | レート制限: ❌ 1m | Codex-Pragmatic: ⏳ |"
        );
        assert!(table.skip_waiting());
        assert!(table.line().ends_with("| Codex-Pragmatic: ⊘ |"));
    }

    #[test]
    fn the_live_table_ticks_and_fits() {
        insta::allow_duplicates! { for width in [80, 120] {
            let style = Style { color: false, width, is_tty: true };
            let mut other = LaneRow::new("aggregator", "aggregator");
            other.start(Duration::from_secs(200));
            let rows = live_rows(Some(&table()), &[other], style, Duration::from_secs(230));
            insta::assert_snapshot!(rows.join("\n"), @r"
            📊 Sketches (regular) [==========          ] 50% 2/4 | 3m40s
              ⠋  Architecture · codex  3m39s
              ✅ Edge cases · claude   3m5s
              ❌ レート制限 · gemini   1m
              ○  Pragmatic
              ⠋  aggregator            30s
            ");
        } }
    }

    #[test]
    fn a_crowd_does_not_fill_the_screen() {
        let lanes: Vec<(String, String)> =
            (0..200).map(|n| (format!("member/{n}"), format!("member-{n}"))).collect();
        let mut table = LaneTable::new("Members", &lanes, Duration::ZERO);
        table.row("member/150").unwrap().start(Duration::ZERO);
        let style = Style { color: false, width: 30, is_tty: true };
        let rows = live_rows(Some(&table), &[], style, Duration::from_secs(5));
        assert_eq!(rows.len(), MAX_ROWS + 2);
        assert!(rows[1].contains("member-150"), "{rows:?}");
        assert!(rows.iter().all(|row| columns(row) < 30), "{rows:?}");
    }
}
