//! Changes a driver makes while it runs a flow: steps begin, finish and fail, phases finish, gates open and
//! are answered.
//!
//! Each is a pure function from the document on disk to the next one, like those of [`super::transition`].

use super::document::{
    CheckoutMove, Checkpoint, GateRecord, GateState, PhaseRecord, PhaseStatus, RunRecord, StepRecord,
    StepStatus, Usage,
};
use super::gate::{FEEDBACK, GateOutcome, GateQuestion, RecordedSource, Respondent, settle};
use super::incidents;
use super::name::RunKey;
use super::transition::{TransitionContext, TransitionError, stamp};
use crate::stamp::Stamp;
use serde::Deserialize as _;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The member of a step that holds its return value.
const VALUE: &str = "value";
/// The member of a gate that names its phase.
const PHASE: &str = "phase";
/// The member of a gate that holds its questions, so that any process can ask them.
const QUESTIONS: &str = "questions";

/// A gate about to be opened, with its questions.
#[derive(Debug, Clone, Copy)]
pub struct GateOpening<'a> {
    pub phase: &'a str,
    pub gate: &'a str,
    /// SHA-256 of the subject of the decision.
    pub subject: &'a str,
    /// SHA-256 of the page that is shown, if any.
    pub shown: Option<&'a str>,
    pub questions: &'a [GateQuestion],
}

/// Result of a step that succeeded.
#[derive(Debug, Clone, Default)]
pub struct StepResult {
    /// SHA-256 of each output, by name.
    pub outputs: BTreeMap<String, String>,
    /// Return value.
    pub value: Value,
    /// The agent that answered.
    pub agent: Option<String>,
    /// The agents that were tried before and failed.
    pub fallback_from: Vec<String>,
    pub usage: Option<Usage>,
    /// SHA-256 of the rendered prompt.
    pub prompt: Option<String>,
}

impl StepResult {
    fn apply(self, step: &mut StepRecord, now: Stamp) {
        step.status = StepStatus::Done;
        step.finished_at = Some(now);
        step.outputs = self.outputs;
        step.agent = self.agent;
        step.fallback_from = self.fallback_from;
        step.usage = self.usage;
        step.prompt = self.prompt;
        step.error = None;
        if !self.value.is_null() {
            step.extra.insert(VALUE.to_owned(), self.value);
        }
    }
}

/// Creates the document of a new run.
pub fn begin_run(
    key: RunKey<'_>,
    run: RunRecord,
    phases: &[&str],
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let mut document = Checkpoint::new(key);
    document.run = Some(run);
    document.state.pending_phases = phases.iter().map(|&phase| phase.to_owned()).collect();
    stamp(document, None, context)
}

/// Records the branch of the run, before it is created: from here on it counts as created for its feature. With the move
/// that switching to it is.
pub fn record_branch(
    mut document: Checkpoint,
    branch: &str,
    moving: Option<CheckoutMove>,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let run = document.run.get_or_insert_default();
    (run.branch, run.moving) = (Some(branch.to_owned()), moving);
    stamp(document, previous.as_ref(), context)
}

/// Records a move of the checkout, before git starts.
pub fn record_move(
    mut document: Checkpoint,
    moving: CheckoutMove,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    document.run.get_or_insert_default().moving = Some(moving);
    stamp(document, previous.as_ref(), context)
}

/// Forgets the recorded move of the checkout: it has ended, and nothing is left of it.
pub fn forget_move(
    mut document: Checkpoint,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    document.run.get_or_insert_default().moving = None;
    stamp(document, previous.as_ref(), context)
}

/// Records the intent to execute a step, before anything happens.
pub fn begin_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    inputs: BTreeMap<String, String>,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    insert_step(document, phase, id, inputs, context, |_, _| {})
}

/// [`begin_step`] and [`seat_agent`] in one change.
pub fn begin_agent_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    inputs: BTreeMap<String, String>,
    agent: &str,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    insert_step(document, phase, id, inputs, context, |step, _| step.agent = Some(agent.to_owned()))
}

/// Records a finished step: [`begin_step`] and [`finish_step`] in one change, for a step without effects
/// outside the workspace, whose interruption leaves nothing to recover.
pub fn record_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    inputs: BTreeMap<String, String>,
    result: StepResult,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    insert_step(document, phase, id, inputs, context, |step, now| result.apply(step, now))
}

/// Records the agent about to be launched for a step; the previous one becomes a fallback source.
pub fn seat_agent(
    document: Checkpoint,
    phase: &str,
    id: &str,
    agent: &str,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    change_step(document, phase, id, context, |step, _| {
        if let Some(before) = step.agent.replace(agent.to_owned())
            && before != agent
        {
            step.fallback_from.push(before);
        }
    })
}

