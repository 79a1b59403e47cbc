//! Where an interrupted run continues.

use super::document::{Checkpoint, PhaseStatus};
use serde::Serialize;

/// Where to continue, and what the last complete phase left to know.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ResumePoint {
    /// The phase to run next; none if there is nothing left to do.
    pub phase: Option<String>,
    /// The summary of the phase completed last.
    pub summary: Option<String>,
}

/// The phase at work; else one that failed; else the next one pending. A completed run has none.
pub fn resume_point(document: &Checkpoint) -> ResumePoint {
    if document.completed_at.is_some() {
        return ResumePoint::default();
    }
    let state = &document.state;
    let phase = state
        .current_phase
        .clone()
        .or_else(|| first_failed(document))
        .or_else(|| state.pending_phases.first().cloned());
    let summary = state
        .completed_phases
        .last()
        .and_then(|last| document.phases.get(last))
        .and_then(|phase| phase.context_summary.clone());
    ResumePoint { phase, summary }
}

/// Phases run in order, so the one that began first is the one to repair first.
fn first_failed(document: &Checkpoint) -> Option<String> {
    document
        .phases
        .iter()
        .filter(|(_, phase)| phase.status == PhaseStatus::Failed)
        .min_by_key(|(_, phase)| phase.started_at.as_ref().map(crate::stamp::Stamp::at))
        .map(|(name, _)| name.clone())
}
