//! How a flow comes to a stop before its end. Flows only ever use `?`: none of these is theirs to catch.

use crate::gate::Question;
use charrette_model::checkpoint::StopKind;
use serde::Serialize;

/// What a flow returns.
pub type Flow<T> = Result<T, Stop>;

/// Why a flow stopped. The document is resumable after each of them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Stop {
    /// A person must answer.
    #[error("waiting for a person at {}", .0.iter().map(|wait| wait.gate.as_str()).collect::<Vec<_>>().join(", "))]
    Waiting(Vec<Wait>),
    /// A gate or guard refuses to go on.
    #[error("{0}")]
    Refused(String),
    /// A step failed; what it left is kept.
    #[error("{0}")]
    Failed(String),
    /// Somebody asked for an end.
    #[error("interrupted")]
    Interrupted,
    /// The phases that were asked for are through; the run is not.
    #[error("done so far")]
    Enough,
    /// A person asked for a revision: the flow goes through once more, with the feedback among its inputs.
    #[error("revising")]
    Again,
}

/// One gate that waits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wait {
    /// Which.
    pub gate: String,
    /// What is still to be answered.
    pub questions: Vec<Question>,
}

impl Stop {
    /// What the record says about it; nothing where the run did what was asked for.
    pub fn kind(&self) -> Option<StopKind> {
        match self {
            Stop::Waiting(_) => Some(StopKind::Waiting),
            Stop::Refused(_) => Some(StopKind::Refused),
            Stop::Failed(_) => Some(StopKind::Failed),
            Stop::Interrupted | Stop::Again => Some(StopKind::Interrupted),
            Stop::Enough => None,
        }
    }

    /// What several branches that stopped amount to: the most pressing reason, and all waits together.
    pub(crate) fn merged(stops: Vec<Stop>) -> Option<Stop> {
        let rank = |stop: &Stop| match stop {
            Stop::Interrupted => 0,
            Stop::Failed(_) => 1,
            Stop::Refused(_) => 2,
            Stop::Again => 3,
            Stop::Waiting(_) => 4,
            Stop::Enough => 5,
        };
        let mut most: Option<Stop> = None;
        for stop in stops {
            most = Some(match (most, stop) {
                (Some(Stop::Waiting(mut all)), Stop::Waiting(more)) => {
                    // Several branches may wait for the same decision.
                    let new = more.into_iter().filter(|wait| !all.contains(wait)).collect::<Vec<_>>();
                    all.extend(new);
                    Stop::Waiting(all)
                }
                (Some(before), stop) if rank(&before) <= rank(&stop) => before,
                (_, stop) => stop,
            });
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(gates: &[&str]) -> Stop {
        Stop::Waiting(
            gates.iter().map(|gate| Wait { gate: (*gate).to_owned(), questions: Vec::new() }).collect(),
        )
    }

    #[test]
    fn waits_are_put_together_and_anything_worse_comes_first() {
        let failed = || Stop::Failed("x".to_owned());
        for (stops, merged) in [
            (vec![], None),
            (vec![waiting(&["a"]), waiting(&["b"])], Some(waiting(&["a", "b"]))),
            (vec![waiting(&["a"]), failed(), waiting(&["b"])], Some(failed())),
            (vec![failed(), Stop::Interrupted], Some(Stop::Interrupted)),
            (vec![Stop::Refused("r".to_owned()), waiting(&["a"])], Some(Stop::Refused("r".to_owned()))),
            (vec![waiting(&["a"]), Stop::Again], Some(Stop::Again)),
        ] {
            assert_eq!(Stop::merged(stops.clone()), merged, "{stops:?}");
        }
    }
}