/// Records the result of a step, after all its outputs are synced.
pub fn finish_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    result: StepResult,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    change_step(document, phase, id, context, |step, now| result.apply(step, now))
}

/// Records the error of a step, which names the evidence left behind.
pub fn fail_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    error: &str,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let document = change_step(document, phase, id, context, |step, now| {
        step.status = StepStatus::Failed;
        step.finished_at = Some(now);
        step.error = Some(error.to_owned());
    })?;
    change_phase(document, phase, PhaseStatus::Failed, context, |phase, _| {
        phase.error = Some(error.to_owned());
    })
}

/// Completes a phase with a summary for the next one and the files it delivers.
pub fn finish_phase(
    document: Checkpoint,
    phase: &str,
    summary: Option<&str>,
    files: &[String],
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    change_phase(document, phase, PhaseStatus::Complete, context, |phase, _| {
        // Of a step whose failure did not stop the phase.
        phase.error = None;
        if let Some(summary) = summary {
            phase.context_summary = Some(summary.to_owned());
        }
        if !files.is_empty() {
            phase.files_created = Some(files.to_vec());
        }
    })
}

/// Removes the steps of a phase that `selected` picks, so that they are executed again.
pub fn forget_steps(
    mut document: Checkpoint,
    phase: &str,
    selected: impl Fn(&str) -> bool,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    if let Some(found) = document.phases.get_mut(phase) {
        let was = found.status;
        let found = Arc::make_mut(found);
        if let Some(steps) = &mut found.steps {
            steps.retain(|id, _| !selected(id));
        }
        if was == PhaseStatus::Complete {
            found.status = PhaseStatus::Pending;
            document.state.move_phase(phase, PhaseStatus::Pending, Some(was));
            document.completed_at = None;
        }
    }
    stamp(document, previous.as_ref(), context)
}

/// Replaces the flags of a run.
pub fn set_flags(
    mut document: Checkpoint,
    flags: Map<String, Value>,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    if let Some(run) = &mut document.run {
        run.flags = flags;
    }
    stamp(document, previous.as_ref(), context)
}

/// Opens a gate: records its questions and the digests of their subject, so that any process can answer.
///
/// Answers given to the same subject are kept; only the missing ones are asked.
pub fn open_gate(
    mut document: Checkpoint,
    opening: GateOpening<'_>,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let GateOpening { phase, gate, subject, shown, questions } = opening;
    let previous = document.updated_at.clone();
    let before = document.gates.get(gate);
    let round = before.and_then(|gate| gate.round).unwrap_or(1);
    let same =
        before.filter(|gate| gate.subject.as_deref() == Some(subject) && gate.state == GateState::Pending);
    let (answers, via) = same.map(|gate| (gate.answers.clone(), gate.via.clone())).unwrap_or_default();
    let mut extra = Map::new();
    extra.insert(PHASE.to_owned(), Value::from(phase));
    extra.insert(QUESTIONS.to_owned(), serde_json::to_value(questions).unwrap_or_default());
    let record = GateRecord {
        state: GateState::Pending,
        subject: Some(subject.to_owned()),
        shown: shown.map(str::to_owned),
        answers,
        via,
        by: None,
        at: None,
        round: Some(round),
        extra,
    };
    document.gates.insert(gate.to_owned(), Arc::new(record));
    stamp(document, previous.as_ref(), context)
}

/// Records answers to some or all of a gate's questions, in the gate and in its phase.
pub fn answer_gate(
    mut document: Checkpoint,
    gate: &str,
    answers: Map<String, Value>,
    respondent: &Respondent,
    context: &TransitionContext,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let now = context.now.stamp_after(previous.as_ref());
    let Some(record) = document.gates.get_mut(gate) else {
        return Err(TransitionError::NoSuchGate(gate.to_owned()));
    };
    add_answers(Arc::make_mut(record), answers, &respondent.via(), respondent.name(), now);
    note_responses(&mut document, gate);
    stamp(document, previous.as_ref(), context)
}

/// Adds answers to those of a gate, which is settled once none is missing.
pub(super) fn add_answers(
    record: &mut GateRecord,
    answers: Map<String, Value>,
    via: &RecordedSource,
    by: String,
    at: Stamp,
) {
    record.via.extend(answers.keys().map(|key| (key.clone(), via.clone())));
    record.answers.extend(answers);
    (record.by, record.at) = (Some(by), Some(at));
    let round = record.round.unwrap_or(1);
    record.state = match settle(&questions(record), &record.answers, round) {
        GateOutcome::Missing(_) => GateState::Pending,
        GateOutcome::Settled(state) => state,
    };
    if record.state == GateState::Revise {
        record.round = Some(round + 1);
    }
}

