//! The word limit of every summary in a document, checked before anything is written.

use super::document::Checkpoint;
use crate::words;

/// Checks every `context_summary`, in phases and in the state.
pub fn check(document: &Checkpoint, limit: usize) -> Result<(), SummaryTooLong> {
    let of_state = document.state.context_summary.as_deref().map(|summary| (None, summary));
    let of_phases = document
        .phases
        .iter()
        .filter_map(|(name, phase)| Some((Some(name), phase.context_summary.as_deref()?)));
    for (phase, summary) in of_state.into_iter().chain(of_phases) {
        if let Some(problem) = words::measure_summary(summary, limit).error {
            return Err(match phase {
                Some(name) => SummaryTooLong::Phase { name: name.clone(), problem },
                None => SummaryTooLong::State(problem),
            });
        }
    }
    Ok(())
}

/// A summary over the limit.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SummaryTooLong {
    #[error("Phase \"{name}\" {problem}")]
    Phase { name: String, problem: String },
    #[error("State {0}")]
    State(String),
}
