//! Stops: reasons why a flow ends early. A flow passes them on with `?` and never catches one.

use crate::gate::GateQuestion;
use charrette_model::checkpoint::StopKind;
use serde::Serialize;

/// Result of a flow or of one of its parts.
pub type FlowResult<T> = Result<T, Stop>;

/// Reason why a flow stopped. The run can be resumed after each of them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Stop {
    /// A person must answer.
    #[error("waiting for a person at {}", .0.iter().map(|wait| wait.gate.as_str()).collect::<Vec<_>>().join(", "))]
    Waiting(Vec<PendingGate>),
    /// A gate was rejected, or a guard refuses to continue.
    #[error("{0}")]
    Refused(String),
    /// A step failed; its evidence is kept.
    #[error("{0}")]
    Failed(String),
    /// The run was cancelled.
    #[error("interrupted")]
    Interrupted,
    /// The requested phases are complete, the run is not.
    #[error("requested phases done")]
    RequestedPhasesDone,
    /// A person asked for a revision: the flow runs again from its start, with the feedback among its inputs.
    #[error("revision requested")]
    Revise,
}

/// A gate that waits for answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PendingGate {
    pub gate: String,
    /// Open questions.
    pub questions: Vec<GateQuestion>,
}

impl Stop {
    /// Kind for the record; none if the run did what was requested.
    pub fn kind(&self) -> Option<StopKind> {
        match self {
            Stop::Waiting(_) => Some(StopKind::Waiting),
            Stop::Refused(_) => Some(StopKind::Refused),
            Stop::Failed(_) => Some(StopKind::Failed),
            Stop::Interrupted | Stop::Revise => Some(StopKind::Interrupted),
            Stop::RequestedPhasesDone => None,
        }
    }

    /// Merges the stops of several branches: the most severe reason, or all waits together.
    pub(crate) fn merge(stops: Vec<Stop>) -> Option<Stop> {
        let rank = |stop: &Stop| match stop {
            Stop::Interrupted => 0,
            Stop::Failed(_) => 1,
            Stop::Refused(_) => 2,
            Stop::Revise => 3,
            Stop::Waiting(_) => 4,
            Stop::RequestedPhasesDone => 5,
        };
        let mut worst: Option<Stop> = None;
        for stop in stops {
            worst = Some(match (worst, stop) {
                (Some(Stop::Waiting(mut all)), Stop::Waiting(more)) => {
                    // Several branches may wait at the same gate.
                    let new = more.into_iter().filter(|wait| !all.contains(wait)).collect::<Vec<_>>();
                    all.extend(new);
                    Stop::Waiting(all)
                }
                (Some(before), stop) if rank(&before) <= rank(&stop) => before,
                (_, stop) => stop,
            });
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(gates: &[&str]) -> Stop {
        Stop::Waiting(
            gates
                .iter()
                .map(|gate| PendingGate { gate: (*gate).to_owned(), questions: Vec::new() })
                .collect(),
        )
    }

    #[test]
    fn waits_are_merged_and_severe_stops_come_first() {
        let failed = || Stop::Failed("x".to_owned());
        for (stops, merged) in [
            (vec![], None),
            (vec![waiting(&["a"]), waiting(&["b"])], Some(waiting(&["a", "b"]))),
            (vec![waiting(&["a"]), failed(), waiting(&["b"])], Some(failed())),
            (vec![failed(), Stop::Interrupted], Some(Stop::Interrupted)),
            (vec![Stop::Refused("r".to_owned()), waiting(&["a"])], Some(Stop::Refused("r".to_owned()))),
            (vec![waiting(&["a"]), Stop::Revise], Some(Stop::Revise)),
        ] {
            assert_eq!(Stop::merge(stops.clone()), merged, "{stops:?}");
        }
    }
}
