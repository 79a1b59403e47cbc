//! The changes a driver makes while it works through a flow: steps begin, finish and fail, phases finish,
//! gates open and are answered.
//!
//! Each is a pure function from the document on disk to the next one, like those of [`super::transition`].

use super::document::{
    Checkpoint, GateRecord, GateState, Phase, PhaseStatus, RunRecord, Step, StepStatus, Usage,
};
use super::gate::{Answering, FEEDBACK, Outcome, Question, settle};
use super::incidents;
use super::transition::{Circumstances, TransitionError, stamp};
use crate::stamp::Stamp;
use serde::Deserialize as _;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The member of a step that holds the value it returned.
const VALUE: &str = "value";
/// The member of a gate that names its phase.
const PHASE: &str = "phase";
/// The member of a gate that holds its questions, so that anybody can ask them.
const QUESTIONS: &str = "questions";

/// What a gate asks, and about what.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// The phase it belongs to.
    pub phase: &'a str,
    /// Its name.
    pub gate: &'a str,
    /// SHA-256 of what is decided on.
    pub subject: &'a str,
    /// SHA-256 of the page that is shown, if there is one.
    pub shown: Option<&'a str>,
    /// What is asked.
    pub questions: &'a [Question],
}

/// How a step ended well.
#[derive(Debug, Clone, Default)]
pub struct Finished {
    /// SHA-256 of everything it wrote, by name.
    pub outputs: BTreeMap<String, String>,
    /// What it returned.
    pub value: Value,
    /// The agent that did it.
    pub agent: Option<String>,
    /// The agents that were asked before and failed.
    pub fallback_from: Vec<String>,
    /// What it cost.
    pub usage: Option<Usage>,
    /// SHA-256 of the rendered prompt.
    pub prompt: Option<String>,
}

impl Finished {
    fn note(self, step: &mut Step, now: Stamp) {
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

/// The document of a run that begins.
pub fn begin_run(
    (command, feature): (&str, Option<&str>),
    run: RunRecord,
    phases: &[&str],
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    let mut document = Checkpoint::new(command, feature);
    document.run = Some(run);
    document.state.pending_phases = phases.iter().map(|&phase| phase.to_owned()).collect();
    stamp(document, None, circumstances)
}

/// A branch is about to be made for this run: from here on it counts as made for its feature.
pub fn note_branch(
    mut document: Checkpoint,
    branch: &str,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    document.run.get_or_insert_default().branch = Some(branch.to_owned());
    stamp(document, previous.as_ref(), circumstances)
}

/// A step is about to be executed: the intent, on disk before anything happens.
pub fn begin_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    inputs: BTreeMap<String, String>,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    insert_step(document, phase, id, inputs, circumstances, |_, _| {})
}

/// The same for a step whose agent is known: [`begin_step`] and [`seat_agent`] in one change.
pub fn begin_agent_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    inputs: BTreeMap<String, String>,
    agent: &str,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    insert_step(document, phase, id, inputs, circumstances, |step, _| step.agent = Some(agent.to_owned()))
}

/// A step was executed: [`begin_step`] and [`finish_step`] in one change, for a step that has no effect outside the
/// workspace. If it was interrupted, it leaves nothing that anybody would have to know of.
pub fn record_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    inputs: BTreeMap<String, String>,
    finished: Finished,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    insert_step(document, phase, id, inputs, circumstances, |step, now| finished.note(step, now))
}

/// An agent is about to be launched for a step.
pub fn seat_agent(
    document: Checkpoint,
    phase: &str,
    id: &str,
    agent: &str,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    change_step(document, phase, id, circumstances, |step, _| {
        if let Some(before) = step.agent.replace(agent.to_owned())
            && before != agent
        {
            step.fallback_from.push(before);
        }
    })
}

/// A step is done and everything it wrote is safe.
pub fn finish_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    finished: Finished,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    change_step(document, phase, id, circumstances, |step, now| finished.note(step, now))
}

/// A step ended with an error; what it left as evidence is named in the error.
pub fn fail_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    error: &str,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    let document = change_step(document, phase, id, circumstances, |step, now| {
        step.status = StepStatus::Failed;
        step.finished_at = Some(now);
        step.error = Some(error.to_owned());
    })?;
    change_phase(document, phase, PhaseStatus::Failed, circumstances, |phase, _| {
        phase.error = Some(error.to_owned());
    })
}

/// A phase is through: what the next one needs to know, and the files it leaves to people.
pub fn finish_phase(
    document: Checkpoint,
    phase: &str,
    (summary, files): (Option<&str>, &[String]),
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    change_phase(document, phase, PhaseStatus::Complete, circumstances, |phase, _| {
        if let Some(summary) = summary {
            phase.context_summary = Some(summary.to_owned());
        }
        if !files.is_empty() {
            phase.files_created = Some(files.to_vec());
        }
    })
}

/// Steps that are to be done again, whatever they read: those of a phase that `is_meant` says.
pub fn forget_steps(
    mut document: Checkpoint,
    phase: &str,
    is_meant: impl Fn(&str) -> bool,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    if let Some(found) = document.phases.get_mut(phase) {
        let was = found.status;
        let found = Arc::make_mut(found);
        if let Some(steps) = &mut found.steps {
            steps.retain(|id, _| !is_meant(id));
        }
        if was == PhaseStatus::Complete {
            found.status = PhaseStatus::Pending;
            document.state.place(phase, PhaseStatus::Pending, Some(was));
            document.completed_at = None;
        }
    }
    stamp(document, previous.as_ref(), circumstances)
}

