//! Every legal change of a state document: save, update a phase, complete.
//!
//! Each takes the document as it is on disk and gives the one to put in its place, stamped. Nothing here
//! writes; the store calls these under the document's lock.

use super::document::{Checkpoint, Phase, PhaseStatus, SCHEMA_VERSION, State};
use super::merge::merge_phase;
use super::name::{Command, InvalidPhaseName, phase_name};
use super::read::ReadError;
use super::summaries::{self, SummaryTooLong};
use crate::feature::name::FeaturePath;
use crate::shown::shown;
use crate::stamp::{Now, Stamp};
use serde_json::Value;
use std::sync::Arc;

/// What every transition needs to know besides the documents.
#[derive(Debug, Clone)]
pub struct Circumstances {
    /// The time.
    pub now: Now,
    /// HEAD of the repository, if known.
    pub head: Option<String>,
    /// How many words a summary may have.
    pub summary_words: usize,
}

/// A change that may not be made. The document stays as it was.
#[derive(Debug, thiserror::Error)]
pub enum TransitionError {
    /// The document to save has another version.
    #[error("Cannot save checkpoint with unsupported schema version: {0} (expected {SCHEMA_VERSION})")]
    Version(String),
    /// The document to save is not one.
    #[error("Cannot save checkpoint: {0}")]
    Unreadable(ReadError),
    /// The document to save is about something else.
    #[error("Cannot save checkpoint: its {member} is '{}', but {expected} was asked for", shown(.found))]
    Mismatch {
        /// `command` or `feature`.
        member: &'static str,
        /// What the document says.
        found: String,
        /// What the caller says.
        expected: String,
    },
    /// Somebody saved in between.
    #[error(
        "Cannot save checkpoint: it was changed since you read it (yours {yours}, on disk {on_disk}). Load it again and repeat the change"
    )]
    Older {
        /// `updated_at` of the document to save.
        yours: Stamp,
        /// `updated_at` of the document on disk.
        on_disk: Stamp,
    },
    /// A summary is too long.
    #[error(transparent)]
    Summary(#[from] SummaryTooLong),
    /// A phase cannot be called that.
    #[error(transparent)]
    PhaseName(#[from] InvalidPhaseName),
    /// Phase data that is not an object, or does not fit.
    #[error("Invalid data for phase \"{phase}\": {problem}")]
    PhaseData {
        /// The phase.
        phase: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Another process removed what is being worked on.
    #[error("Step \"{step}\" of phase \"{phase}\" is no longer in the document")]
    NoSuchStep {
        /// The phase.
        phase: String,
        /// The step.
        step: String,
    },
    /// There is no such gate, or nobody has come to it yet.
    #[error("The run has not come to a gate called '{}'", shown(.0))]
    NoSuchGate(String),
    /// The document itself was removed while it was being worked on.
    #[error("The document is gone: somebody abandoned or moved the run while it was being worked on")]
    Gone,
    /// There is nothing to complete.
    #[error("Cannot complete checkpoint: no checkpoint found")]
    NothingToComplete,
}

impl From<ReadError> for TransitionError {
    fn from(error: ReadError) -> TransitionError {
        match error {
            ReadError::Version(version) => TransitionError::Version(version),
            other => TransitionError::Unreadable(other),
        }
    }
}

/// Puts a whole document in place of the one on disk, unless that one is newer.
pub fn save(
    on_disk: Option<&Checkpoint>,
    mut document: Checkpoint,
    (command, feature): (&str, Option<&str>),
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    claim(&mut document, command, feature)?;
    if let (Some(yours), Some(theirs)) = (&document.updated_at, on_disk.and_then(|d| d.updated_at.as_ref()))
        && yours < theirs
    {
        return Err(TransitionError::Older { yours: yours.clone(), on_disk: theirs.clone() });
    }
    if document.started_at.is_none() {
        document.started_at = on_disk.and_then(|d| d.started_at.clone());
    }
    stamp(document, on_disk.and_then(|d| d.updated_at.as_ref()), circumstances)
}

/// Merges `data` into a phase and moves the phase among pending, current and completed as its status says.
pub fn update_phase(
    on_disk: Option<Checkpoint>,
    (command, feature): (&str, Option<&str>),
    phase: &str,
    data: Value,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    phase_name(phase)?;
    let invalid = |problem: String| TransitionError::PhaseData { phase: phase.to_owned(), problem };
    let Value::Object(data) = data else {
        return Err(invalid("expected a JSON object".to_owned()));
    };
    let has_status = data.get("status").is_some_and(|status| !status.is_null());

    let mut document = on_disk.unwrap_or_else(|| fresh(command, feature, phase));
    let previous = document.updated_at.clone();
    let now = circumstances.now.stamp_after(previous.as_ref());

    let old = document.phases.get(phase);
    let was = old.map(|old| old.status);
    let starts = data.get("started_at").is_none_or(Value::is_null);
    let mut new = old.map(|old| Phase::clone(old)).unwrap_or_default();
    merge_phase(&mut new, data).map_err(|problem| invalid(problem.to_string()))?;
    new.updated_at = Some(now.clone());
    if starts && begins(was, &new) {
        new.started_at = Some(now);
    }
    let status = new.status;
    document.phases.insert(phase.to_owned(), Arc::new(new));

    if has_status || was.is_none() {
        document.state.place(phase, status, was);
        if matches!(status, PhaseStatus::Pending | PhaseStatus::InProgress | PhaseStatus::Failed) {
            document.completed_at = None;
        }
    }
    stamp(document, previous.as_ref(), circumstances)
}

/// Closes a run: nothing current, nothing pending.
pub fn complete(
    on_disk: Option<Checkpoint>,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    let mut document = on_disk.ok_or(TransitionError::NothingToComplete)?;
    let previous = document.updated_at.clone();
    document.state.current_phase = None;
    document.state.pending_phases.clear();
    document.completed_at = Some(circumstances.now.stamp_after(previous.as_ref()));
    stamp(document, previous.as_ref(), circumstances)
}

/// What every document gets on its way to the disk, and the checks nothing may slip past. Whatever a driver said when it
/// stopped is no longer so.
pub(super) fn stamp(
    mut document: Checkpoint,
    previous: Option<&Stamp>,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    summaries::check(&document, circumstances.summary_words)?;
    let state = &document.state;
    let listed = state.completed_phases.iter().chain(&state.pending_phases).chain(&state.current_phase);
    for name in document.phases.keys().chain(listed) {
        phase_name(name)?;
    }
    let now = circumstances.now.stamp_after(previous);
    if circumstances.head.is_some() {
        document.head_commit.clone_from(&circumstances.head);
    }
    document.started_at.get_or_insert_with(|| now.clone());
    document.updated_at = Some(now);
    if let Some(run) = &mut document.run {
        run.stopped = None;
    }
    Ok(document)
}

/// The document a first update starts from. If the phase is one of the command's own, the others are
/// known to be pending too, so that the run can be resumed between phases.
fn fresh(command: &str, feature: Option<&str>, phase: &str) -> Checkpoint {
    let mut document = Checkpoint::new(command, feature);
    if let Some(command) = Command::parse(command)
        && command.phases().contains(&phase)
    {
        document.state.pending_phases = command.phases().iter().map(|&name| name.to_owned()).collect();
    }
    document
}

/// Makes sure the document is about this command and feature; where it does not say, it is.
fn claim(document: &mut Checkpoint, command: &str, feature: Option<&str>) -> Result<(), TransitionError> {
    if document.command.is_empty() {
        command.clone_into(&mut document.command);
    } else if document.command != command {
        let found = document.command.clone();
        return Err(TransitionError::Mismatch { member: "command", found, expected: format!("'{command}'") });
    }
    if let Some(found) = document.feature.as_deref() {
        let canonical = FeaturePath::parse(found).ok();
        if canonical.as_ref().map(FeaturePath::as_str) != feature {
            let expected = feature.map_or("no feature".to_owned(), |feature| format!("'{feature}'"));
            return Err(TransitionError::Mismatch { member: "feature", found: found.to_owned(), expected });
        }
    }
    document.feature = feature.map(str::to_owned);
    Ok(())
}

/// Whether this update is the beginning of an attempt at the phase.
fn begins(was: Option<PhaseStatus>, new: &Phase) -> bool {
    use PhaseStatus::{Complete, Failed, InProgress, Pending, Skipped};
    match new.status {
        Pending => false,
        InProgress if matches!(was, Some(Complete | Failed | Skipped)) => true,
        _ => new.started_at.is_none(),
    }
}

impl State {
    /// Puts a phase where its status belongs.
    pub(super) fn place(&mut self, phase: &str, status: PhaseStatus, was: Option<PhaseStatus>) {
        let is_current = self.current_phase.as_deref() == Some(phase);
        if status == PhaseStatus::InProgress {
            self.current_phase = Some(phase.to_owned());
        } else if is_current {
            self.current_phase = None;
        }
        let is_completed = self.completed_phases.iter().any(|name| name == phase);
        if status == PhaseStatus::Complete && !is_completed {
            self.completed_phases.push(phase.to_owned());
        } else if status != PhaseStatus::Complete {
            self.completed_phases.retain(|name| name != phase);
        }
        match status {
            PhaseStatus::InProgress => {}
            PhaseStatus::Complete | PhaseStatus::Failed | PhaseStatus::Skipped => {
                self.pending_phases.retain(|name| name != phase);
            }
            PhaseStatus::Pending if self.pending_phases.iter().any(|name| name == phase) => {}
            // Run before and to be run again: it comes before everything that has not begun.
            PhaseStatus::Pending if was.is_some_and(|was| was != PhaseStatus::Pending) => {
                self.pending_phases.insert(0, phase.to_owned());
            }
            PhaseStatus::Pending => self.pending_phases.push(phase.to_owned()),
        }
    }
}
