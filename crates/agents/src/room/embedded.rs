//! The agent inside charrette, as the room sees it: somebody who needs no process, no model and no money.

use super::shared::Room;
use crate::outcome::{FailureKind, Outcome};
use crate::supervisor::Report;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Somebody who answers without a model, from what a seat reads and what the repository says.
pub trait Embedded: Send + Sync {
    /// The answer of a seat, in its grammar; none if it does not sit there. `reads` are texts by name.
    fn answer(&self, seat: &str, reads: &BTreeMap<String, String>) -> Option<Result<String, String>>;
}

impl Room {
    /// Has the embedded agent take a seat. What it reads is read for it; what cannot be read is not there.
    pub async fn embedded(&self, seat: &str, reads: Vec<(String, PathBuf)>) -> Report {
        let Some(agent) = self.embedded_agent().cloned() else {
            return Report::of(Outcome::failed(FailureKind::Start, "there is no embedded agent here"));
        };
        let started = Instant::now();
        let seat = seat.to_owned();
        // It computes, which would keep every other lane waiting.
        let answered = tokio::task::spawn_blocking(move || answered(&agent, &seat, reads)).await;
        let outcome =
            answered.unwrap_or_else(|error| Outcome::failed(FailureKind::NoAnswer, error.to_string()));
        Report { elapsed: started.elapsed(), ..Report::of(outcome) }
    }
}

fn answered(agent: &Arc<dyn Embedded>, seat: &str, reads: Vec<(String, PathBuf)>) -> Outcome {
    let texts = reads.into_iter().filter_map(|(name, path)| {
        let bytes = fs_err::read(path).ok()?;
        Some((name, String::from_utf8_lossy(&bytes).into_owned()))
    });
    match agent.answer(seat, &texts.collect()) {
        Some(Ok(text)) => Outcome::answered(text),
        Some(Err(problem)) => Outcome::failed(FailureKind::NoAnswer, problem),
        None => Outcome::failed(FailureKind::Start, "the embedded agent does not take this seat"),
    }
}
