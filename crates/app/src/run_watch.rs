//! Watches the runs of a site: one piece of news for each thing that a person should know.

use crate::error::AppError;
use crate::site::Site;
use crate::status::{RunState, RunStatus, status};
use charrette_model::checkpoint::GateState;
use charrette_model::escape::one_line;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Something that happened to a run and that a person should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunNews {
    pub command: String,
    pub feature: Option<String>,
    pub kind: NewsKind,
    /// One line, with the command to type.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NewsKind {
    /// A gate waits for a person.
    Waiting,
    Complete,
    Rejected,
    /// The run has ended early, or its driver is gone.
    Stopped,
}

/// State of a run at a look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Known {
    /// Gates that wait.
    waiting: BTreeSet<String>,
    /// Gates that are no news any more.
    told: BTreeSet<String>,
    is_complete: bool,
    is_rejected: bool,
    /// True if nobody drives the run and it waits for nobody.
    is_idle: bool,
}

/// The runs of a site as they were at the last look.
#[derive(Debug)]
pub struct RunWatch {
    known: BTreeMap<PathBuf, Known>,
}

impl RunWatch {
    /// Looks at all runs. What is so already is no news.
    pub fn start(site: &Site) -> Result<RunWatch, AppError> {
        let runs = status(site)?.runs;
        let known = |run: &RunStatus| {
            let known = Known::new(run);
            (run.path.clone(), Known { told: known.waiting.clone(), ..known })
        };
        Ok(RunWatch { known: runs.iter().map(known).collect() })
    }

    /// News since the last look, oldest run first.
    pub fn news(&mut self, site: &Site) -> Result<Vec<RunNews>, AppError> {
        let mut known = BTreeMap::new();
        let mut news = Vec::new();
        for run in status(site)?.runs.iter().rev() {
            // A run that is not known yet is at work.
            let before = self.known.get(&run.path).cloned().unwrap_or_default();
            let now = Known::new(run).after(&before, run.driver.is_some());
            news.extend(changes(run, &before, &now));
            known.insert(run.path.clone(), now);
        }
        self.known = known;
        Ok(news)
    }
}

impl Known {
    fn new(run: &RunStatus) -> Known {
        let is_complete = run.state == RunState::Complete;
        let is_rejected = !is_complete && run.verdict == Some(GateState::Rejected);
        Known {
            waiting: run.waiting.iter().cloned().collect(),
            told: BTreeSet::new(),
            is_complete,
            is_rejected,
            is_idle: !is_complete && !is_rejected && run.driver.is_none() && run.waiting.is_empty(),
        }
    }

    /// With the gates to be told. While a driver asks, a gate is news once it was seen twice: answers that were given
    /// beforehand close it at once.
    fn after(mut self, before: &Known, is_driven: bool) -> Known {
        let is_news =
            |gate: &&String| !is_driven || before.waiting.contains(*gate) || before.told.contains(*gate);
        self.told = self.waiting.iter().filter(is_news).cloned().collect();
        self
    }
}

fn changes(run: &RunStatus, before: &Known, now: &Known) -> Vec<RunNews> {
    let feature = run.feature.as_deref().unwrap_or("-");
    let subject = format!("{} {feature}", run.command);
    let news = |kind, text: String| RunNews {
        command: run.command.clone(),
        feature: run.feature.clone(),
        kind,
        text: one_line(&text),
    };
    let opened: Vec<&str> = now.told.difference(&before.told).map(String::as_str).collect();
    let mut found = Vec::new();
    if !opened.is_empty() {
        let text =
            format!("{subject} waits for a person at {}: charrette answer {feature}", opened.join(", "));
        found.push(news(NewsKind::Waiting, text));
    }
    if now.is_complete && !before.is_complete {
        let verdict = if run.verdict == Some(GateState::Approved) { ", approved" } else { "" };
        found.push(news(
            NewsKind::Complete,
            format!("{subject} is complete{verdict}: charrette log {feature}"),
        ));
    }
    if now.is_rejected && !before.is_rejected {
        found.push(news(NewsKind::Rejected, format!("{subject} was rejected: charrette resume {feature}")));
    }
    if now.is_idle && !before.is_idle {
        let reason = match &run.stopped {
            Some(stop) if !stop.message.is_empty() => format!("has stopped: {}", stop.message),
            Some(_) => "has stopped".to_owned(),
            None => "is not driven any more".to_owned(),
        };
        found.push(news(
            NewsKind::Stopped,
            format!("{subject} {reason}; resume it: charrette resume {feature}"),
        ));
    }
    found
}
