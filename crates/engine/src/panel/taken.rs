//! A seat that was asked, and what came of it.

use super::desk::Desk;
use crate::artifact::{Artifact, Input};
use crate::attended::Seated;
use crate::run::PhaseHandle;
use crate::stop::Flow;
use charrette_model::seats::Seat;

/// A seat, and what came of asking it.
#[derive(Debug, Clone)]
pub(super) struct Taken {
    pub(super) seat: &'static Seat,
    pub(super) came: Seated,
}

/// Asks a seat that the flow can do without.
pub(super) async fn asked(phase: &PhaseHandle<'_>, desk: &Desk, seat: &'static Seat) -> Flow<Taken> {
    let call = desk.assign(seat).call()?.may_fail();
    Ok(Taken { seat, came: phase.seated(call).await? })
}

impl Taken {
    /// What a step reads of it. That there is no answer is something to read, too.
    pub(super) fn inputs(&self) -> Vec<Input> {
        match self.file() {
            Some(file) => vec![Input::Artifact(file.to_owned())],
            None => vec![Input::given(&format!("{}-answered", self.seat.id), &false)],
        }
    }

    /// The file of its answer.
    pub(super) fn file(&self) -> Option<&str> {
        self.came.artifacts.0.first().map(Artifact::name)
    }

    pub(super) fn name(&self) -> Option<String> {
        self.file().map(str::to_owned)
    }

    /// Who sat where: (seat, agent).
    pub(super) fn who(&self) -> Option<(String, String)> {
        Some((self.seat.id.to_owned(), self.came.agent.clone()?))
    }
}
