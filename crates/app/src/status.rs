//! Status of all runs of a site, newest first.

use crate::error::AppError;
use crate::run_lookup::feature_argument;
use crate::site::Site;
use charrette_model::checkpoint::{GateState, StopRecord};
use charrette_model::feature::name::FeaturePath;
use charrette_model::stamp::Stamp;
use charrette_store::Holder;
use charrette_store::listing::RunListing;
use jiff::Timestamp;
use serde::Serialize;
use std::path::PathBuf;

/// Status of all runs of a site.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// Root of the work tree.
    pub root: PathBuf,
    /// Commit id of HEAD; none without commits.
    pub head: Option<String>,
    pub runs: Vec<RunStatus>,
    /// Runs whose document was deleted: what is typed to name them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<String>,
}

/// Status of one run.
#[derive(Debug, Clone, Serialize)]
pub struct RunStatus {
    pub feature: Option<String>,
    pub command: String,
    /// Current or next phase; none when the run is complete.
    pub phase: Option<String>,
    pub state: RunState,
    pub updated_at: Option<String>,
    /// Seconds since the last update.
    pub age_seconds: Option<i64>,
    /// True if HEAD has moved since the run was saved.
    pub stale: bool,
    /// The process that drives the run.
    pub driver: Option<Holder>,
    /// Path of its document.
    pub path: PathBuf,
    /// Gates that wait for a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<String>,
    /// Verdict of the person: approved or rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<GateState>,
    /// True if no model answered in the whole run.
    pub without_model: bool,
    /// Reason why its last driver stopped early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StopRecord>,
    /// Reason why its document cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// Not complete.
    Open,
    /// A phase failed.
    Failed,
    Complete,
    /// The document cannot be read.
    Unreadable,
}

/// Lists all runs.
pub fn status(site: &Site) -> Result<Status, AppError> {
    let documents = site.documents();
    let head = documents.head();
    let rows = documents.list()?;
    let runs = rows.iter().map(|row| RunStatus::new(row, head.as_deref(), site.now.at())).collect();
    let deleted = documents.deleted()?.iter().map(feature_argument).collect();
    Ok(Status { root: site.root.clone(), head, runs, deleted })
}

impl RunStatus {
    fn new(row: &RunListing, head: Option<&str>, now: Timestamp) -> RunStatus {
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
            verdict: None,
            without_model: false,
            stopped: None,
            problem: None,
        };
        let overview = match &row.overview {
            Err(error) => return RunStatus { problem: Some(error.to_string()), ..base },
            Ok(overview) => overview,
        };
        let phase = overview.phase();
        let state = match phase {
            _ if overview.completed_at.is_some() => RunState::Complete,
            Some((_, true)) => RunState::Failed,
            _ => RunState::Open,
        };
        let stale = overview.head_commit.as_deref().zip(head).is_some_and(|(saved, head)| saved != head);
        RunStatus {
            phase: phase.map(|(name, _)| name.to_owned()),
            state,
            updated_at: overview.updated_at.as_ref().map(|stamp| Stamp::as_str(stamp).to_owned()),
            age_seconds: overview
                .updated_at
                .as_ref()
                .map(|updated| now.duration_since(updated.at()).as_secs()),
            stale: stale && state != RunState::Complete,
            waiting: if state == RunState::Complete { Vec::new() } else { overview.gates.waiting.clone() },
            verdict: overview.gates.verdict,
            without_model: overview.is_without_model(),
            stopped: overview.stopped().cloned(),
            ..base
        }
    }
}
