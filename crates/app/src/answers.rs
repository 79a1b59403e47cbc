//! Answers from a file, YAML or JSON: by gate, then by question.

use crate::answer::OpenGate;
use crate::error::AppError;
use charrette_engine::gate::{FEEDBACK, GateView, Reply};
use charrette_engine::ports::{Asker, BoxFuture};
use charrette_model::checkpoint::gate::{Question, accepts, is_pause};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// What a person may have to decide although no flow plans for it.
const INCIDENTS: [&str; 3] = ["dirty-tree", "budget", "rate-limit"];

/// Answers that somebody wrote down beforehand.
#[derive(Debug, Clone, Default)]
pub struct AnswersFile(pub Map<String, Value>);

/// Reads such a file; `origin` is what people call it.
pub fn parse(text: &str, origin: &str) -> Result<AnswersFile, AppError> {
    let value: Value = serde_saphyr::from_str(text)
        .map_err(|error| AppError::failed(format!("{origin}: neither YAML nor JSON: {error}")))?;
    match value {
        Value::Object(gates) if gates.iter().all(is_answer) => Ok(AnswersFile(gates)),
        _ => Err(AppError::failed(format!(
            "{origin}: expected gates with answers, as in  GATE: {{QUESTION: \"yes\"}}"
        ))),
    }
}

impl AnswersFile {
    /// The answers for one gate, as text. `dirty-tree: keep` answers every gate of that sort.
    pub fn for_gate(&self, gate: &str) -> Map<String, Value> {
        let sort = sort_of(gate);
        let answers = match self.0.get(gate).or_else(|| self.0.get(sort)).cloned() {
            Some(Value::Object(answers)) => answers,
            Some(answer) => Map::from_iter([(sort.to_owned(), answer)]),
            None => Map::new(),
        };
        answers.into_iter().filter_map(|(key, value)| Some((key, as_text(value)?))).collect()
    }
}

/// What no flow plans for takes a single answer; everything else is a gate with questions.
fn is_answer((name, answer): (&String, &Value)) -> bool {
    answer.is_object() || (INCIDENTS.contains(&name.as_str()) && as_text(answer.clone()).is_some())
}

/// What a gate is about that no flow plans for: such a gate is called after that and the place where it arose.
pub fn sort_of(gate: &str) -> &str {
    gate.split_once('/').map_or(gate, |(sort, _)| sort)
}

/// YAML reads `yes` as text, but `true` and `3` are answers too.
fn as_text(value: Value) -> Option<Value> {
    match value {
        Value::String(text) => Some(Value::String(text)),
        Value::Bool(true) => Some(Value::from("yes")),
        Value::Bool(false) => Some(Value::from("no")),
        Value::Number(number) => Some(Value::String(number.to_string())),
        _ => None,
    }
}

impl Asker for AnswersFile {
    fn ask<'a>(&'a self, view: &'a GateView) -> BoxFuture<'a, Reply> {
        let mut answers = self.for_gate(&view.gate);
        // What does not count would be asked for again, and given again, without end.
        let counts = |question: &Question, answer: &Value| {
            is_pause(answer) || answer.as_str().is_some_and(|answer| accepts(question, answer, view.round))
        };
        answers.retain(|key, answer| {
            let question = view.open.iter().find(|question| question.key == *key);
            question.map_or(key == FEEDBACK, |question| counts(question, answer))
        });
        let answers_anything =
            answers.keys().any(|key| view.open.iter().any(|question| question.key == *key));
        // A rejection stands until somebody says otherwise; the file that rejected does not.
        let reply =
            if answers_anything && !view.is_rejected { Reply::Answers(answers) } else { Reply::Nobody };
        Box::pin(std::future::ready(reply))
    }
}

/// Takes what was written down beforehand, and asks a person for the rest, if there is one.
pub struct WrittenThenAsked {
    written: AnswersFile,
    person: Option<Arc<dyn Asker>>,
    /// The gates that were answered as it was written.
    heard: Mutex<HashSet<String>>,
}

impl WrittenThenAsked {
    /// These answers first, then this person.
    pub fn new(written: AnswersFile, person: Option<Arc<dyn Asker>>) -> WrittenThenAsked {
        WrittenThenAsked { written, person, heard: Mutex::default() }
    }

    /// What was written, unless it has had its effect: a wish for something else that comes back with every look
    /// at what became of it would never end.
    async fn as_written(&self, view: &GateView) -> Reply {
        let reply = self.written.ask(view).await;
        let Reply::Answers(answers) = &reply else { return reply };
        let is_first = self.heard.lock().unwrap_or_else(PoisonError::into_inner).insert(view.gate.clone());
        let may_repeat = INCIDENTS.contains(&sort_of(&view.gate)) || says_yes(view, answers);
        if is_first || may_repeat { reply } else { Reply::Nobody }
    }
}

impl Asker for WrittenThenAsked {
    fn ask<'a>(&'a self, view: &'a GateView) -> BoxFuture<'a, Reply> {
        Box::pin(async move {
            match (self.as_written(view).await, &self.person) {
                (Reply::Nobody, Some(person)) => person.ask(view).await,
                (reply, _) => reply,
            }
        })
    }
}

/// Whether these answers are the recommended ones, and approve what is to be approved.
fn says_yes(view: &GateView, answers: &Map<String, Value>) -> bool {
    view.open.iter().filter(|question| answers.contains_key(&question.key)).all(|question| {
        let plain = if question.approval { Some("yes") } else { question.recommended.as_deref() };
        answers[&question.key].as_str().map(str::trim) == plain
    })
}

/// Open questions as a file to fill in, with the recommended answers.
pub fn template(gates: &[OpenGate]) -> String {
    let mut text = String::new();
    for OpenGate { gate, questions } in gates {
        let _ = writeln!(text, "{gate}:");
        for question in questions {
            for line in question.text.lines() {
                let _ = writeln!(text, "  # {line}");
            }
            let choices = match question.choices.as_slice() {
                [] if question.approval => "  # yes, no or revise (then also feedback: \"…\")".to_owned(),
                [] => String::new(),
                choices => format!("  # {}", choices.join(" or ")),
            };
            let recommended = Value::from(question.recommended.as_deref().unwrap_or_default());
            let _ = writeln!(text, "  {}: {recommended}{choices}", question.key);
        }
    }
    text
}
