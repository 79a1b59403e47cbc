//! All runs of a site, newest first.

use crate::error::AppError;
use crate::site::Site;
use charrette_model::checkpoint::Stopped;
use charrette_model::feature::name::FeaturePath;
use charrette_model::stamp::Stamp;
use charrette_store::Holder;
use charrette_store::listing::Row;
use jiff::Timestamp;
use serde::Serialize;
use std::path::PathBuf;

/// All runs of a site.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// The top of the work tree.
    pub root: PathBuf,
    /// HEAD, if there is one.
    pub head: Option<String>,
    /// The runs.
    pub runs: Vec<RunStatus>,
}

/// One run.
#[derive(Debug, Clone, Serialize)]
pub struct RunStatus {
    /// The feature.
    pub feature: Option<String>,
    /// The command.
    pub command: String,
    /// The phase at work or next; none when the run is complete.
    pub phase: Option<String>,
    /// Where it stands.
    pub state: RunState,
    /// When it last changed.
    pub updated_at: Option<String>,
    /// How long that is ago.
    pub age_seconds: Option<i64>,
    /// HEAD has moved since the run was saved.
    pub stale: bool,
    /// The process that drives it.
    pub driver: Option<Holder>,
    /// Its document.
    pub path: PathBuf,
    /// The gates that wait for a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<String>,
    /// Why its last driver stopped before the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Why its document cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// There is something left to do.
    Open,
    /// A phase failed.
    Failed,
    /// All of it is done.
    Complete,
    /// The document cannot be read.
    Unreadable,
}

/// Looks at all runs.
pub fn status(site: &Site) -> Result<Status, AppError> {
    let documents = site.documents();
    let head = documents.head();
    let rows = documents.list()?;
    let runs = rows.iter().map(|row| RunStatus::of(row, head.as_deref(), site.now.at())).collect();
    Ok(Status { root: site.root.clone(), head, runs })
}

impl RunStatus {
    fn of(row: &Row, head: Option<&str>, now: Timestamp) -> RunStatus {
        let base = RunStatus {
            feature: row.name.feature().map(|feature| FeaturePath::as_str(feature).to_owned()),
            command: row.name.command().to_owned(),
            phase: None,
            state: RunState::Unreadable,
            updated_at: None,
            age_seconds: None,
            stale: false,
            driver: row.driver.clone(),
            path: row.path.clone(),
            waiting: Vec::new(),
            stopped: None,
            problem: None,
        };
        let glance = match &row.glance {
            Err(error) => return RunStatus { problem: Some(error.to_string()), ..base },
            Ok(glance) => glance,
        };
        let phase = glance.phase();
        let state = match phase {
            _ if glance.completed_at.is_some() => RunState::Complete,
            Some((_, true)) => RunState::Failed,
            _ => RunState::Open,
        };
        let stale = glance.head_commit.as_deref().zip(head).is_some_and(|(saved, head)| saved != head);
        RunStatus {
            phase: phase.map(|(name, _)| name.to_owned()),
            state,
            updated_at: glance.updated_at.as_ref().map(|stamp| Stamp::as_str(stamp).to_owned()),
            age_seconds: glance.updated_at.as_ref().map(|updated| now.duration_since(updated.at()).as_secs()),
            stale: stale && state != RunState::Complete,
            waiting: if state == RunState::Complete { Vec::new() } else { glance.waiting.clone() },
            stopped: glance.stopped().cloned(),
            ..base
        }
    }
}
