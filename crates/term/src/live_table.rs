//! Live table: the lanes of a panel, and single steps that run beside it.

use crate::lanes::{LaneRow, LaneTable, live_rows};
use crate::style::Style;
use std::time::Duration;

/// Lanes of the open panel, and single steps that are running.
#[derive(Debug, Default)]
pub(crate) struct LiveTable {
    panel: Option<LaneTable>,
    /// True once a lane of the panel has started in this process; until then the panel is not shown.
    has_started: bool,
    others: Vec<LaneRow>,
}

impl LiveTable {
    /// Opens a panel.
    pub(crate) fn open_panel(&mut self, title: &str, lanes: &[(String, String)], now: Duration) {
        self.panel = Some(LaneTable::new(title, lanes, now));
        self.has_started = false;
    }

    /// Starts a step. Returns the compact table if it is the first of its panel.
    pub(crate) fn start(&mut self, step: &str, now: Duration) -> Option<String> {
        if let Some(row) = self.panel.as_mut().and_then(|panel| panel.row(step)) {
            row.start(now);
            let is_first = !std::mem::replace(&mut self.has_started, true);
            return self.panel.as_ref().filter(|_| is_first).map(LaneTable::line);
        }
        self.others.retain(|other| other.step != step);
        let mut row = LaneRow::new(step, step);
        row.start(now);
        self.others.push(row);
        None
    }

    /// Updates the row of a running step.
    pub(crate) fn update(&mut self, step: &str, change: impl FnOnce(&mut LaneRow)) {
        let panel = self.panel.as_mut().and_then(|panel| panel.row(step));
        if let Some(row) = panel.or_else(|| self.others.iter_mut().find(|row| row.step == step)) {
            change(row);
        }
    }

    /// Ends a step. Returns the compact table if the step is a lane of the panel.
    pub(crate) fn finish(&mut self, step: &str, change: impl FnOnce(&mut LaneRow)) -> Option<String> {
        self.others.retain(|row| row.step != step);
        change(self.panel.as_mut()?.row(step)?);
        self.panel.as_ref().map(LaneTable::line)
    }

    /// True if all lanes of the panel have ended.
    pub(crate) fn is_panel_done(&self) -> bool {
        self.panel.as_ref().is_some_and(LaneTable::is_done)
    }

    /// Closes the panel. Returns its last compact table, for a terminal or a log, if any lane started, and whether lanes
    /// were skipped.
    pub(crate) fn close_panel(&mut self, is_tty: bool) -> Option<(String, bool)> {
        let mut panel = self.panel.take()?;
        let has_skipped = panel.skip_waiting();
        let table = if is_tty { panel.summary() } else { panel.line() };
        std::mem::take(&mut self.has_started).then_some((table, has_skipped))
    }

    /// Rows of the live table.
    pub(crate) fn rows(&self, style: Style, now: Duration) -> Vec<String> {
        live_rows(self.panel.as_ref().filter(|_| self.has_started), &self.others, style, now)
    }
}
