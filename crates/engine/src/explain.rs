//! Why a step will run: for previews, for `status --why`, and said when it does.

use crate::journal::answers_digest;
use charrette_model::checkpoint::{Checkpoint, Step, StepStatus};
use charrette_store::Workspace;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Why a step must be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It never was.
    Missing,
    /// It was interrupted.
    Interrupted,
    /// It failed.
    FailedBefore,
    /// Something it reads is not what it was.
    InputChanged(String),
    /// It reads something now that it did not read before, or the other way round.
    InputsDiffer,
    /// A file it wrote is gone.
    OutputMissing(String),
    /// Something it reads will be written anew by another step.
    InputWillChange {
        /// What it reads.
        input: String,
        /// The step that will write it.
        step: String,
    },
}

impl Why {
    /// Why a step with this record must be executed, given the digests of what it reads now; none if it need not.
    pub(crate) fn of(before: Option<&Step>, inputs: &BTreeMap<String, String>) -> Option<Why> {
        let Some(step) = before else { return Some(Why::Missing) };
        match step.status {
            StepStatus::Done => {}
            StepStatus::Failed => return Some(Why::FailedBefore),
            StepStatus::Running => return Some(Why::Interrupted),
            StepStatus::Pending | StepStatus::Waiting => return Some(Why::Missing),
        }
        if step.inputs.keys().ne(inputs.keys()) {
            return Some(Why::InputsDiffer);
        }
        inputs
            .iter()
            .find(|(name, digest)| step.inputs.get(*name) != Some(digest))
            .map(|(name, _)| Why::InputChanged(name.clone()))
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Missing => f.write_str("missing"),
            Why::Interrupted => f.write_str("interrupted before"),
            Why::FailedBefore => f.write_str("failed before"),
            Why::InputChanged(input) => write!(f, "input {input} changed"),
            Why::InputsDiffer => f.write_str("it reads other inputs now"),
            Why::OutputMissing(output) => write!(f, "output {output} is gone"),
            Why::InputWillChange { input, step } => write!(f, "input {input} will be written anew by {step}"),
        }
    }
}

/// One step of a run, and why it will run again, if it will.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepForecast {
    /// Its phase.
    pub phase: String,
    /// Which.
    pub step: String,
    /// How far it is.
    pub status: StepStatus,
    /// Why it will run when the run is resumed; none if it will be reused.
    pub why: Option<String>,
}

/// What will happen to each recorded step when the run is resumed.
///
/// Steps that the flow has not come to are not on record, so they are not here.
pub fn forecast(document: &Checkpoint, workspace: &Workspace) -> Vec<StepForecast> {
    let steps: Vec<(&String, &String, &Step)> = document
        .phases
        .iter()
        .flat_map(|(phase, found)| found.steps.iter().flatten().map(move |(id, step)| (phase, id, step)))
        .collect();
    let mut reasons: Vec<Option<Why>> =
        steps.iter().map(|(_, _, step)| why_now(document, workspace, step)).collect();

    // What will be written anew spreads to whatever reads it, until nothing more is reached.
    loop {
        let mut rewritten: BTreeMap<&String, &String> = BTreeMap::new();
        for ((_, id, step), reason) in steps.iter().zip(&reasons) {
            if reason.is_some() {
                rewritten.extend(step.outputs.keys().map(|output| (output, *id)));
            }
        }
        let mut reached = BTreeSet::new();
        for (n, (_, _, step)) in steps.iter().enumerate() {
            if reasons[n].is_none()
                && let Some((input, by)) =
                    step.inputs.keys().find_map(|input| Some((input, rewritten.get(input)?)))
            {
                reached.insert((n, input.clone(), (*by).clone()));
            }
        }
        if reached.is_empty() {
            break;
        }
        for (n, input, step) in reached {
            reasons[n] = Some(Why::InputWillChange { input, step });
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

fn why_now(document: &Checkpoint, workspace: &Workspace, step: &Step) -> Option<Why> {
    let current: BTreeMap<String, String> = step
        .inputs
        .iter()
        .map(|(name, before)| {
            let now = digests_now(document, workspace, name);
            // Where only the flow could tell, nothing has changed as far as anybody knows.
            let is_same = now.is_empty() || now.contains(before);
            let digest = if is_same { Some(before.clone()) } else { now.into_iter().next() };
            (name.clone(), digest.unwrap_or_default())
        })
        .collect();
    Why::of(Some(step), &current).or_else(|| {
        let gone = |name: &&String| workspace.path(name).is_ok_and(|path| !path.exists());
        step.outputs.keys().find(gone).map(|name| Why::OutputMissing(name.clone()))
    })
}

/// What the digest of an input may be now. A label does not say whether answers are meant, one of them, or the file
/// they were written to.
fn digests_now(document: &Checkpoint, workspace: &Workspace, label: &str) -> Vec<String> {
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
