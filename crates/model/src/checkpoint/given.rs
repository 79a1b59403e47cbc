//! Answers that a person gave to gates, with the question as it was on record: the proof of them beside the document, for a
//! driver that did not see them being given.

use super::document::{Checkpoint, GateRecord};
use super::gate::{RecordedSource, Respondent};
use super::progress::{add_answers, answer_gate, note_responses};
use super::transition::{TransitionContext, TransitionError};
use crate::stamp::Stamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Answers that a person gave to one gate at one time, and nothing that was in the gate before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GivenAnswers {
    pub gate: String,
    pub answers: Map<String, Value>,
    via: RecordedSource,
    by: String,
    at: Stamp,
    /// HEAD at that time, as far as the document says.
    head: Option<String>,
    question: AskedQuestion,
}

/// What a gate asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct AskedQuestion {
    subject: Option<String>,
    shown: Option<String>,
    round: u32,
    /// The questions, and the phase that they belong to.
    members: Map<String, Value>,
}

impl AskedQuestion {
    fn of(gate: &GateRecord) -> AskedQuestion {
        AskedQuestion {
            subject: gate.subject.clone(),
            shown: gate.shown.clone(),
            round: gate.round.unwrap_or(1),
            members: gate.extra.clone(),
        }
    }
}

/// Records answers to several gates, and returns the proof of them along with the document.
pub fn give_answers(
    mut document: Checkpoint,
    answers: &[(String, Map<String, Value>)],
    respondent: &Respondent,
    context: &TransitionContext,
) -> Result<(Checkpoint, Vec<GivenAnswers>), TransitionError> {
    let mut given = Vec::new();
    for (gate, answers) in answers {
        let asked = document.gates.get(gate).map(|gate| AskedQuestion::of(gate));
        document = answer_gate(document, gate, answers.clone(), respondent, context)?;
        let at = document.gates.get(gate).and_then(|gate| gate.at.clone());
        given.extend(asked.zip(at).map(|(question, at)| GivenAnswers {
            gate: gate.clone(),
            answers: answers.clone(),
            via: respondent.via(),
            by: respondent.name(),
            at,
            head: document.head_commit.clone(),
            question,
        }));
    }
    Ok((document, given))
}

impl GivenAnswers {
    /// True if they were given after the last change of a document.
    pub fn is_after(&self, document: &Checkpoint) -> bool {
        document.updated_at.as_ref().is_none_or(|updated_at| *updated_at < self.at)
    }

    /// Records those of the answers that `counts` picks, if the gate still asks what it asked when they were given.
    pub(super) fn record(&self, document: &mut Checkpoint, counts: impl Fn(&str, &Value) -> bool) {
        let picked = self.answers.iter().filter(|(key, answer)| counts(key, answer));
        let picked: Map<String, Value> = picked.map(|(key, answer)| (key.clone(), answer.clone())).collect();
        let Some(gate) = document.gates.get_mut(&self.gate) else { return };
        if AskedQuestion::of(gate) != self.question || (picked.is_empty() && !self.answers.is_empty()) {
            return;
        }
        add_answers(Arc::make_mut(gate), picked, &self.via, self.by.clone(), self.at.clone());
        note_responses(document, &self.gate);
        if document.updated_at.as_ref().is_none_or(|updated_at| *updated_at < self.at) {
            document.updated_at = Some(self.at.clone());
            document.head_commit.clone_from(&self.head);
        }
        if let Some(run) = &mut document.run {
            run.stopped = None;
        }
    }
}
