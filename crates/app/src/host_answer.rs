//! Answers that come through a host: bound to what was shown, all or nothing, with their author and client on record.

use crate::answer::{load_document, write_answers};
use crate::enclosure::refuse_below_agent;
use crate::error::{AppError, ErrorKind};
use crate::look;
use crate::run_lookup::feature_argument;
use crate::site::Site;
use crate::start::user_name;
use charrette_model::checkpoint::gate::{AnswerChannel, Respondent};
use charrette_model::checkpoint::given::give_answers;
use charrette_model::checkpoint::progress::answerable_questions;
use charrette_model::checkpoint::shown::{AnswerRefusal, check_answers, check_delegable};
use charrette_model::checkpoint::{DocumentName, GateState, TransitionError};
use charrette_model::escape::printable;
use serde_json::{Map, Value};
use std::cell::RefCell;

/// Answers to one gate.
#[derive(Debug, Clone)]
pub struct HostAnswer {
    pub gate: String,
    /// Round and digest of the page that was shown, as in the look.
    pub shown: String,
    pub answers: Map<String, Value>,
    pub author: AnswerAuthor,
    pub client: HostClient,
}

/// Author of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerAuthor {
    /// A person, in a form of the host.
    Person,
    /// The model of the host, in a call of a tool.
    Model,
}

/// Client program, as it names itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostClient {
    pub name: Option<String>,
    pub version: Option<String>,
}

/// Gate after an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredGate {
    pub state: GateState,
    /// Keys of questions that are still open at this gate.
    pub open: Vec<String>,
    /// True if no gate of the run asks anything any more, so that it can go on.
    pub is_last: bool,
}

impl AnsweredGate {
    /// State of the gate, in one word.
    pub fn state_word(&self) -> &'static str {
        match self.state {
            GateState::Pending => "open",
            GateState::Answered => "answered",
            GateState::Approved => "approved",
            GateState::Rejected => "rejected",
            GateState::Revise => "to be revised",
        }
    }
}

/// Name in the record of answers that a model wrote.
const MODEL: &str = "agent";

/// Records answers to one gate in one transition, or none of them.
pub fn record(site: &Site, name: &DocumentName, answer: &HostAnswer) -> Result<AnsweredGate, AppError> {
    refuse_below_agent(site, "answer a gate")?;
    if let Some(holder) = look::driver(site, name)? {
        let by = charrette_store::Holder::describe(Some(&holder));
        return Err(AppError::new(ErrorKind::Refused, format!("the run is being driven{by}"))
            .hint("Nothing was recorded. Wait until it asks"));
    }
    let may_approve = answer.author == AnswerAuthor::Person || site.settings.models_approve();
    let by = match answer.author {
        AnswerAuthor::Person => user_name(&site.root),
        AnswerAuthor::Model => MODEL.to_owned(),
    };
    let respondent = Respondent {
        by,
        through: AnswerChannel::Mcp,
        client: answer.client.name.clone(),
        version: answer.client.version.clone(),
    };
    let refusal = RefCell::new(None);
    let changed = write_answers(site, name, &load_document(site, name)?, |on_disk, context| {
        let document = on_disk.ok_or(TransitionError::Gone)?;
        let missing = || TransitionError::NoSuchGate(answer.gate.clone());
        let gate = document.gates.get(&answer.gate).ok_or_else(missing)?;
        let checked = check_answers(gate, &answer.shown, &answer.answers, may_approve);
        let is_model = answer.author == AnswerAuthor::Model;
        let checked =
            checked.and_then(|()| if is_model { check_delegable(gate, &answer.answers) } else { Ok(()) });
        if let Err(reason) = checked {
            *refusal.borrow_mut() = Some(reason);
            return Err(missing());
        }
        give_answers(document, &[(answer.gate.clone(), answer.answers.clone())], &respondent, context)
    });
    if let Some(reason) = refusal.into_inner() {
        return Err(refused(name, &answer.gate, &reason));
    }
    let document = changed?.document;
    let asks = |state: GateState| matches!(state, GateState::Pending | GateState::Rejected);
    let is_last =
        !document.gates.values().any(|gate| asks(gate.state) && !answerable_questions(gate).is_empty());
    let Some(gate) = document.gates.get(&answer.gate) else {
        return Err(AppError::failed("the gate is gone"));
    };
    let open = if gate.state == GateState::Pending { answerable_questions(gate) } else { Vec::new() };
    let open = open.into_iter().map(|question| question.key).collect();
    Ok(AnsweredGate { state: gate.state, open, is_last })
}

fn refused(name: &DocumentName, gate: &str, reason: &AnswerRefusal) -> AppError {
    let feature = feature_argument(name);
    let error = AppError::new(ErrorKind::Refused, format!("{}: {reason}", printable(gate)))
        .hint("Nothing was recorded");
    match reason {
        AnswerRefusal::NeedsPerson { .. } | AnswerRefusal::NeedsPersonFor { .. } => error.hint(format!(
            "This is the person's: in a form of this host (answer without answers, if it has forms), or in a \
             terminal: charrette resume {feature}"
        )),
        AnswerRefusal::Outdated { .. } => {
            error.hint("Show the new page to the person, and answer with its mark")
        }
        _ => error,
    }
}
