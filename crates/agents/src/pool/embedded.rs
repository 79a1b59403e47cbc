//! Calls of the embedded agent, which needs no process and no model.

use super::state::AgentPool;
use crate::outcome::{FailureKind, Outcome};
use crate::supervisor::CallReport;
use charrette_engine::ports::EmbeddedAgent;
use std::collections::BTreeMap;
use std::time::Instant;

impl AgentPool {
    /// Calls the embedded agent. `reads` are its input texts by name.
    pub async fn call_embedded(&self, seat: &str, reads: BTreeMap<String, String>) -> CallReport {
        let Some(agent) = self.embedded_agent().cloned() else {
            return CallReport::without_process(Outcome::failed(
                FailureKind::Start,
                "there is no embedded agent",
            ));
        };
        let started = Instant::now();
        let seat = seat.to_owned();
        // It computes, which would block the other lanes.
        let outcome = tokio::task::spawn_blocking(move || outcome(&*agent, &seat, &reads)).await;
        let outcome =
            outcome.unwrap_or_else(|error| Outcome::failed(FailureKind::NoAnswer, error.to_string()));
        CallReport { elapsed: started.elapsed(), ..CallReport::without_process(outcome) }
    }
}

fn outcome(agent: &dyn EmbeddedAgent, seat: &str, reads: &BTreeMap<String, String>) -> Outcome {
    match agent.answer(seat, reads) {
        Some(Ok(text)) => Outcome::answered(text),
        Some(Err(problem)) => Outcome::failed(FailureKind::NoAnswer, problem),
        None => Outcome::failed(FailureKind::Start, "the embedded agent does not take this seat"),
    }
}
