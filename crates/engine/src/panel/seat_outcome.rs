//! Outcome of asking a seat whose answer is optional.

use super::calls::Panel;
use crate::agent_step::AgentOutcome;
use crate::artifact::{Artifact, Input};
use crate::run::PhaseHandle;
use crate::stop::FlowResult;
use charrette_model::seats::Seat;

#[derive(Debug, Clone)]
pub(crate) struct SeatOutcome {
    pub(crate) seat: &'static Seat,
    pub(crate) outcome: AgentOutcome,
}

/// Asks a seat that may fail.
pub(super) async fn ask_seat(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    seat: &'static Seat,
) -> FlowResult<SeatOutcome> {
    let call = panel.assign(seat).call()?.may_fail();
    Ok(SeatOutcome { seat, outcome: phase.agent_outcome(call).await? })
}

impl SeatOutcome {
    /// Inputs of a step that reads the answer. A missing answer is an input as well.
    pub(super) fn inputs(&self) -> Vec<Input> {
        match self.file() {
            Some(file) => vec![Input::Artifact(file.to_owned())],
            None => vec![Input::given(&format!("{}-answered", self.seat.id), &false)],
        }
    }

    /// Name of the answer's file.
    pub(super) fn file(&self) -> Option<&str> {
        self.outcome.artifacts.0.first().map(Artifact::name)
    }

    pub(super) fn file_name(&self) -> Option<String> {
        self.file().map(str::to_owned)
    }
}
