//! Types of the state document: checkpoint schema v1 and the members charrette adds to it.
//!
//! Unknown members are kept: every object carries its own along. Key order follows these structs, with the
//! members of the overview first, so that listing many documents stays cheap.

use super::gate::RecordedSource;
use super::name::RunKey;
use super::run::{ChildRun, ParentRun, StopRecord};
use crate::stamp::Stamp;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

pub const SCHEMA_VERSION: u64 = 1;

/// One run of one command for one feature: the single source of truth for its progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Charrette checkpoint, schema v1")]
pub struct Checkpoint {
    /// Always 1.
    #[serde(deserialize_with = "version_one")]
    #[schemars(range(min = 1, max = 1))]
    pub version: u64,
    /// The command: start, design, reconcile, research, implement, ship or review; run.
    #[serde(default)]
    pub command: String,
    /// The feature it works on; nested specs have a path with `.` between the segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// HEAD at the last save.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_commit: Option<String>,
    /// Start of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Stamp>,
    /// Time of the last change. Grows with every change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
    /// Completion time; absent while the run is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Stamp>,
    /// Position of the run among its phases.
    #[serde(default)]
    pub state: RunProgress,
    /// Run id, workspace and flags: what resuming needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunRecord>,
    /// Decisions asked of a person, by gate name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub gates: IndexMap<String, Arc<GateRecord>>,
    /// Result of each phase, by name. Shared, because most changes leave most phases alone.
    #[serde(default)]
    pub phases: IndexMap<String, Arc<PhaseRecord>>,
    /// Verdict on shipping the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<ShipGate>,
    /// The spec being implemented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec_path: Option<String>,
    /// Deployment of a shipped change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vercel: Option<Vercel>,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Position of a run among its phases.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunProgress {
    /// The phase in progress, if any.
    #[serde(default)]
    pub current_phase: Option<String>,
    /// Complete phases, in the order of completion.
    #[serde(default)]
    pub completed_phases: Vec<String>,
    /// Phases to come, in order.
    #[serde(default)]
    pub pending_phases: Vec<String>,
    /// The task in progress, such as `T002`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_task: Option<String>,
    /// Summary of the whole run, at most 500 words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_summary: Option<String>,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One phase of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseRecord {
    #[serde(default)]
    pub status: PhaseStatus,
    /// Start of this attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Stamp>,
    /// Time of the last change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
    /// Summary for the next phase, at most 500 words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_summary: Option<String>,
    /// Files the phase created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_created: Option<Vec<String>>,
    /// Files the phase changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_modified: Option<Vec<String>>,
    /// Error of a failed phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Answers given at this phase's gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_responses: Option<Map<String, Value>>,
    /// The tasks of an implementation phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<IndexMap<String, ImplementationTask>>,
    /// The durable steps of the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<IndexMap<String, Arc<StepRecord>>>,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Status of a phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PhaseStatus {
    /// Not started.
    #[default]
    Pending,
    /// In progress, or interrupted while in progress.
    InProgress,
    /// Done.
    Complete,
    /// Ended with an error; will be retried.
    Failed,
    /// Skipped on purpose.
    Skipped,
}

/// One task of an implementation phase.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImplementationTask {
    /// Status: the tokens of a phase status, or the command's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Text of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Run id, workspace and flags: what resuming needs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// UUID v7 of the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Folder of the run's artifacts, relative to the repository's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// SHA-256 of request.md.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The branch the run works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The move of the checkout that was begun last: recorded before git starts, for a run that is killed inside it, and
    /// forgotten when git gives it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moving: Option<CheckoutMove>,
    /// The commit that branch started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The flags the run was started with.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub flags: Map<String, Value>,
    /// The version of charrette that started the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charrette: Option<String>,
    /// SHA-256 of what the repository was trusted to run and send when the run began; none if it asked for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// Reason the driver stopped, if nothing has happened since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StopRecord>,
    /// The run that started this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentRun>,
    /// Runs started by this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<ChildRun>,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A move of the checkout from one commit to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckoutMove {
    /// The commit of HEAD before the move.
    pub from: String,
    /// The commit that files come from.
    pub to: String,
}

