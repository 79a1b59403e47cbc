//! Open questions of a run, and recording answers to them while the run is not driven.

use crate::answers_file::{AnswersFile, gate_kind, unknown_name};
use crate::deleted_run::require_workspace;
use crate::enclosure::refuse_inside_agent;
use crate::error::AppError;
use crate::look;
use crate::site::Site;
use crate::start::{flow_for, user_name};
use crate::workspaces::run_workspace;
use charrette_model::checkpoint::gate::{AnswerChannel, FEEDBACK, GateQuestion, Respondent, is_pause};
use charrette_model::checkpoint::given::{GivenAnswers, give_answers};
use charrette_model::checkpoint::progress::{open_questions, questions as questions_of};
use charrette_model::checkpoint::transition::TransitionContext;
use charrette_model::checkpoint::{Checkpoint, DocumentName, GateRecord, GateState, TransitionError};
use charrette_model::escape::printable;
use charrette_model::redact::mentions_secret;
use charrette_store::StoreError;
use charrette_store::documents::TransitionResult;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Waiting gate with its open questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenGate {
    pub gate: String,
    pub questions: Vec<GateQuestion>,
}

/// Outcome of recording answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerOutcome {
    /// The answers are recorded; the new status of each gate.
    Recorded(Vec<GateStatus>),
    /// An answer says pause: nothing was recorded, the run keeps waiting.
    Paused,
}

/// State of a gate after an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateStatus {
    pub gate: String,
    pub state: GateState,
    /// Keys of the questions that are still open.
    pub open: Vec<String>,
}

/// Open questions of a run, by gate.
pub fn questions(site: &Site, name: &DocumentName) -> Result<Vec<OpenGate>, AppError> {
    let document = load_document(site, name)?;
    let open = document
        .gates
        .iter()
        .map(|(gate, record)| OpenGate { gate: gate.clone(), questions: open_questions(record) });
    Ok(open.filter(|open| !open.questions.is_empty()).collect())
}

/// Records the answers to gates that the run has reached, in one transition.
pub fn record(
    site: &Site,
    name: &DocumentName,
    file: &AnswersFile,
    through: &Respondent,
) -> Result<AnswerOutcome, AppError> {
    refuse_inside_agent(site, "answer a gate")?;
    let document = load_document(site, name)?;
    require_workspace(site, name, &document)?;
    if let Ok(flow) = flow_for(site, name) {
        file.check_names(flow)?;
    }
    for (gate, record) in &document.gates {
        check_keys(file, gate, record)?;
    }
    let is_reached = |(gate, found): &(&String, &Arc<GateRecord>)| {
        let kind = gate_kind(gate);
        file.0.contains_key(*gate) || (found.state == GateState::Pending && file.0.contains_key(kind))
    };
    let known: Vec<&String> = document.gates.iter().filter(is_reached).map(|(gate, _)| gate).collect();
    let is_unknown =
        |name: &&String| !known.iter().any(|gate| *gate == *name || gate_kind(gate) == name.as_str());
    for gate in file.0.keys().filter(is_unknown) {
        site.notices.note(format!(
            "Warning: the run has not reached gate {}; its answers were ignored",
            printable(gate)
        ));
    }
    if known.iter().any(|gate| file.for_gate(gate).values().any(is_pause)) {
        return Ok(AnswerOutcome::Paused);
    }
    if known.is_empty() {
        let feature = name.feature().map(ToString::to_string).unwrap_or_default();
        return Err(AppError::failed("no answer in that file matches a question of this run")
            .hint(format!("See the questions: charrette answer {feature}")));
    }
    let answers: Vec<_> = known.iter().map(|gate| ((*gate).clone(), file.for_gate(gate))).collect();
    warn_of_secrets(site, &answers);
    let changed = write_answers(site, name, &document, |on_disk, context| {
        give_answers(on_disk.ok_or(TransitionError::Gone)?, &answers, through, context)
    })?;
    warn_of_unproved_answers(site, name, &changed.document, &answers)?;
    let now = known.into_iter().map(|gate| {
        let found = &changed.document.gates[gate];
        let open = open_questions(found).into_iter().map(|question| question.key).collect();
        GateStatus { gate: gate.clone(), state: found.state, open }
    });
    Ok(AnswerOutcome::Recorded(now.collect()))
}

