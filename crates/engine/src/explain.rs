//! Reasons why a step must run (again): for previews, for `status --why`, and for the event when it starts.

use crate::journal::answers_digest;
use charrette_model::checkpoint::{Checkpoint, StepRecord, StepStatus};
use charrette_store::Workspace;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Reason why a step must be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunReason {
    /// Never started, or waiting for a decision.
    NotDone,
    Interrupted,
    FailedBefore,
    /// The digest of this input is another than on record.
    InputChanged(String),
    /// The step names other inputs than on record.
    InputsDiffer,
    /// This output file no longer exists.
    OutputMissing(String),
    /// Another step will rewrite this input.
    InputWillChange {
        input: String,
        step: String,
    },
}

impl RunReason {
    /// Compares the record of a step with the digests of its inputs now; none if the step can be reused.
    ///
    /// A run that another version began is compared by the inputs that both versions know: an upgrade that gives a seat
    /// more to read does not have a finished step paid again.
    pub(crate) fn find(
        before: Option<&StepRecord>,
        inputs: &BTreeMap<String, String>,
        by_this_version: bool,
    ) -> Option<RunReason> {
        let Some(step) = before else { return Some(RunReason::NotDone) };
        match step.status {
            StepStatus::Done => {}
            StepStatus::Failed => return Some(RunReason::FailedBefore),
            StepStatus::Running => return Some(RunReason::Interrupted),
            StepStatus::Pending | StepStatus::Waiting => return Some(RunReason::NotDone),
        }
        if by_this_version && step.inputs.keys().ne(inputs.keys()) {
            return Some(RunReason::InputsDiffer);
        }
        inputs
            .iter()
            .find(|(name, digest)| step.inputs.get(*name).is_some_and(|recorded| recorded != *digest))
            .map(|(name, _)| RunReason::InputChanged(name.clone()))
    }
}

/// True if this version of charrette began the run.
pub fn is_by_this_version(document: &Checkpoint) -> bool {
    let version = document.run.as_ref().and_then(|run| run.charrette.as_deref());
    version.is_none_or(|version| version == env!("CARGO_PKG_VERSION"))
}

impl fmt::Display for RunReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunReason::NotDone => f.write_str("not done yet"),
            RunReason::Interrupted => f.write_str("previous attempt was interrupted"),
            RunReason::FailedBefore => f.write_str("previous attempt failed"),
            RunReason::InputChanged(input) => write!(f, "input {input} changed"),
            RunReason::InputsDiffer => f.write_str("list of inputs changed"),
            RunReason::OutputMissing(output) => write!(f, "output {output} is missing"),
            RunReason::InputWillChange { input, step } => {
                write!(f, "input {input} will be rewritten by {step}")
            }
        }
    }
}

/// Forecast of one step of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepForecast {
    pub phase: String,
    pub step: String,
    pub status: StepStatus,
    /// Reason to run again when the run is resumed; none if the step will be reused.
    pub why: Option<String>,
}

/// Forecasts which recorded steps will be reused and which will run when the run is resumed.
///
/// Steps that the flow has not reached are not on record, so they are not included.
pub fn forecast(document: &Checkpoint, workspace: &Workspace) -> Vec<StepForecast> {
    let steps: Vec<(&String, &String, &StepRecord)> = document
        .phases
        .iter()
        .flat_map(|(phase, record)| record.steps.iter().flatten().map(move |(id, step)| (phase, id, &**step)))
        .collect();
    let mut reasons: Vec<Option<RunReason>> =
        steps.iter().map(|(_, _, step)| run_reason(document, workspace, step)).collect();

    // A step that reads a file that will be rewritten runs again too: repeat until no further step is affected.
    loop {
        let mut rewritten: BTreeMap<&String, &String> = BTreeMap::new();
        for ((_, id, step), reason) in steps.iter().zip(&reasons) {
            if reason.is_some() {
                rewritten.extend(step.outputs.keys().map(|output| (output, *id)));
            }
        }
        let mut affected = BTreeSet::new();
        for (n, (_, _, step)) in steps.iter().enumerate() {
            if reasons[n].is_none()
                && let Some((input, by)) =
                    step.inputs.keys().find_map(|input| Some((input, rewritten.get(input)?)))
            {
                affected.insert((n, input.clone(), (*by).clone()));
            }
        }
        if affected.is_empty() {
            break;
        }
        for (n, input, step) in affected {
            reasons[n] = Some(RunReason::InputWillChange { input, step });
        }
    }
    steps
        .into_iter()
        .zip(reasons)
        .map(|((phase, id, step), why)| StepForecast {
            phase: phase.clone(),
            step: id.clone(),
            status: step.status,
            why: why.map(|why| why.to_string()),
        })
        .collect()
}

fn run_reason(document: &Checkpoint, workspace: &Workspace, step: &StepRecord) -> Option<RunReason> {
    let current: BTreeMap<String, String> = step
        .inputs
        .iter()
        .map(|(name, before)| {
            let now = current_digests(document, workspace, name);
            // Only the flow knows the current digest of a given value: it counts as unchanged.
            let is_same = now.is_empty() || now.contains(before);
            let digest = if is_same { Some(before.clone()) } else { now.into_iter().next() };
            (name.clone(), digest.unwrap_or_default())
        })
        .collect();
    RunReason::find(Some(step), &current, is_by_this_version(document)).or_else(|| {
        let is_missing = |name: &&String| workspace.path(name).is_ok_and(|path| !path.exists());
        step.outputs.keys().find(is_missing).map(|name| RunReason::OutputMissing(name.clone()))
    })
}

/// Possible current digests of an input. A label is ambiguous: it may mean all answers of a gate, one answer, or a file
/// of that name.
fn current_digests(document: &Checkpoint, workspace: &Workspace, label: &str) -> Vec<String> {
    if label.starts_with("given/") {
        return Vec::new();
    }
    let file = workspace.digest(label, None).ok().flatten().unwrap_or_else(|| "absent".to_owned());
    let Some(gate) = label.strip_prefix("answers/") else { return vec![file] };
    let mut digests = vec![answers_digest(document, gate, None)];
    digests.extend(gate.rsplit_once('/').map(|(gate, key)| answers_digest(document, gate, Some(key))));
    digests.push(file);
    digests
}
