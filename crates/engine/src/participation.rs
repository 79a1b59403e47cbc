//! Participants of a run: for every seat that was asked, the agent whose answer is used, and the agents that failed
//! before it. Read from what the steps recorded, so it is the same in a resumed run.

use crate::ports::FailedAgent;
use charrette_model::checkpoint::progress::step_value;
use charrette_model::checkpoint::{Checkpoint, StepRecord, StepStatus};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Members of the value that an agent step records.
const SEAT: &str = "seat";
const FAILED: &str = "failed";

/// A seat that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatResult {
    /// Seat id.
    pub seat: String,
    /// The agent whose answer is used; none if nobody answered.
    pub agent: Option<String>,
    /// Agents without a usable answer.
    pub failed: Vec<FailedAgent>,
}

impl SeatResult {
    /// Adds seat and failures to the value that a step records.
    pub(crate) fn record(seat: &str, failed: &[FailedAgent], value: &mut Map<String, Value>) {
        value.insert(SEAT.to_owned(), Value::from(seat));
        if !failed.is_empty() {
            let failed = failed.iter().map(|one| json!({"agent": one.agent, "reason": one.reason}));
            value.insert(FAILED.to_owned(), failed.collect());
        }
    }

    /// Reads what a step recorded; `None` if it asked no seat.
    pub(crate) fn read(value: &Value, agent: Option<&str>) -> Option<SeatResult> {
        let text = |one: &Value, name: &str| Some(one.get(name)?.as_str()?.to_owned());
        let read =
            |one: &Value| Some(FailedAgent { agent: text(one, "agent")?, reason: text(one, "reason")? });
        let failed = value.get(FAILED).and_then(Value::as_array);
        Some(SeatResult {
            seat: text(value, SEAT)?,
            agent: agent.map(str::to_owned),
            failed: failed.into_iter().flatten().filter_map(read).collect(),
        })
    }
}

/// The seats that the flow has asked so far, by step.
#[derive(Debug, Default)]
pub(crate) struct Participation(Mutex<BTreeMap<String, SeatResult>>);

impl Participation {
    pub(crate) fn add(&self, step: &str, result: SeatResult) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(step.to_owned(), result);
    }

    /// Forgets all seats: the flow runs again from its start.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(crate) fn seats(&self) -> Vec<SeatResult> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

/// The seats of a recorded run.
pub fn recorded_seats(document: &Checkpoint) -> Vec<SeatResult> {
    let steps = document.phases.values().filter_map(|phase| phase.steps.as_ref()).flatten();
    let read = |step: &StepRecord| {
        SeatResult::read(&step_value(step), step.agent.as_deref()).filter(|_| step.status == StepStatus::Done)
    };
    steps.filter_map(|(_, step)| read(step)).collect()
}
