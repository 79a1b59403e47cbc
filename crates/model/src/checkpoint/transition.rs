//! Legal changes of a state document: save, update a phase, complete.
//!
//! Each takes the document on disk and returns its stamped replacement. Nothing here writes; the store calls
//! these under the document's lock.

use super::document::{Checkpoint, PhaseRecord, PhaseStatus, RunProgress, SCHEMA_VERSION};
use super::merge::merge_phase;
use super::name::{Command, InvalidPhaseName, RunKey, phase_name};
use super::read::ReadError;
use super::summaries::{self, SummaryTooLong};
use crate::escape::printable;
use crate::feature::name::FeaturePath;
use crate::stamp::{Now, Stamp};
use serde_json::Value;
use std::sync::Arc;

/// Clock, repository HEAD and limits for a transition.
#[derive(Debug, Clone)]
pub struct TransitionContext {
    pub now: Now,
    /// HEAD of the repository, if known.
    pub head: Option<String>,
    /// Maximum number of words in a summary.
    pub summary_words: usize,
}

/// A refused change. The document is left unchanged.
#[derive(Debug, thiserror::Error)]
pub enum TransitionError {
    /// The document to save has another schema version.
    #[error("Cannot save checkpoint with unsupported schema version: {0} (expected {SCHEMA_VERSION})")]
    Version(String),
    /// The document to save cannot be parsed.
    #[error("Cannot save checkpoint: {0}")]
    Unreadable(ReadError),
    /// The document to save belongs to another command or feature.
    #[error("Cannot save checkpoint: its {member} is '{}', but {expected} was asked for", printable(.found))]
    Mismatch {
        /// `command` or `feature`.
        member: &'static str,
        found: String,
        expected: String,
    },
    /// Another process saved in between.
    #[error(
        "Cannot save checkpoint: it was changed since you read it (yours {yours}, on disk {on_disk}). Load it again and repeat the change"
    )]
    Older {
        /// `updated_at` of the document to save.
        yours: Stamp,
        /// `updated_at` of the document on disk.
        on_disk: Stamp,
    },
    #[error(transparent)]
    Summary(#[from] SummaryTooLong),
    #[error(transparent)]
    PhaseName(#[from] InvalidPhaseName),
    /// Phase data that is not an object, or has a member of the wrong type.
    #[error("Invalid data for phase \"{phase}\": {problem}")]
    PhaseData { phase: String, problem: String },
    /// Another process removed the step in progress.
    #[error("Step \"{step}\" of phase \"{phase}\" is no longer in the document")]
    NoSuchStep { phase: String, step: String },
    /// No such gate, or not reached yet.
    #[error("The run has not reached a gate called '{}'; see: charrette status", printable(.0))]
    NoSuchGate(String),
    /// The document was removed during the transition.
    #[error("The document is gone: the run was abandoned or moved while it was being worked on")]
    Gone,
    #[error("Cannot complete checkpoint: no checkpoint found")]
    NothingToComplete,
    /// A document was to be rebuilt that was not deleted.
    #[error("The document exists: there is nothing to rebuild")]
    Exists,
}

impl From<ReadError> for TransitionError {
    fn from(error: ReadError) -> TransitionError {
        match error {
            ReadError::Version(version) => TransitionError::Version(version),
            other => TransitionError::Unreadable(other),
        }
    }
}

/// Replaces the document on disk, unless that one is newer.
pub fn save(
    on_disk: Option<&Checkpoint>,
    mut document: Checkpoint,
    key: RunKey<'_>,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    claim(&mut document, key)?;
    if let (Some(yours), Some(theirs)) = (&document.updated_at, on_disk.and_then(|d| d.updated_at.as_ref()))
        && yours < theirs
    {
        return Err(TransitionError::Older { yours: yours.clone(), on_disk: theirs.clone() });
    }
    if document.started_at.is_none() {
        document.started_at = on_disk.and_then(|d| d.started_at.clone());
    }
    stamp(document, on_disk.and_then(|d| d.updated_at.as_ref()), context)
}

/// Merges `data` into a phase and moves the phase among pending, current and completed according to its
/// status.
pub fn update_phase(
    on_disk: Option<Checkpoint>,
    key: RunKey<'_>,
    phase: &str,
    data: Value,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    phase_name(phase)?;
    let invalid = |problem: String| TransitionError::PhaseData { phase: phase.to_owned(), problem };
    let Value::Object(data) = data else {
        return Err(invalid("expected a JSON object".to_owned()));
    };
    let has_status = data.get("status").is_some_and(|status| !status.is_null());

    let mut document = on_disk.unwrap_or_else(|| new_document(key, phase));
    let previous = document.updated_at.clone();
    let now = context.now.stamp_after(previous.as_ref());

    let old = document.phases.get(phase);
    let was = old.map(|old| old.status);
    let starts = data.get("started_at").is_none_or(Value::is_null);
    let mut new = old.map(|old| PhaseRecord::clone(old)).unwrap_or_default();
    merge_phase(&mut new, data).map_err(|problem| invalid(problem.to_string()))?;
    new.updated_at = Some(now.clone());
    if starts && starts_attempt(was, &new) {
        new.started_at = Some(now);
    }
    let status = new.status;
    document.phases.insert(phase.to_owned(), Arc::new(new));

    if has_status || was.is_none() {
        document.state.move_phase(phase, status, was);
        if matches!(status, PhaseStatus::Pending | PhaseStatus::InProgress | PhaseStatus::Failed) {
            document.completed_at = None;
        }
    }
    stamp(document, previous.as_ref(), context)
}

/// Completes a run: nothing current, nothing pending.
pub fn complete(
    on_disk: Option<Checkpoint>,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let mut document = on_disk.ok_or(TransitionError::NothingToComplete)?;
    let previous = document.updated_at.clone();
    document.state.current_phase = None;
    document.state.pending_phases.clear();
    document.completed_at = Some(context.now.stamp_after(previous.as_ref()));
    stamp(document, previous.as_ref(), context)
}

/// Checks and timestamps every document on its way to disk. Removes the stop record, which no longer holds.
pub(super) fn stamp(
    mut document: Checkpoint,
    previous: Option<&Stamp>,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    summaries::check(&document, context.summary_words)?;
    let state = &document.state;
    let listed = state.completed_phases.iter().chain(&state.pending_phases).chain(&state.current_phase);
    for name in document.phases.keys().chain(listed) {
        phase_name(name)?;
    }
    let now = context.now.stamp_after(previous);
    if context.head.is_some() {
        document.head_commit.clone_from(&context.head);
    }
    document.started_at.get_or_insert_with(|| now.clone());
    document.updated_at = Some(now);
    if let Some(run) = &mut document.run {
        run.stopped = None;
    }
    Ok(document)
}

/// The document a first update starts from. If the phase is one of the command's own, the others are pending
/// too, so that the run can be resumed between phases.
fn new_document(key: RunKey<'_>, phase: &str) -> Checkpoint {
    let mut document = Checkpoint::new(key);
    if let Some(command) = Command::parse(key.command)
        && command.phases().contains(&phase)
    {
        document.state.pending_phases = command.phases().iter().map(|&name| name.to_owned()).collect();
    }
    document
}

/// Checks that the document belongs to this command and feature, and fills in what it does not say.
fn claim(document: &mut Checkpoint, key: RunKey<'_>) -> Result<(), TransitionError> {
    let RunKey { command, feature } = key;
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

/// True if this update starts a new attempt at the phase.
fn starts_attempt(was: Option<PhaseStatus>, new: &PhaseRecord) -> bool {
    use PhaseStatus::{Complete, Failed, InProgress, Pending, Skipped};
    match new.status {
        Pending => false,
        InProgress if matches!(was, Some(Complete | Failed | Skipped)) => true,
        _ => new.started_at.is_none(),
    }
}

impl RunProgress {
    /// Moves a phase to the list its status belongs to.
    pub(super) fn move_phase(&mut self, phase: &str, status: PhaseStatus, was: Option<PhaseStatus>) {
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
            // Rerun: comes before all phases that have not started.
            PhaseStatus::Pending if was.is_some_and(|was| was != PhaseStatus::Pending) => {
                self.pending_phases.insert(0, phase.to_owned());
            }
            PhaseStatus::Pending => self.pending_phases.push(phase.to_owned()),
        }
    }
}
