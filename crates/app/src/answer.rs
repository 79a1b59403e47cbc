//! The questions a run waits for, and answers to them while it is not driven.

use crate::answers::{AnswersFile, sort_of};
use crate::error::AppError;
use crate::site::Site;
use crate::start::who;
use charrette_model::checkpoint::gate::{Answering, Question, Through, is_pause};
use charrette_model::checkpoint::progress::{answer_gate, open_questions};
use charrette_model::checkpoint::{Checkpoint, DocumentName, GateRecord, GateState, TransitionError};

/// A gate that waits, and what it still asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenGate {
    /// Which.
    pub gate: String,
    /// What is still to be answered.
    pub questions: Vec<Question>,
}

/// What became of answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// They are on record: how each gate stands now.
    Recorded(Vec<GateNow>),
    /// One of them says stop: nothing was recorded, the run goes on waiting.
    Paused,
}

/// How a gate stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateNow {
    /// Which.
    pub gate: String,
    /// Its state.
    pub state: GateState,
    /// The keys that are still open.
    pub open: Vec<String>,
}

/// The questions a run waits for.
pub fn questions(site: &Site, name: &DocumentName) -> Result<Vec<OpenGate>, AppError> {
    let document = loaded(site, name)?;
    let open = document
        .gates
        .iter()
        .map(|(gate, record)| OpenGate { gate: gate.clone(), questions: open_questions(record) });
    Ok(open.filter(|open| !open.questions.is_empty()).collect())
}

/// Records what answers a gate the run has come to; all of it in one change, or none.
pub fn record(
    site: &Site,
    name: &DocumentName,
    file: &AnswersFile,
    through: &Answering,
) -> Result<Answered, AppError> {
    let document = loaded(site, name)?;
    let is_meant = |(gate, found): &(&String, &GateRecord)| {
        let sort = sort_of(gate);
        file.0.contains_key(*gate) || (found.state == GateState::Pending && file.0.contains_key(sort))
    };
    let known: Vec<&String> = document.gates.iter().filter(is_meant).map(|(gate, _)| gate).collect();
    let is_unknown =
        |name: &&String| !known.iter().any(|gate| *gate == *name || sort_of(gate) == name.as_str());
    for gate in file.0.keys().filter(is_unknown) {
        site.notices.note(format!(
            "Warning: the run has not come to {}; its answers were left out",
            charrette_model::shown::shown(gate)
        ));
    }
    if known.iter().any(|gate| file.for_gate(gate).values().any(is_pause)) {
        return Ok(Answered::Paused);
    }
    if known.is_empty() {
        let feature = name.feature().map(ToString::to_string).unwrap_or_default();
        return Err(AppError::failed("nothing in that file answers a question of this run")
            .hint(format!("See the questions: charrette answer {feature}")));
    }
    let changed = site.documents().transition(name, "answer", site.now, |on_disk, circumstances| {
        let mut document = on_disk.ok_or(TransitionError::Gone)?;
        for gate in &known {
            document = answer_gate(document, gate, file.for_gate(gate), through, circumstances)?;
        }
        Ok(document)
    })?;
    let now = known.into_iter().map(|gate| {
        let found = &changed.document.gates[gate];
        let open = open_questions(found).into_iter().map(|question| question.key).collect();
        GateNow { gate: gate.clone(), state: found.state, open }
    });
    Ok(Answered::Recorded(now.collect()))
}

/// Somebody who answers with a file, as git knows them.
pub fn with_a_file(site: &Site) -> Answering {
    Answering { by: who(&site.root), through: Through::File, client: None, version: None }
}

fn loaded(site: &Site, name: &DocumentName) -> Result<Checkpoint, AppError> {
    let loaded = site.documents().load(name)?;
    Ok(loaded.ok_or_else(|| AppError::failed(format!("no document {}", name.stem())))?.document)
}
