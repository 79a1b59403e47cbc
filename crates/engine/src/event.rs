//! What happens in a run, as it happens: the one stream that terminals, `--json` and other views consume.

use crate::gate::Question;
use charrette_model::checkpoint::Usage;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The version of this format.
pub const EVENT_VERSION: u32 = 1;

/// Is told of every event.
pub type Watcher = Arc<dyn Fn(&Event) + Send + Sync>;

/// The one stream of a run's events: everybody who watches subscribes here.
#[derive(Clone, Default)]
pub struct Broadcast(Arc<Mutex<Vec<Watcher>>>);

impl Broadcast {
    /// Tells this watcher of every event from now on.
    pub fn subscribe(&self, watcher: Watcher) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(watcher);
    }

    /// Tells everybody, in the order they subscribed.
    pub fn send(&self, event: &Event) {
        let watchers = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for watcher in watchers {
            watcher(event);
        }
    }
}

impl fmt::Debug for Broadcast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watchers = self.0.lock().unwrap_or_else(PoisonError::into_inner).len();
        f.debug_struct("Broadcast").field("watchers", &watchers).finish()
    }
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// How a stage ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// It is done.
    Done,
    /// It is done, and nothing comes after it.
    Last,
    /// There was nothing to do.
    Skipped,
    /// Something about it needs attention.
    Warning,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// A panel's votes were counted.
    #[serde(rename = "vote.tallied")]
    VoteTallied {
        /// What was voted on.
        about: String,
        /// How many items came to which outcome.
        outcomes: std::collections::BTreeMap<String, usize>,
    },
    /// For people only: the run has come to a numbered stage of its flow.
    #[serde(rename = "stage.began")]
    StageBegan {
        /// Its number.
        number: String,
        /// Its name.
        name: String,
        /// The label its times are recorded under.
        ledger: String,
        /// What goes with it.
        payload: Option<String>,
    },
    /// For people only: what came of a stage.
    #[serde(rename = "stage.ended")]
    StageEnded {
        /// Its number.
        number: String,
        /// Its name.
        name: String,
        /// How it ended.
        ending: Ending,
        /// What is worth knowing.
        payload: String,
    },
    /// For people only: a stage, and what comes after it, is worked on by another process.
    #[serde(rename = "stage.handed-over")]
    HandedOver {
        /// Its number.
        number: String,
        /// Its name.
        name: String,
    },
    /// For people only: a file that another process wrote for this run.
    #[serde(rename = "document.replayed")]
    Replayed {
        /// What it is.
        heading: String,
        /// Its name among the artifacts.
        name: String,
    },
    /// For people only: files that another process wrote for this run, to be shown when the flow comes to them.
    #[serde(rename = "document.written-elsewhere")]
    WrittenElsewhere {
        /// Their names among the artifacts.
        names: Vec<String>,
    },
    /// For people only: who works beside each other from here on, until the next such list.
    #[serde(rename = "lanes")]
    Lanes {
        /// What they do.
        title: String,
        /// Their steps, and what people call them.
        lanes: Vec<(String, String)>,
    },
    /// For people only: a line worth reading, exactly as it is.
    #[serde(rename = "line")]
    Line {
        /// The line.
        text: String,
    },
    /// For people only: a file that is worth reading now.
    #[serde(rename = "document")]
    Document {
        /// What it is.
        heading: String,
        /// Its name among the artifacts.
        name: String,
    },
    /// The flow came to its end or to a stop.
    #[serde(rename = "run.finished")]
    RunFinished {
        /// `done`, `waiting`, `refused`, `failed` or `interrupted`.
        status: String,
        /// Where the artifacts are.
        files: String,
    },
    /// An event that this version does not know.
    #[serde(other, rename = "unknown")]
    Unknown,
}

impl EventKind {
    /// Whether it only says how to show the others: such events are no part of the stream for programs.
    pub fn is_for_people_only(&self) -> bool {
        matches!(
            self,
            EventKind::StageBegan { .. }
                | EventKind::StageEnded { .. }
                | EventKind::HandedOver { .. }
                | EventKind::Replayed { .. }
                | EventKind::WrittenElsewhere { .. }
                | EventKind::Lanes { .. }
                | EventKind::Line { .. }
                | EventKind::Document { .. }
                | EventKind::Unknown
        )
    }
}