/// Notes the answers of a gate in its phase.
pub(super) fn note_responses(document: &mut Checkpoint, gate: &str) {
    let Some(record) = document.gates.get(gate) else { return };
    let phase = record.extra.get(PHASE).and_then(Value::as_str);
    if let Some(phase) = phase.and_then(|name| document.phases.get_mut(name)) {
        Arc::make_mut(phase).checkpoint_responses = Some(record.answers.clone());
    }
}

/// The questions of a gate, as [`open_gate`] recorded them.
pub fn questions(gate: &GateRecord) -> Vec<GateQuestion> {
    gate.extra.get(QUESTIONS).and_then(|questions| Vec::deserialize(questions).ok()).unwrap_or_default()
}

/// The questions of a gate that lack an accepted answer.
pub fn open_questions(gate: &GateRecord) -> Vec<GateQuestion> {
    let questions = questions(gate);
    let GateOutcome::Missing(keys) = settle(&questions, &gate.answers, gate.round.unwrap_or(1)) else {
        return Vec::new();
    };
    let feedback = GateQuestion {
        key: FEEDBACK.to_owned(),
        text: "What should be revised?".to_owned(),
        recommended: None,
        choices: Vec::new(),
        approval: false,
        delegable: Vec::new(),
    };
    questions.into_iter().chain([feedback]).filter(|question| keys.contains(&question.key)).collect()
}

/// The questions of a gate that may be answered now: the open ones, or the approval of a rejected gate.
pub fn answerable_questions(gate: &GateRecord) -> Vec<GateQuestion> {
    match gate.state {
        GateState::Pending => open_questions(gate),
        GateState::Rejected => questions(gate).into_iter().filter(|question| question.approval).collect(),
        GateState::Answered | GateState::Approved | GateState::Revise => Vec::new(),
    }
}

/// The return value of a step.
pub fn step_value(step: &StepRecord) -> Value {
    step.extra.get(VALUE).cloned().unwrap_or_default()
}

/// Records a new attempt at a step, completed by `change`.
fn insert_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    inputs: BTreeMap<String, String>,
    context: &TransitionContext,
    change: impl FnOnce(&mut StepRecord, Stamp),
) -> Result<Checkpoint, TransitionError> {
    change_phase(document, phase, PhaseStatus::InProgress, context, |phase, now| {
        phase.error = None;
        let steps = phase.steps.get_or_insert_default();
        let before = steps.get(id);
        let mut step = StepRecord {
            attempt: Some(before.and_then(|step| step.attempt).unwrap_or(0) + 1),
            started_at: Some(now.clone()),
            inputs,
            // The outputs of the last attempt are still in the workspace.
            outputs: before.map(|step| step.outputs.clone()).unwrap_or_default(),
            extra: before.map(|step| incidents::inherited_members(step)).unwrap_or_default(),
            ..StepRecord::new(StepStatus::Running)
        };
        change(&mut step, now);
        steps.insert(id.to_owned(), Arc::new(step));
    })
}

fn change_phase(
    mut document: Checkpoint,
    name: &str,
    status: PhaseStatus,
    context: &TransitionContext,
    change: impl FnOnce(&mut PhaseRecord, Stamp),
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let now = context.now.stamp_after(previous.as_ref());
    let was = document.phases.get(name).map(|phase| phase.status);
    let phase = Arc::make_mut(document.phases.entry(name.to_owned()).or_default());
    if phase.started_at.is_none()
        || (status == PhaseStatus::InProgress && was != Some(PhaseStatus::InProgress))
    {
        phase.started_at = Some(now.clone());
    }
    phase.status = status;
    phase.updated_at = Some(now.clone());
    change(phase, now);
    document.state.move_phase(name, status, was);
    if status != PhaseStatus::Complete {
        document.completed_at = None;
    }
    stamp(document, previous.as_ref(), context)
}

pub(super) fn change_step(
    mut document: Checkpoint,
    phase: &str,
    id: &str,
    context: &TransitionContext,
    change: impl FnOnce(&mut StepRecord, Stamp),
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let now = context.now.stamp_after(previous.as_ref());
    let missing = || TransitionError::NoSuchStep { phase: phase.to_owned(), step: id.to_owned() };
    let found = document.phases.get_mut(phase).ok_or_else(missing)?;
    let found = Arc::make_mut(found);
    found.updated_at = Some(now.clone());
    let step = found.steps.as_mut().and_then(|steps| steps.get_mut(id)).ok_or_else(missing)?;
    change(Arc::make_mut(step), now);
    stamp(document, previous.as_ref(), context)
}
