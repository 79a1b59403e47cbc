//! Events of a run: the one stream that terminals, `--json`, webhooks and other views consume.

use crate::gate::GateQuestion;
use charrette_model::checkpoint::Usage;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Version of the event format.
pub const EVENT_VERSION: u32 = 1;

/// Callback for every event.
pub type Watcher = Arc<dyn Fn(&Event) + Send + Sync>;

/// Event stream of a run, with its subscribers.
#[derive(Clone, Default)]
pub struct Broadcast(Arc<Mutex<Vec<Watcher>>>);

impl Broadcast {
    /// Adds a watcher, for all events from now on.
    pub fn subscribe(&self, watcher: Watcher) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(watcher);
    }

    /// Calls every watcher, in the order they subscribed.
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

/// An event: its kind, with version, time and run id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub v: u32,
    pub at: String,
    pub run: String,
    #[serde(flatten)]
    pub kind: EventKind,
}

/// Outcome of a stage, as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StageOutcome {
    Done,
    /// Done, and it is the last stage of the flow.
    Last,
    /// Nothing to do.
    Skipped,
    /// Needs attention.
    Warning,
}

/// Kind of an event, with its members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event")]
pub enum EventKind {
    /// A run was started or resumed.
    #[serde(rename = "run.started")]
    RunStarted {
        command: String,
        feature: Option<String>,
        /// True if it continues after an earlier stop.
        resumed: bool,
    },
    /// A phase was started.
    #[serde(rename = "phase.started")]
    PhaseStarted { phase: String },
    /// A phase is complete.
    #[serde(rename = "phase.finished")]
    PhaseFinished { phase: String },
    /// A step is being executed.
    #[serde(rename = "step.started")]
    StepStarted {
        phase: String,
        step: String,
        /// Number of the attempt, from 1.
        attempt: u32,
        why: String,
    },
    /// A step was reused: it is done and its inputs are unchanged.
    #[serde(rename = "step.reused")]
    StepReused { phase: String, step: String },
    /// A step is done.
    #[serde(rename = "step.finished")]
    StepFinished {
        phase: String,
        step: String,
        /// Names of the files it wrote.
        outputs: Vec<String>,
    },
    /// A step failed.
    #[serde(rename = "step.failed")]
    StepFailed { phase: String, step: String, error: String },
    /// An agent was launched.
    #[serde(rename = "agent.started")]
    AgentStarted { step: String, agent: String },
    /// An agent ended.
    #[serde(rename = "agent.finished")]
    AgentFinished {
        step: String,
        agent: String,
        /// `ok`, or the error.
        status: String,
        seconds: f64,
        usage: Option<Usage>,
    },
    /// A gate waits for a person.
    #[serde(rename = "gate.waiting")]
    GateWaiting {
        gate: String,
        /// Open questions.
        questions: Vec<GateQuestion>,
    },
    /// A gate was answered.
    #[serde(rename = "gate.answered")]
    GateAnswered {
        gate: String,
        /// State of the gate after the answer.
        state: String,
    },
    /// A warning for the user.
    #[serde(rename = "warning")]
    Warning {
        message: String,
        /// True if a terminal leaves it out. Logs and programs still get it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        log_only: bool,
    },
    /// The votes of a panel were tallied.
    #[serde(rename = "vote.tallied")]
    VoteTallied {
        /// Subject of the vote.
        about: String,
        /// Number of items by outcome.
        outcomes: std::collections::BTreeMap<String, usize>,
    },
    /// Display only: a numbered stage of the flow was started.
    #[serde(rename = "stage.began")]
    StageBegan {
        number: String,
        name: String,
        /// Label of its times in the ledger.
        ledger: String,
        /// Text beside its name.
        payload: Option<String>,
    },
    /// Display only: a stage ended.
    #[serde(rename = "stage.ended")]
    StageEnded {
        number: String,
        name: String,
        ending: StageOutcome,
        /// Text beside its name.
        payload: String,
    },
    /// Display only: a worker process runs this stage and those after it.
    #[serde(rename = "stage.handed-over")]
    StageHandedOver { number: String, name: String },
    /// Display only: a file that a worker process wrote for this run.
    #[serde(rename = "document.replayed")]
    DocumentReplayed { heading: String, name: String },
    /// Display only: files that a worker process wrote for this run, to be shown when the flow reaches them.
    #[serde(rename = "document.written-elsewhere")]
    DocumentsWrittenElsewhere {
        /// Artifact names.
        names: Vec<String>,
    },
    /// Display only: the lanes that run in parallel, until the next such list.
    #[serde(rename = "lanes")]
    Lanes {
        title: String,
        /// Step id and display name of each lane.
        lanes: Vec<(String, String)>,
    },
    /// Display only: a line to print as it is.
    #[serde(rename = "line")]
    Line { text: String },
    /// Display only: an artifact to show now.
    #[serde(rename = "document")]
    Document { heading: String, name: String },
    /// The flow ended or stopped.
    #[serde(rename = "run.finished")]
    RunFinished {
        /// `done`, `waiting`, `refused`, `failed` or `interrupted`.
        status: String,
        /// Location of the artifacts.
        files: String,
    },
    /// An event that this version does not know.
    #[serde(other, rename = "unknown")]
    Unknown,
}

impl EventKind {
    /// A warning for logs and terminals.
    pub fn warning(message: impl Into<String>) -> EventKind {
        EventKind::Warning { message: message.into(), log_only: false }
    }

    /// True if the event only serves the display; such events are not part of the stream for programs.
    pub fn is_display_only(&self) -> bool {
        matches!(
            self,
            EventKind::StageBegan { .. }
                | EventKind::StageEnded { .. }
                | EventKind::StageHandedOver { .. }
                | EventKind::DocumentReplayed { .. }
                | EventKind::DocumentsWrittenElsewhere { .. }
                | EventKind::Lanes { .. }
                | EventKind::Line { .. }
                | EventKind::Document { .. }
                | EventKind::Unknown
        )
    }
}
