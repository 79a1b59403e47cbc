//! Where gates stand: settled, waiting, or to be opened again because what was shown has changed.

use super::record::Record;
use crate::artifact::Input;
use crate::event::EventKind;
use crate::gate::{Answers, FEEDBACK, Gate, GateView, Standing};
use crate::stop::{Flow, Stop};
use charrette_model::checkpoint::progress::{self, open_questions};
use charrette_model::checkpoint::{Checkpoint, GateRecord, GateState};
use charrette_store::workspace::sha256;
use serde_json::{Map, Value};

pub(super) fn stand(record: &Record, phase: &str, gate: &Gate) -> Flow<Standing> {
    let shown = record.digests(&gate.subject)?;
    let subject = sha256(serde_json::to_string(&shown).unwrap_or_default().as_bytes());
    let found = record.document().gates.get(&gate.name).cloned();
    let same = found.filter(|found| found.subject.as_deref() == Some(subject.as_str()));
    match same {
        Some(found) if matches!(found.state, GateState::Answered | GateState::Approved) => {
            return Ok(Standing::Settled(Answers {
                gate: gate.name.clone(),
                by_key: found.answers,
                at: found.at.map(|at| at.to_string()),
            }));
        }
        Some(found) if found.state == GateState::Revise && write_feedback(record, &found)? => {
            return Err(Stop::Again);
        }
        Some(found) if matches!(found.state, GateState::Pending | GateState::Rejected) => {
            return Ok(Standing::Open(view(gate, &found)));
        }
        _ => {}
    }
    record.change_if_possible(&format!("open gate {}", gate.name), |document, circumstances| {
        let phase = if gate.incidental { "" } else { phase };
        progress::open_gate(document, (phase, &gate.name), &subject, &gate.questions, circumstances)
    })?;
    let opened = record.document().gates.get(&gate.name).cloned();
    opened
        .map(|opened| Standing::Open(view(gate, &opened)))
        .ok_or_else(|| Stop::Failed("the gate is gone".to_owned()))
}

pub(super) fn answer(record: &Record, gate: &Gate, answers: &Map<String, Value>) -> Flow<()> {
    let by = (record.by)();
    record.change_if_possible(&format!("answer {}", gate.name), |document, circumstances| {
        progress::answer_gate(document, &gate.name, answers.clone(), &by, circumstances)
    })?;
    let state = record.document().gates.get(&gate.name).map(|gate| gate.state);
    if let Some(state) = state.filter(|state| *state != GateState::Pending) {
        let state = serde_json::to_value(state).ok().and_then(|state| state.as_str().map(str::to_owned));
        record.tell(EventKind::GateAnswered { gate: gate.name.clone(), state: state.unwrap_or_default() });
    }
    Ok(())
}

/// The gates that are on record as waiting, without the pages that only the flow knows.
pub(super) fn waiting(document: &Checkpoint) -> Vec<GateView> {
    let pending = document.gates.iter().filter(|(_, found)| found.state == GateState::Pending);
    pending.map(|(name, found)| view(&Gate::new(name, &[] as &[Input]), found)).collect()
}

fn view(gate: &Gate, found: &GateRecord) -> GateView {
    let is_rejected = found.state == GateState::Rejected;
    let open = if is_rejected {
        gate.questions.iter().filter(|question| question.approval).cloned().collect()
    } else {
        open_questions(found)
    };
    GateView {
        gate: gate.name.clone(),
        subject: gate.subject.iter().map(Input::label).collect(),
        page: gate.page.clone(),
        open,
        is_rejected,
        round: found.round.unwrap_or(1),
    }
}

/// Puts the feedback of a revision where steps read it. False if it is there already: then nothing read it.
fn write_feedback(record: &Record, gate: &GateRecord) -> Flow<bool> {
    let round = gate.round.unwrap_or(2).saturating_sub(1);
    let name = format!("feedback-round{round}.md");
    let problem = |error: std::io::Error| Stop::Failed(format!("cannot write {name}: {error}"));
    if record.workspace.path(&name).map_err(problem)?.exists() {
        return Ok(false);
    }
    let feedback = gate.answers.get(FEEDBACK).and_then(Value::as_str).unwrap_or_default();
    let text = format!("{}\n{}", feedback.trim_end(), said_besides(gate));
    record.workspace.put(&name, text.as_bytes()).map_err(problem)?;
    Ok(true)
}

/// What was answered beside the feedback and is not simply what was recommended.
fn said_besides(gate: &GateRecord) -> String {
    let answered = progress::questions(gate).into_iter().filter(|question| !question.approval);
    let said = answered.filter_map(|question| {
        let answer = gate.answers.get(&question.key)?.as_str()?.trim().to_owned();
        let is_plain = question.recommended.is_some_and(|plain| plain.eq_ignore_ascii_case(&answer));
        (!is_plain && !answer.is_empty()).then(|| format!("- **{}**: {answer}\n", question.key))
    });
    said.collect()
}
