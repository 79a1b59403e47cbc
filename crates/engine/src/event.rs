//! What happens in a run, as it happens: the one stream that terminals, `--json` and other views consume.

use crate::gate::Question;
use charrette_model::checkpoint::Usage;
use serde::Serialize;
use std::path::PathBuf;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Version of this format.
    pub v: u32,
    /// When.
    pub at: String,
    /// The run it happened in.
    pub run: String,
    /// What.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event")]
pub enum EventKind {
    /// A run began or was resumed.
    #[serde(rename = "run.started")]
    RunStarted {
        /// The command.
        command: String,
        /// The feature.
        feature: Option<String>,
        /// Whether it goes on from an earlier stop.
        resumed: bool,
    },
    /// A phase began.
    #[serde(rename = "phase.started")]
    PhaseStarted {
        /// Which.
        phase: String,
    },
    /// A phase is through.
    #[serde(rename = "phase.finished")]
    PhaseFinished {
        /// Which.
        phase: String,
    },
    /// A step is being executed.
    #[serde(rename = "step.started")]
    StepStarted {
        /// Its phase.
        phase: String,
        /// Which.
        step: String,
        /// Which attempt, from 1.
        attempt: u32,
        /// Why it runs.
        why: String,
    },
    /// A step was done before, and its inputs are unchanged.
    #[serde(rename = "step.reused")]
    StepReused {
        /// Its phase.
        phase: String,
        /// Which.
        step: String,
    },
    /// A step is done.
    #[serde(rename = "step.finished")]
    StepFinished {
        /// Its phase.
        phase: String,
        /// Which.
        step: String,
        /// What it wrote.
        outputs: Vec<String>,
    },
    /// A step failed.
    #[serde(rename = "step.failed")]
    StepFailed {
        /// Its phase.
        phase: String,
        /// Which.
        step: String,
        /// Why.
        error: String,
    },
    /// An agent was launched.
    #[serde(rename = "agent.started")]
    AgentStarted {
        /// The step it works for.
        step: String,
        /// Which agent.
        agent: String,
    },
    /// An agent ended.
    #[serde(rename = "agent.finished")]
    AgentFinished {
        /// The step it worked for.
        step: String,
        /// Which agent.
        agent: String,
        /// `ok`, or what went wrong.
        status: String,
        /// How long it took.
        seconds: f64,
        /// What it cost.
        usage: Option<Usage>,
    },
    /// A gate waits for a person.
    #[serde(rename = "gate.waiting")]
    GateWaiting {
        /// Which.
        gate: String,
        /// What is still to be answered.
        questions: Vec<Question>,
    },
    /// A gate was answered.
    #[serde(rename = "gate.answered")]
    GateAnswered {
        /// Which.
        gate: String,
        /// What the answers amount to.
        state: String,
    },
    /// Something a person should know.
    #[serde(rename = "warning")]
    Warning {
        /// What.
        message: String,
    },
    /// The flow came to its end or to a stop.
    #[serde(rename = "run.finished")]
    RunFinished {
        /// `done`, `waiting`, `refused`, `failed` or `interrupted`.
        status: String,
        /// Where the artifacts are.
        files: PathBuf,
    },
}