/// The flags a run goes by from now on.
pub fn set_flags(
    mut document: Checkpoint,
    flags: Map<String, Value>,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    if let Some(run) = &mut document.run {
        run.flags = flags;
    }
    stamp(document, previous.as_ref(), circumstances)
}

/// A gate waits for a person: its questions and the digests of what they are about, so that anybody can answer.
///
/// Answers given to the same subject are kept; only what is missing will be asked.
pub fn open_gate(
    mut document: Checkpoint,
    opening: Opening<'_>,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    let Opening { phase, gate, subject, shown, questions } = opening;
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
    document.gates.insert(gate.to_owned(), record);
    stamp(document, previous.as_ref(), circumstances)
}

/// Somebody answered some or all of a gate's questions. The answers also stand with the gate's phase.
pub fn answer_gate(
    mut document: Checkpoint,
    gate: &str,
    answers: Map<String, Value>,
    answering: &Answering,
    circumstances: &Circumstances,
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let now = circumstances.now.stamp_after(previous.as_ref());
    let Some(record) = document.gates.get_mut(gate) else {
        return Err(TransitionError::NoSuchGate(gate.to_owned()));
    };
    record.via.extend(answers.keys().map(|key| (key.clone(), answering.via())));
    record.answers.extend(answers);
    record.by = Some(answering.name());
    record.at = Some(now);
    let round = record.round.unwrap_or(1);
    record.state = match settle(&questions(record), &record.answers, round) {
        Outcome::Missing(_) => GateState::Pending,
        Outcome::Settled(state) => state,
    };
    if record.state == GateState::Revise {
        record.round = Some(round + 1);
    }
    let answers = record.answers.clone();
    if let Some(phase) =
        record.extra.get(PHASE).and_then(Value::as_str).and_then(|name| document.phases.get_mut(name))
    {
        Arc::make_mut(phase).checkpoint_responses = Some(answers);
    }
    stamp(document, previous.as_ref(), circumstances)
}

/// The questions of a gate, as [`open_gate`] left them.
pub fn questions(gate: &GateRecord) -> Vec<Question> {
    gate.extra.get(QUESTIONS).and_then(|questions| Vec::deserialize(questions).ok()).unwrap_or_default()
}

/// The questions of a gate that nobody has answered yet.
pub fn open_questions(gate: &GateRecord) -> Vec<Question> {
    let questions = questions(gate);
    let Outcome::Missing(keys) = settle(&questions, &gate.answers, gate.round.unwrap_or(1)) else {
        return Vec::new();
    };
    let feedback = Question {
        key: FEEDBACK.to_owned(),
        text: "What should be revised?".to_owned(),
        recommended: None,
        choices: Vec::new(),
        approval: false,
    };
    questions.into_iter().chain([feedback]).filter(|question| keys.contains(&question.key)).collect()
}

/// The value a step returned.
pub fn value(step: &Step) -> Value {
    step.extra.get(VALUE).cloned().unwrap_or_default()
}

/// Puts a new attempt at a step on record, and lets `change` say more of it.
fn insert_step(
    document: Checkpoint,
    phase: &str,
    id: &str,
    inputs: BTreeMap<String, String>,
    circumstances: &Circumstances,
    change: impl FnOnce(&mut Step, Stamp),
) -> Result<Checkpoint, TransitionError> {
    change_phase(document, phase, PhaseStatus::InProgress, circumstances, |phase, now| {
        phase.error = None;
        let steps = phase.steps.get_or_insert_default();
        let before = steps.get(id);
        let mut step = Step {
            attempt: Some(before.and_then(|step| step.attempt).unwrap_or(0) + 1),
            started_at: Some(now.clone()),
            inputs,
            // What the last attempt wrote still stands in the workspace.
            outputs: before.map(|step| step.outputs.clone()).unwrap_or_default(),
            extra: before.map(incidents::kept).unwrap_or_default(),
            ..Step::new(StepStatus::Running)
        };
        change(&mut step, now);
        steps.insert(id.to_owned(), step);
    })
}

fn change_phase(
    mut document: Checkpoint,
    name: &str,
    status: PhaseStatus,
    circumstances: &Circumstances,
    change: impl FnOnce(&mut Phase, Stamp),
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let now = circumstances.now.stamp_after(previous.as_ref());
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
    document.state.place(name, status, was);
    if status != PhaseStatus::Complete {
        document.completed_at = None;
    }
    stamp(document, previous.as_ref(), circumstances)
}

pub(super) fn change_step(
    mut document: Checkpoint,
    phase: &str,
    id: &str,
    circumstances: &Circumstances,
    change: impl FnOnce(&mut Step, Stamp),
) -> Result<Checkpoint, TransitionError> {
    let previous = document.updated_at.clone();
    let now = circumstances.now.stamp_after(previous.as_ref());
    let missing = || TransitionError::NoSuchStep { phase: phase.to_owned(), step: id.to_owned() };
    let found = document.phases.get_mut(phase).ok_or_else(missing)?;
    let found = Arc::make_mut(found);
    found.updated_at = Some(now.clone());
    let step = found.steps.as_mut().and_then(|steps| steps.get_mut(id)).ok_or_else(missing)?;
    change(step, now);
    stamp(document, previous.as_ref(), circumstances)
}
