//! The agent inside charrette, as the room sees it: somebody who needs no process, no model and no money.

use super::shared::Room;
use crate::outcome::{FailureKind, Outcome};
use crate::supervisor::Report;
use charrette_engine::ports::EmbeddedAgent;
use std::collections::BTreeMap;
use std::time::Instant;

impl Room {
    /// Has the embedded agent take a seat. What it reads are texts by name.
    pub async fn embedded(&self, seat: &str, reads: BTreeMap<String, String>) -> Report {
        let Some(agent) = self.embedded_agent().cloned() else {
            return Report::of(Outcome::failed(FailureKind::Start, "there is no embedded agent here"));
        };
        let started = Instant::now();
        let seat = seat.to_owned();
        // It computes, which would keep every other lane waiting.
        let answered = tokio::task::spawn_blocking(move || answered(&*agent, &seat, &reads)).await;
        let outcome =
            answered.unwrap_or_else(|error| Outcome::failed(FailureKind::NoAnswer, error.to_string()));
        Report { elapsed: started.elapsed(), ..Report::of(outcome) }
    }
}

fn answered(agent: &dyn EmbeddedAgent, seat: &str, reads: &BTreeMap<String, String>) -> Outcome {
    match agent.answer(seat, reads) {
        Some(Ok(text)) => Outcome::answered(text),
        Some(Err(problem)) => Outcome::failed(FailureKind::NoAnswer, problem),
        None => Outcome::failed(FailureKind::Start, "the embedded agent does not take this seat"),
    }
}
