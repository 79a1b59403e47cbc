//! The shape of a state document: checkpoint schema v1 and the members charrette adds to it.
//!
//! Members nobody here knows are kept: every object carries its unknown members along. Key order follows
//! these structs, with what is needed at a glance first, so that reading many documents stays cheap.

use super::gate::Via;
use super::run::{ChildRun, ParentRun, Stopped};
use crate::stamp::Stamp;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The only schema version there is.
pub const SCHEMA_VERSION: u64 = 1;

/// One run of one command for one feature: the single truth of its progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Charrette checkpoint, schema v1")]
pub struct Checkpoint {
    /// Always 1.
    #[serde(deserialize_with = "version_one")]
    #[schemars(range(min = 1, max = 1))]
    pub version: u64,
    /// The command this is a run of: start, design, reconcile, research, implement, ship or review; run.
    #[serde(default)]
    pub command: String,
    /// The feature it works on; nested specs have a path with `.` between the segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// HEAD at the last save.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_commit: Option<String>,
    /// When the run began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Stamp>,
    /// When the document last changed. Grows with every change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
    /// When the run was completed; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Stamp>,
    /// Where the run stands.
    #[serde(default)]
    pub state: State,
    /// What is needed to continue the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunRecord>,
    /// Decisions asked of a person.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub gates: IndexMap<String, GateRecord>,
    /// The result of each phase. Shared, because most of them outlive most changes.
    #[serde(default)]
    pub phases: IndexMap<String, Arc<Phase>>,
    /// Whether the change may ship.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<ShipGate>,
    /// The spec that is being implemented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec_path: Option<String>,
    /// The deployment of a shipped change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vercel: Option<Vercel>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Where a run stands among its phases.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// The phase at work, if any.
    #[serde(default)]
    pub current_phase: Option<String>,
    /// Phases that are complete, in the order they were completed.
    #[serde(default)]
    pub completed_phases: Vec<String>,
    /// Phases still to come, in order.
    #[serde(default)]
    pub pending_phases: Vec<String>,
    /// The task at work, such as `T002`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_task: Option<String>,
    /// A summary of the whole run, at most 500 words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_summary: Option<String>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One phase of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// How far it is.
    #[serde(default)]
    pub status: PhaseStatus,
    /// When this attempt at it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Stamp>,
    /// When it last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
    /// What the next phase needs to know, at most 500 words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_summary: Option<String>,
    /// Files it created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_created: Option<Vec<String>>,
    /// Files it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_modified: Option<Vec<String>>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What a person answered at this phase's gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_responses: Option<Map<String, Value>>,
    /// The tasks of an implementation phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<IndexMap<String, Task>>,
    /// The durable steps of the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<IndexMap<String, Step>>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// How far a phase is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PhaseStatus {
    /// Not begun.
    #[default]
    Pending,
    /// At work, or interrupted while at work.
    InProgress,
    /// Done.
    Complete,
    /// Ended with an error; will be run again.
    Failed,
    /// Left out on purpose.
    Skipped,
}

/// One task of an implementation phase.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// How far it is; the words of a phase status, or the command's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What is to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What is needed to continue a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// UUID v7 of the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The folder with every artifact of the run, from the repository's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// SHA-256 of request.md.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The branch the run works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit that branch started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The flags the run was started with.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub flags: Map<String, Value>,
    /// The version of charrette that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charrette: Option<String>,
    /// Why its driver stopped, if nothing has happened since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// The run that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentRun>,
    /// The runs it started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<ChildRun>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A decision asked of a person: what was shown, what was answered, by whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateRecord {
    /// Where it stands.
    pub state: GateState,
    /// SHA-256 of what is decided on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// SHA-256 of the page that was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// Answers by question key.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub answers: Map<String, Value>,
    /// Which way each answer came, by question key.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub via: IndexMap<String, Via>,
    /// Who answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Stamp>,
    /// Which round of revision this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Where a gate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateState {
    /// Waiting for a person.
    Pending,
    /// Answered; the gate has no verdict of its own.
    Answered,
    /// Approved.
    Approved,
    /// Rejected.
    Rejected,
    /// To be revised with feedback.
    Revise,
}

/// One durable step of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// How far it is.
    pub status: StepStatus,
    /// Which attempt this is, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// When this attempt began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Stamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Stamp>,
    /// SHA-256 of everything it read, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// SHA-256 of everything it wrote, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, String>,
    /// The agent that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The agents that were asked before and failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback_from: Vec<String>,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// SHA-256 of the rendered prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Step {
    /// A step of which nothing is known but how far it is.
    pub fn new(status: StepStatus) -> Step {
        Step {
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

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not begun.
    Pending,
    /// At work, or interrupted while at work.
    Running,
    /// Done; reused as long as its inputs are unchanged.
    Done,
    /// Ended with an error.
    Failed,
    /// Waiting for a person.
    Waiting,
}

/// What an agent call cost, in tokens and money.
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
    /// Dollars, where the vendor says so.
    #[serde(default)]
    pub usd: Option<f64>,
}

/// Whether a change may ship.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShipGate {
    /// The decision.
    pub ship_allowed: bool,
    /// What stands against it.
    #[serde(default)]
    pub blockers: Vec<String>,
    /// The commit that was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_commit: Option<String>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The deployment of a shipped change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Vercel {
    /// Address of the preview.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview_url: Option<String>,
    /// pending, building, ready or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview_status: Option<String>,
    /// Address of the production deployment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub production_url: Option<String>,
    /// The vendor's id of the deployment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deployment_id: Option<String>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Checkpoint {
    /// Whether some step of the run left a file of that name like this: nobody has changed it since.
    pub fn wrote(&self, name: &str, digest: &str) -> bool {
        let mut steps = self.phases.values().flat_map(|phase| phase.steps.iter().flatten());
        steps.any(|(_, step)| step.outputs.get(name).is_some_and(|written| written == digest))
    }

    /// An empty document, as the first transition of a run finds it.
    pub fn new(command: &str, feature: Option<&str>) -> Checkpoint {
        Checkpoint {
            version: SCHEMA_VERSION,
            command: command.to_owned(),
            feature: feature.map(str::to_owned),
            head_commit: None,
            started_at: None,
            updated_at: None,
            completed_at: None,
            state: State::default(),
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

/// JavaScript knows one kind of number: `1.0` is version 1 too.
pub(super) fn version_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    match f64::deserialize(deserializer)? {
        1.0 => Ok(SCHEMA_VERSION),
        other => Err(serde::de::Error::custom(format!("version {other}, expected {SCHEMA_VERSION}"))),
    }
}