/// Refuses answers to questions that a gate did not ask.
fn check_keys(file: &AnswersFile, gate: &str, record: &GateRecord) -> Result<(), AppError> {
    let Some(Value::Object(answers)) = file.0.get(gate) else { return Ok(()) };
    let asked = questions_of(record);
    let is_unknown =
        |key: &&String| key.as_str() != FEEDBACK && !asked.iter().any(|question| question.key == **key);
    match answers.keys().find(is_unknown) {
        Some(key) if !asked.is_empty() => {
            let known: Vec<&str> = asked.iter().map(|question| question.key.as_str()).collect();
            Err(unknown_name(&format!("question in {gate}"), key, known))
        }
        _ => Ok(()),
    }
}

/// Provenance of answers from a file: the user's git name.
pub fn answering_with_file(site: &Site) -> Respondent {
    Respondent { by: user_name(&site.root), through: AnswerChannel::File, client: None, version: None }
}

/// Says where an answer that looks like holding a secret will be stored.
fn warn_of_secrets(site: &Site, answers: &[(String, Map<String, Value>)]) {
    let redactor = site.environment.redactor();
    let is_secret = |text: &str| *redactor.redact(text) != *text || mentions_secret(text);
    for (gate, answers) in answers {
        let found = answers.iter().filter(|(_, answer)| answer.as_str().is_some_and(is_secret));
        for (key, _) in found {
            let (state, workspaces) = (site.settings.state_folder(), site.settings.workspace_folder());
            site.notices.problem(format!(
                "Warning: the answer to {} of {} contains what looks like a password, key or token. It is given to agents \
                 and stored: in the workspace in {workspaces}, in the run's document in {state} and its history in \
                 {state}/history, and what a run makes of it in the files in {}, which are committed. Replace that \
                 secret if it is a real one.",
                printable(key),
                printable(gate),
                site.settings.specs_folder()
            ));
        }
    }
}

/// Writes answers into the document of a run, in a way that its driver tells from a forgery.
pub(crate) fn write_answers(
    site: &Site,
    name: &DocumentName,
    document: &Checkpoint,
    change: impl Fn(
        Option<Checkpoint>,
        &TransitionContext,
    ) -> Result<(Checkpoint, Vec<GivenAnswers>), TransitionError>,
) -> Result<TransitionResult, StoreError> {
    match run_workspace(site, document) {
        Ok(workspace) => site.documents().answer(name, &workspace.answer_notes(), site.now, change),
        // Made by hand: nobody drives it.
        Err(_) => site.documents().transition(name, "answer", site.now, |on_disk, context| {
            change(on_disk, context).map(|(document, _)| document)
        }),
    }
}

/// Says which answers of these gates, in a run that is driven, are not known to be a person's.
fn warn_of_unproved_answers(
    site: &Site,
    name: &DocumentName,
    document: &Checkpoint,
    answers: &[(String, Map<String, Value>)],
) -> Result<(), AppError> {
    let Ok(workspace) = run_workspace(site, document) else { return Ok(()) };
    if look::driver(site, name)?.is_none() {
        return Ok(());
    }
    let noted = workspace.answer_notes().all();
    for (gate, _) in answers {
        let is_noted = |key: &str, answer: &Value| {
            noted.iter().any(|given| given.gate == *gate && given.answers.get(key) == Some(answer))
        };
        let found = document.gates.get(gate).into_iter().flat_map(|gate| &gate.answers);
        for (key, answer) in found.filter(|(key, answer)| !is_noted(key, answer)) {
            let answer = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
            site.notices.note(format!(
                "Warning: {} had an answer to {} before, which is not in this file: {}. Unless it was given at the \
                 terminal of the driver, it does not count, and is asked for again",
                printable(gate),
                printable(key),
                printable(&answer)
            ));
        }
    }
    Ok(())
}

pub(crate) fn load_document(site: &Site, name: &DocumentName) -> Result<Checkpoint, AppError> {
    let loaded = site.documents().load(name)?;
    Ok(loaded.ok_or_else(|| AppError::failed(format!("no document {}", name.stem())))?.document)
}