/// A decision asked of a person: digests of what was shown, the answers, and their author.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateRecord {
    /// State of the gate.
    pub state: GateState,
    /// SHA-256 of the subject of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// SHA-256 of the page that was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// Answers by question key.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub answers: Map<String, Value>,
    /// Source of each answer, by question key.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub via: IndexMap<String, RecordedSource>,
    /// Name of the last respondent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Time of the last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Stamp>,
    /// Round of revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// State of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateState {
    /// Waiting for a person.
    Pending,
    /// Answered; the gate carries no verdict.
    Answered,
    /// Approved.
    Approved,
    /// Rejected.
    Rejected,
    /// Sent back for revision with feedback.
    Revise,
}

/// Record of one durable step of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    pub status: StepStatus,
    /// Number of the attempt, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// Start of this attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Stamp>,
    /// End of this attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Stamp>,
    /// SHA-256 of each input, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// SHA-256 of each output, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, String>,
    /// The agent that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The agents that were tried before and failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback_from: Vec<String>,
    /// Tokens and cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// SHA-256 of the rendered prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Error of a failed step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl StepRecord {
    /// A record with a status and nothing else.
    pub fn new(status: StepStatus) -> StepRecord {
        StepRecord {
            status,
            attempt: None,
            started_at: None,
            finished_at: None,
            inputs: BTreeMap::new(),
            outputs: BTreeMap::new(),
            agent: None,
            fallback_from: Vec::new(),
            usage: None,
            prompt: None,
            error: None,
            extra: Map::new(),
        }
    }
}

/// Status of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not started.
    Pending,
    /// In progress, or interrupted while in progress.
    Running,
    /// Done; reused while its inputs are unchanged.
    Done,
    /// Ended with an error.
    Failed,
    /// Waiting for a person.
    Waiting,
}

/// Tokens and cost of an agent call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens read.
    #[serde(default)]
    pub input: u64,
    /// Tokens written.
    #[serde(default)]
    pub output: u64,
    /// Tokens read from a cache.
    #[serde(default)]
    pub cached: u64,
    /// Dollars, where the vendor reports them.
    #[serde(default)]
    pub usd: Option<f64>,
}

/// Verdict on shipping a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShipGate {
    /// True if the change may ship.
    pub ship_allowed: bool,
    /// Reasons against shipping.
    #[serde(default)]
    pub blockers: Vec<String>,
    /// The commit that was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_commit: Option<String>,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Deployment of a shipped change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Vercel {
    /// URL of the preview.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview_url: Option<String>,
    /// pending, building, ready or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview_status: Option<String>,
    /// URL of the production deployment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub production_url: Option<String>,
    /// The vendor's id of the deployment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deployment_id: Option<String>,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Checkpoint {
    /// True if some step recorded an output of that name with that digest: the file is unedited since.
    pub fn has_output(&self, name: &str, digest: &str) -> bool {
        self.output_digests(name).any(|written| written == digest)
    }

    /// Digests of the outputs of that name that steps recorded.
    pub fn output_digests<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let steps = self.phases.values().flat_map(|phase| phase.steps.iter().flatten());
        steps.filter_map(move |(_, step)| step.outputs.get(name).map(String::as_str))
    }

    /// An empty document, before the first transition.
    pub fn new(key: RunKey<'_>) -> Checkpoint {
        Checkpoint {
            version: SCHEMA_VERSION,
            command: key.command.to_owned(),
            feature: key.feature.map(str::to_owned),
            head_commit: None,
            started_at: None,
            updated_at: None,
            completed_at: None,
            state: RunProgress::default(),
            run: None,
            gates: IndexMap::new(),
            phases: IndexMap::new(),
            gate: None,
            spec_path: None,
            vercel: None,
            extra: Map::new(),
        }
    }
}

/// Accepts `1.0` as version 1: JavaScript has one kind of number.
pub(super) fn version_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    match f64::deserialize(deserializer)? {
        1.0 => Ok(SCHEMA_VERSION),
        other => Err(serde::de::Error::custom(format!("version {other}, expected {SCHEMA_VERSION}"))),
    }
}
