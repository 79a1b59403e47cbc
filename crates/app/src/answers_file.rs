//! Answers file, YAML or JSON: answers by gate, then by question.

use crate::answer::OpenGate;
use crate::error::AppError;
use charrette_engine::gate::{FEEDBACK, GateView, Reply};
use charrette_engine::ports::{Asker, BoxFuture};
use charrette_engine::{FlowSpec, Pause};
use charrette_model::checkpoint::gate::{GateQuestion, accepts, is_pause};
use charrette_model::escape::printable;
use charrette_model::nearest::did_you_mean;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// Incident gates, which no flow plans for.
const INCIDENTS: [&str; 5] = ["dirty-tree", "changed-record", "budget", "rate-limit", Pause::FALLBACK];

/// Prepared answers, by gate.
#[derive(Debug, Clone, Default)]
pub struct AnswersFile(pub Map<String, Value>);

/// Parses an answers file; `origin` names it in errors.
pub fn parse(text: &str, origin: &str) -> Result<AnswersFile, AppError> {
    let value: Value = serde_saphyr::from_str(text)
        .map_err(|error| AppError::failed(format!("{origin}: neither YAML nor JSON: {error}")))?;
    match value {
        Value::Object(gates) if gates.iter().all(is_answer) => Ok(AnswersFile(gates)),
        _ => Err(AppError::failed(format!(
            "{origin}: expected answers by gate and question, for example  GATE: {{QUESTION: \"yes\"}}"
        ))),
    }
}

impl AnswersFile {
    /// Answers for one gate, as text. `dirty-tree: keep` answers every gate of that kind.
    pub fn for_gate(&self, gate: &str) -> Map<String, Value> {
        let kind = gate_kind(gate);
        let answers = match self.0.get(gate).or_else(|| self.0.get(kind)).cloned() {
            Some(Value::Object(answers)) => answers,
            Some(answer) => Map::from_iter([(kind.to_owned(), answer)]),
            None => Map::new(),
        };
        answers.into_iter().filter_map(|(key, value)| Some((key, as_text(value)?))).collect()
    }
}

impl AnswersFile {
    /// Refuses names of gates and questions that the flow does not have, with the nearest one that it has.
    pub fn check_names(&self, flow: &FlowSpec) -> Result<(), AppError> {
        if flow.gates.is_empty() {
            return Ok(());
        }
        for (name, answers) in &self.0 {
            let kind = gate_kind(name);
            let Some(gate) = flow.gates.iter().find(|gate| gate.name == kind) else {
                if INCIDENTS.contains(&kind) {
                    continue;
                }
                let known = flow.gates.iter().map(|gate| gate.name).chain(INCIDENTS);
                return Err(unknown_name("gate", name, known));
            };
            // Questions of a researcher have keys of their own.
            let keys = answers.as_object().filter(|_| kind == name).into_iter().flat_map(Map::keys);
            if let Some(key) = keys.into_iter().find(|key| !gate.has_key(key) && *key != FEEDBACK) {
                let what = format!("question in {name}");
                return Err(unknown_name(&what, key, gate.keys.iter().copied()));
            }
        }
        Ok(())
    }
}

/// Error for a name in an answers file that is not known.
pub(crate) fn unknown_name<'a>(
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> AppError {
    let suggestion = did_you_mean(name, known.clone());
    let known: Vec<&str> = known.into_iter().collect();
    AppError::usage(format!("answers: no {what} is called {}{suggestion}", printable(name)))
        .hint(format!("Nothing was recorded. Known are: {}", known.join(", ")))
}

/// True if the entry is valid: an incident may have a single answer, every other gate has answers by question.
fn is_answer((name, answer): (&String, &Value)) -> bool {
    answer.is_object() || (INCIDENTS.contains(&name.as_str()) && as_text(answer.clone()).is_some())
}

/// Kind of a gate: an incident gate is named `KIND/PLACE`, any other gate is its own kind.
pub fn gate_kind(gate: &str) -> &str {
    gate.split_once('/').map_or(gate, |(kind, _)| kind)
}

/// Converts a scalar to an answer: YAML reads `yes` as text, but `true` and `3` are answers too.
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
        // An answer that is not accepted would be asked for and given again without end.
        let counts = |question: &GateQuestion, answer: &Value| {
            is_pause(answer) || answer.as_str().is_some_and(|answer| accepts(question, answer, view.round))
        };
        answers.retain(|key, answer| {
            let question = view.open.iter().find(|question| question.key == *key);
            question.map_or(key == FEEDBACK, |question| counts(question, answer))
        });
        let answers_anything =
            answers.keys().any(|key| view.open.iter().any(|question| question.key == *key));
        // A file that rejected cannot overturn its own rejection.
        let reply =
            if answers_anything && !view.is_rejected { Reply::Answers(answers) } else { Reply::Unattended };
        Box::pin(std::future::ready(reply))
    }
}

/// Answers from a file first, then from a person, if there is one.
pub struct AnswersFileAsker {
    file: AnswersFile,
    person: Option<Arc<dyn Asker>>,
    /// Gates that were answered from the file.
    answered: Mutex<HashSet<String>>,
}

impl AnswersFileAsker {
    /// Answers from `file` first, then from `person`.
    pub fn new(file: AnswersFile, person: Option<Arc<dyn Asker>>) -> AnswersFileAsker {
        AnswersFileAsker { file, person, answered: Mutex::default() }
    }

    /// Answers from the file. A request for changes is used once per gate; repeating it would never end.
    async fn reply_from_file(&self, view: &GateView) -> Reply {
        let reply = self.file.ask(view).await;
        let Reply::Answers(answers) = &reply else { return reply };
        let is_first = self.answered.lock().unwrap_or_else(PoisonError::into_inner).insert(view.gate.clone());
        let may_repeat = INCIDENTS.contains(&gate_kind(&view.gate)) || is_approval(view, answers);
        if is_first || may_repeat { reply } else { Reply::Unattended }
    }
}

impl Asker for AnswersFileAsker {
    fn ask<'a>(&'a self, view: &'a GateView) -> BoxFuture<'a, Reply> {
        Box::pin(async move {
            match (self.reply_from_file(view).await, &self.person) {
                (Reply::Unattended, Some(person)) => person.ask(view).await,
                (reply, _) => reply,
            }
        })
    }
}

/// True if all answers are the recommended ones or approvals.
fn is_approval(view: &GateView, answers: &Map<String, Value>) -> bool {
    view.open.iter().filter(|question| answers.contains_key(&question.key)).all(|question| {
        let expected = if question.approval { Some("yes") } else { question.recommended.as_deref() };
        answers[&question.key].as_str().map(str::trim) == expected
    })
}

/// Template of an answers file for open questions, with the recommended answers.
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
