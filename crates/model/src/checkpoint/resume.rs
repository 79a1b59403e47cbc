//! The phase where an interrupted run resumes.

use super::document::{Checkpoint, PhaseStatus};
use crate::stamp::Stamp;
use serde::Serialize;

/// The phase to resume with, and the summary of the last complete one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ResumePoint {
    /// `None` if no phase is left.
    pub phase: Option<String>,
    /// Summary of the phase completed last.
    pub summary: Option<String>,
}

/// The resume point of a run; empty for a completed one.
pub fn resume_point(document: &Checkpoint) -> ResumePoint {
    if document.completed_at.is_some() {
        return ResumePoint::default();
    }
    let state = &document.state;
    let phases =
        document.phases.iter().map(|(name, phase)| (name.as_str(), phase.status, phase.started_at.as_ref()));
    let phase = next_phase(state.current_phase.as_deref(), phases, &state.pending_phases);
    let summary = state
        .completed_phases
        .last()
        .and_then(|last| document.phases.get(last))
        .and_then(|phase| phase.context_summary.clone());
    ResumePoint { phase: phase.map(str::to_owned), summary }
}

/// The phase in progress; else the failed one that started first; else the next pending one.
pub(super) fn next_phase<'a>(
    current: Option<&'a str>,
    phases: impl Iterator<Item = (&'a str, PhaseStatus, Option<&'a Stamp>)>,
    pending: &'a [impl AsRef<str>],
) -> Option<&'a str> {
    let failed = phases.filter(|(_, status, _)| *status == PhaseStatus::Failed);
    current
        .or_else(|| failed.min_by_key(|(_, _, started)| *started).map(|(name, _, _)| name))
        .or_else(|| pending.first().map(AsRef::as_ref))
}
