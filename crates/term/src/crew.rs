//! Everybody who is at work right now: a panel, if one was called, and single steps beside it.

use crate::lanes::{Panel, Worker, rows};
use crate::style::Style;
use std::time::Duration;

/// Everybody who is at work.
#[derive(Debug, Default)]
pub(crate) struct Crew {
    panel: Option<Panel>,
    /// Somebody of the panel worked in this process; until then there is nothing to show of it.
    is_at_work: bool,
    others: Vec<Worker>,
}

impl Crew {
    /// Calls a panel together.
    pub(crate) fn call(&mut self, title: &str, lanes: &[(String, String)], now: Duration) {
        self.panel = Some(Panel::new(title, lanes, now));
        self.is_at_work = false;
    }

    /// A step begins. The table, if it is the first of its panel.
    pub(crate) fn start(&mut self, step: &str, now: Duration) -> Option<String> {
        if let Some(worker) = self.panel.as_mut().and_then(|panel| panel.worker(step)) {
            worker.start(now);
            let is_first = !std::mem::replace(&mut self.is_at_work, true);
            return self.panel.as_ref().filter(|_| is_first).map(Panel::line);
        }
        self.others.retain(|other| other.step != step);
        let mut worker = Worker::new(step, step);
        worker.start(now);
        self.others.push(worker);
        None
    }

    /// Something about a step at work.
    pub(crate) fn note(&mut self, step: &str, change: impl FnOnce(&mut Worker)) {
        let panel = self.panel.as_mut().and_then(|panel| panel.worker(step));
        if let Some(worker) = panel.or_else(|| self.others.iter_mut().find(|worker| worker.step == step)) {
            change(worker);
        }
    }

    /// A step is over. The table, if it changed by that.
    pub(crate) fn end(&mut self, step: &str, change: impl FnOnce(&mut Worker)) -> Option<String> {
        self.others.retain(|worker| worker.step != step);
        change(self.panel.as_mut()?.worker(step)?);
        self.panel.as_ref().map(Panel::line)
    }

    /// Whether everybody of the panel is through.
    pub(crate) fn is_through(&self) -> bool {
        self.panel.as_ref().is_some_and(Panel::is_through)
    }

    /// The panel is over. Its last table, if anybody worked, and whether it is news that somebody never will.
    pub(crate) fn dismiss(&mut self) -> Option<(String, bool)> {
        let mut panel = self.panel.take()?;
        let is_news = panel.dismiss();
        std::mem::take(&mut self.is_at_work).then(|| (panel.line(), is_news))
    }

    /// The rows that tick.
    pub(crate) fn rows(&self, style: Style, now: Duration) -> Vec<String> {
        rows(self.panel.as_ref().filter(|_| self.is_at_work), &self.others, style, now)
    }
}
