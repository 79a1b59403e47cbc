//! Where gates stand: settled, waiting, or to be opened again because what was shown has changed.

use super::record::Record;
use crate::artifact::Input;
use crate::event::EventKind;
use crate::gate::{Answers, FEEDBACK, Gate, GateStanding, GateView};
use crate::stop::{Flow, Stop};
use charrette_model::checkpoint::gate::{Answering, Through};
use charrette_model::checkpoint::progress::{self, Opening, open_questions};
use charrette_model::checkpoint::{Checkpoint, GateRecord, GateState};
use charrette_store::workspace::sha256;
use serde_json::{Map, Value};

pub(super) fn stand(record: &Record, phase: &str, gate: &Gate) -> Flow<GateStanding> {
    let shown = record.digests(&gate.subject)?;
    let subject = sha256(serde_json::to_string(&shown).unwrap_or_default().as_bytes());
    let found = record.document().gates.get(&gate.name).cloned();
    let same = found.filter(|found| found.subject.as_deref() == Some(subject.as_str()));
    match same {
        Some(found) if matches!(found.state, GateState::Answered | GateState::Approved) => {
            return Ok(GateStanding::Settled(Answers::new(
                gate.name.clone(),
                found.answers,
                found.at.map(|at| at.to_string()),
            )));
        }
        Some(found) if found.state == GateState::Revise && write_feedback(record, &found)? => {
            return Err(Stop::Again);
        }
        Some(found) if matches!(found.state, GateState::Pending | GateState::Rejected) => {
            record.flush()?;
            return Ok(GateStanding::Open(view(gate, &found)));
        }
        _ => {}
    }
    let shown = keep_page(record, gate);
    record.change_if_possible(&format!("open gate {}", gate.name), |document, circumstances| {
        let phase = if gate.incidental { "" } else { phase };
        let (gate, questions) = (gate.name.as_str(), gate.questions.as_slice());
        let opening = Opening { phase, gate, subject: &subject, shown: shown.as_deref(), questions };
        progress::open_gate(document, opening, circumstances)
    })?;
    let opened = record.document().gates.get(&gate.name).cloned();
    opened
        .map(|opened| GateStanding::Open(view(gate, &opened)))
        .ok_or_else(|| Stop::Failed("the gate is gone".to_owned()))
}

/// Keeps what is shown, so that another process can show it and say what exactly was approved. Returns its digest; a page
/// that cannot be kept stops nothing.
fn keep_page(record: &Record, gate: &Gate) -> Option<String> {
    let round = record.document().gates.get(&gate.name).and_then(|gate| gate.round).unwrap_or(1);
    record.workspace.put(&gate.page_file(round), gate.shown(&gate.questions).as_bytes()).ok()
}

pub(super) fn answer(record: &Record, gate: &str, answers: &Map<String, Value>) -> Flow<()> {
    let answering = Answering { by: (record.by)(), through: Through::Terminal, client: None, version: None };
    record.change_if_possible(&format!("answer {gate}"), |document, circumstances| {
        progress::answer_gate(document, gate, answers.clone(), &answering, circumstances)
    })?;
    let state = record.document().gates.get(gate).map(|gate| gate.state);
    if let Some(state) = state.filter(|state| *state != GateState::Pending) {
        let state = serde_json::to_value(state).ok().and_then(|state| state.as_str().map(str::to_owned));
        record.tell(EventKind::GateAnswered { gate: gate.to_owned(), state: state.unwrap_or_default() });
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
