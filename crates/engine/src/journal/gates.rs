//! Gates of the durable journal: opens them, opens them again when their subject has changed, records answers.

use super::record::Record;
use crate::artifact::Input;
use crate::event::EventKind;
use crate::gate::{Answers, FEEDBACK, Gate, GateStatus, GateView};
use crate::stop::{FlowResult, Stop};
use charrette_model::checkpoint::gate::{AnswerChannel, Respondent};
use charrette_model::checkpoint::progress::{self, GateOpening, answerable_questions};
use charrette_model::checkpoint::{Checkpoint, GateRecord, GateState};
use charrette_model::escape::printable;
use charrette_store::workspace::sha256;
use serde_json::{Map, Value};
use std::cell::Cell;

/// Status of a gate; opens it if it is new or its subject has changed. What a person edits while it is open is told from what
/// was shown.
pub(super) fn open_gate(record: &Record, phase: &str, gate: &Gate) -> FlowResult<GateStatus> {
    let status = find_or_open(record, phase, gate)?;
    if matches!(status, GateStatus::Open(_)) {
        record.begin_custody()?;
    }
    Ok(status)
}

fn find_or_open(record: &Record, phase: &str, gate: &Gate) -> FlowResult<GateStatus> {
    let digests = record.digests(&gate.subject)?;
    let subject = sha256(serde_json::to_string(&digests).unwrap_or_default().as_bytes());
    let recorded = record.document().gates.get(&gate.name).cloned();
    // Feedback is heard even if the subject was edited since.
    if let Some(revised) = recorded.as_deref().filter(|recorded| recorded.state == GateState::Revise)
        && write_feedback(record, revised)?
    {
        return Err(Stop::Revise);
    }
    let current = recorded.filter(|recorded| recorded.subject.as_deref() == Some(subject.as_str()));
    match current {
        Some(current) if matches!(current.state, GateState::Answered | GateState::Approved) => {
            return Ok(GateStatus::Settled(
                Answers::new(
                    gate.name.clone(),
                    current.answers.clone(),
                    current.at.as_ref().map(ToString::to_string),
                )
                .by(current.by.clone()),
            ));
        }
        Some(current) if matches!(current.state, GateState::Pending | GateState::Rejected) => {
            record.flush()?;
            return Ok(GateStatus::Open(gate_view(gate, &current)));
        }
        _ => {}
    }
    record.require_leases()?;
    let shown = store_page(record, gate);
    record.change_best_effort(&format!("open gate {}", gate.name), |document, context| {
        let phase = if gate.incidental { "" } else { phase };
        let (gate, questions) = (gate.name.as_str(), gate.questions.as_slice());
        let opening = GateOpening { phase, gate, subject: &subject, shown: shown.as_deref(), questions };
        progress::open_gate(document, opening, context)
    })?;
    let opened = record.document().gates.get(&gate.name).cloned();
    opened
        .map(|opened| GateStatus::Open(gate_view(gate, &opened)))
        .ok_or_else(|| Stop::Failed(format!("gate {} is missing from the record", gate.name)))
}

/// Stores the rendered page, so that another process can show it and tell exactly what was approved. Returns its digest;
/// none if the page cannot be stored, which does not stop the run.
fn store_page(record: &Record, gate: &Gate) -> Option<String> {
    let round = record.document().gates.get(&gate.name).and_then(|gate| gate.round).unwrap_or(1);
    record.workspace.put(&gate.page_file(round), gate.render_page(&gate.questions).as_bytes()).ok()
}

pub(super) fn answer_gate(record: &Record, gate: &str, answers: &Map<String, Value>) -> FlowResult<()> {
    let respondent = Respondent {
        by: (record.user_name)(),
        through: AnswerChannel::Terminal,
        client: None,
        version: None,
    };
    let state_of = |document: &Checkpoint| document.gates.get(gate).map(|gate| gate.state);
    let shown = state_of(&record.document());
    let is_overtaken = Cell::new(false);
    record.change_best_effort(&format!("answer {gate}"), |document, context| {
        is_overtaken.set(state_of(&document) != shown);
        if is_overtaken.get() {
            // Somebody has answered elsewhere meanwhile; that is not undone unseen.
            return Ok(document);
        }
        progress::answer_gate(document, gate, answers.clone(), &respondent, context)
    })?;
    if is_overtaken.get() {
        let found = record.document().gates.get(gate).cloned();
        let by = found.as_ref().and_then(|gate| gate.by.clone()).unwrap_or_default();
        let state = found.and_then(|gate| state_token(gate.state)).unwrap_or_default();
        record.emit(EventKind::warning(format!(
            "{gate} was {state} by {} while the question was open here; this answer was not recorded",
            printable(&by)
        )));
        return Ok(());
    }
    let state = record.document().gates.get(gate).map(|gate| gate.state);
    if let Some(event) = state.and_then(|state| answered_event(gate, state)) {
        record.emit(event);
    }
    Ok(())
}

/// Event of a gate that is no longer pending, with the state it came to.
pub(super) fn answered_event(gate: &str, state: GateState) -> Option<EventKind> {
    let token = state_token(state)?;
    (state != GateState::Pending).then(|| EventKind::GateAnswered { gate: gate.to_owned(), state: token })
}

fn state_token(state: GateState) -> Option<String> {
    Some(serde_json::to_value(state).ok()?.as_str()?.to_owned())
}

/// Pending gates on record, without their pages, which only the flow knows.
pub(super) fn waiting_gates(document: &Checkpoint) -> Vec<GateView> {
    let pending = document.gates.iter().filter(|(_, recorded)| recorded.state == GateState::Pending);
    pending.map(|(name, recorded)| gate_view(&Gate::new(name, &[] as &[Input]), recorded)).collect()
}

fn gate_view(gate: &Gate, recorded: &GateRecord) -> GateView {
    let is_rejected = recorded.state == GateState::Rejected;
    let open = answerable_questions(recorded);
    GateView {
        gate: gate.name.clone(),
        subject: gate.subject.iter().map(Input::label).collect(),
        page: gate.page.clone(),
        open,
        is_rejected,
        round: recorded.round.unwrap_or(1),
    }
}

/// Writes the feedback of a revision into the file that steps read. False if the file exists: the revision was run
/// already and has not changed the subject of the gate, so the gate is opened again.
fn write_feedback(record: &Record, gate: &GateRecord) -> FlowResult<bool> {
    let round = gate.round.unwrap_or(2).saturating_sub(1);
    let name = format!("feedback-round{round}.md");
    let problem = |error: std::io::Error| Stop::Failed(format!("cannot write {name}: {error}"));
    if record.workspace.path(&name).map_err(problem)?.exists() {
        return Ok(false);
    }
    let feedback = gate.answers.get(FEEDBACK).and_then(Value::as_str).unwrap_or_default();
    let text = format!("{}\n{}", feedback.trim_end(), other_answers(gate));
    record.workspace.put(&name, text.as_bytes()).map_err(problem)?;
    Ok(true)
}

/// Answers besides the feedback that differ from the recommended ones, each with its question.
fn other_answers(gate: &GateRecord) -> String {
    let answered = progress::questions(gate).into_iter().filter(|question| !question.approval);
    let differing = answered.filter_map(|question| {
        let answer = gate.answers.get(&question.key)?.as_str()?.trim().to_owned();
        let is_recommended =
            question.recommended.is_some_and(|recommended| recommended.eq_ignore_ascii_case(&answer));
        let asked = question.text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!is_recommended && !answer.is_empty())
            .then(|| format!("- **{}**: {answer}\n  (asked: {asked})\n", question.key))
    });
    differing.collect()
}
