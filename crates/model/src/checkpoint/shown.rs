//! Answers bound to what was shown: round and digest of a gate travel with its page, and an answer must name them.

use super::document::{GateRecord, GateState};
use super::gate::{FEEDBACK, GateQuestion, MAX_ROUNDS, accepts, is_pause};
use super::progress::{answerable_questions, questions};
use serde_json::{Map, Value};
use std::fmt;

/// Maximum length of one answer, in characters.
pub const MAX_ANSWER: usize = 20_000;

/// Number of digits of the subject's digest, and of the page's, in a mark.
const DIGITS: usize = 8;

/// Mark of what a gate shows now: its round, the digest of its subject and of its page. It changes with each of them.
pub fn shown_mark(gate: &GateRecord) -> String {
    let part = |digest: &Option<String>| -> String {
        let digits =
            digest.as_deref().unwrap_or_default().chars().filter(char::is_ascii_hexdigit).take(DIGITS);
        format!("{:0>DIGITS$}", digits.collect::<String>())
    };
    format!("{}-{}{}", gate.round.unwrap_or(1), part(&gate.subject), part(&gate.shown))
}

/// Reason why answers to a gate are refused. None of them is recorded then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerRefusal {
    /// The gate asks nothing now: it is settled.
    Closed(GateState),
    /// The gate shows something else now.
    Outdated { current: String },
    /// No answer was given.
    Empty,
    /// No open question has this key.
    NotOpen { key: String, open: Vec<String> },
    /// The answer is not accepted.
    NotAccepted { key: String, choices: Vec<String> },
    /// The answer is not a text, or too long.
    NotText { key: String },
    /// The answer asks to pause, which is not an answer.
    Pause { key: String },
    /// `revise` needs feedback.
    NoFeedback,
    /// Only a person may answer this question.
    NeedsPerson { key: String },
    /// Only a person may answer this question so; a model may hand in answers that begin with these words.
    NeedsPersonFor { key: String, delegable: Vec<String> },
}

impl fmt::Display for AnswerRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerRefusal::Closed(state) => {
                let state = match state {
                    GateState::Approved => "approved",
                    GateState::Rejected => "rejected",
                    GateState::Revise => "to be revised",
                    GateState::Answered | GateState::Pending => "answered",
                };
                write!(f, "the gate asks nothing now: it is {state}")
            }
            AnswerRefusal::Outdated { current } => {
                write!(f, "the gate has changed since it was shown; it is now {current}")
            }
            AnswerRefusal::Empty => f.write_str("no answer was given"),
            AnswerRefusal::NotOpen { key, open } => {
                write!(f, "{} is not an open question; open: {}", printable(key), open.join(", "))
            }
            AnswerRefusal::NotAccepted { key, choices } if choices.is_empty() => {
                write!(f, "the answer to {} is empty, or a word that steers a dialog", printable(key))
            }
            AnswerRefusal::NotAccepted { key, choices } => {
                write!(f, "{} takes one of: {}", printable(key), choices.join(", "))
            }
            AnswerRefusal::NotText { key } => {
                write!(f, "the answer to {} is not a text of at most {MAX_ANSWER} characters", printable(key))
            }
            AnswerRefusal::Pause { key } => {
                write!(f, "the answer to {} is stop or cancel, which answers nothing", printable(key))
            }
            AnswerRefusal::NoFeedback => write!(f, "revise needs {FEEDBACK}: what should be revised"),
            AnswerRefusal::NeedsPerson { key } => {
                write!(f, "{} is an approval: only a person answers it", printable(key))
            }
            AnswerRefusal::NeedsPersonFor { key, delegable } => {
                let words = delegable.join(", ");
                write!(
                    f,
                    "only a person answers {} so; in their name you may answer: {words}",
                    printable(key)
                )
            }
        }
    }
}

fn printable(key: &str) -> String {
    crate::escape::printable(key).to_string()
}

/// Checks answers to a gate: they must name what it shows now, belong to open questions, and be accepted. `may_approve`
/// is false for answers that a model wrote.
pub fn check_answers(
    gate: &GateRecord,
    shown: &str,
    answers: &Map<String, Value>,
    may_approve: bool,
) -> Result<(), AnswerRefusal> {
    let open = answerable_questions(gate);
    if open.is_empty() {
        return Err(AnswerRefusal::Closed(gate.state));
    }
    let current = shown_mark(gate);
    if shown.trim() != current {
        return Err(AnswerRefusal::Outdated { current });
    }
    if answers.is_empty() {
        return Err(AnswerRefusal::Empty);
    }
    let has_approval = questions(gate).iter().any(|question| question.approval);
    let round = gate.round.unwrap_or(1);
    for (key, answer) in answers {
        let question = open.iter().find(|question| question.key == *key).cloned();
        let Some(question) = question.or_else(|| (key == FEEDBACK && has_approval).then(feedback)) else {
            let open = open.iter().map(|question| question.key.clone()).collect();
            return Err(AnswerRefusal::NotOpen { key: key.clone(), open });
        };
        // Feedback belongs to the approval.
        if (question.approval || key == FEEDBACK) && !may_approve {
            return Err(AnswerRefusal::NeedsPerson { key: key.clone() });
        }
        if is_pause(answer) {
            return Err(AnswerRefusal::Pause { key: key.clone() });
        }
        let Some(text) = answer.as_str().filter(|text| text.chars().count() <= MAX_ANSWER) else {
            return Err(AnswerRefusal::NotText { key: key.clone() });
        };
        if !accepts(&question, text, round) {
            return Err(AnswerRefusal::NotAccepted { key: key.clone(), choices: choices(&question, round) });
        }
    }
    let is_revised = open.iter().filter(|question| question.approval).any(|question| {
        let answer = answers.get(&question.key).and_then(Value::as_str).unwrap_or_default();
        answer.trim().eq_ignore_ascii_case("revise")
    });
    if is_revised && !answers.contains_key(FEEDBACK) {
        return Err(AnswerRefusal::NoFeedback);
    }
    Ok(())
}

/// Checks that a model may hand in these answers, whatever it may approve.
pub fn check_delegable(gate: &GateRecord, answers: &Map<String, Value>) -> Result<(), AnswerRefusal> {
    for question in questions(gate) {
        let answer = answers.get(&question.key);
        if answer.is_some_and(|answer| !is_delegable(&question, answer)) {
            let GateQuestion { key, delegable, .. } = question;
            return Err(AnswerRefusal::NeedsPersonFor { key, delegable });
        }
    }
    Ok(())
}

fn is_delegable(question: &GateQuestion, answer: &Value) -> bool {
    let answer = answer.as_str().unwrap_or_default().trim();
    let word = answer.split([':', ' ', ',']).next().unwrap_or_default();
    question.delegable.is_empty() || question.delegable.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Accepted answers of a question in a round; empty if any text is accepted.
pub fn choices(question: &GateQuestion, round: u32) -> Vec<String> {
    if !question.approval {
        return question.choices.clone();
    }
    let words = if round <= MAX_ROUNDS { ["yes", "no", "revise"].as_slice() } else { &["yes", "no"] };
    words.iter().map(|&word| word.to_owned()).collect()
}

fn feedback() -> GateQuestion {
    GateQuestion::free_text(FEEDBACK, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn gate(state: GateState, answered: &Value) -> GateRecord {
        let questions = json!([
            {"key": "scope", "text": "Right?", "recommended": "yes"},
            {"key": "tree", "text": "Keep?", "choices": ["keep", "discard"]},
            {"key": "approval", "text": "Good?", "approval": true},
        ]);
        serde_json::from_value(json!({
            "state": state, "subject": "a".repeat(64), "shown": "b".repeat(64), "round": 2,
            "answers": answered, "questions": questions,
        }))
        .unwrap()
    }

    fn refusal(gate: &GateRecord, shown: &str, answers: &Value, may_approve: bool) -> String {
        let checked = check_answers(gate, shown, answers.as_object().unwrap(), may_approve);
        checked.map_or_else(|refusal| refusal.to_string(), |()| "accepted".to_owned())
    }

    #[test]
    fn a_mark_changes_with_round_subject_and_page() {
        let shown = gate(GateState::Pending, &json!({}));
        assert_eq!(shown_mark(&shown), "2-aaaaaaaabbbbbbbb");
        for changed in [
            GateRecord { round: Some(3), ..shown.clone() },
            GateRecord { subject: Some("c".repeat(64)), ..shown.clone() },
            GateRecord { shown: None, ..shown.clone() },
        ] {
            assert_ne!(shown_mark(&changed), shown_mark(&shown));
        }
        let odd = GateRecord { subject: Some("é\n!".to_owned()), round: None, ..shown };
        assert_eq!(shown_mark(&odd), "1-00000000bbbbbbbb");
    }

    #[test]
    fn answers_are_checked_against_what_was_shown() {
        let mark = "2-aaaaaaaabbbbbbbb";
        let (pending, rejected) =
            (gate(GateState::Pending, &json!({})), gate(GateState::Rejected, &json!({})));
        let partly = gate(GateState::Pending, &json!({"scope": "yes"}));
        for (gate, shown, answers, may_approve, expected) in [
            (&pending, mark, json!({"scope": "fine"}), false, "accepted"),
            (&pending, " 2-aaaaaaaabbbbbbbb ", json!({"scope": "fine", "tree": "KEEP"}), false, "accepted"),
            (&pending, mark, json!({"approval": "yes"}), true, "accepted"),
            (&pending, mark, json!({"approval": "revise", "feedback": "less"}), true, "accepted"),
            (&rejected, mark, json!({"approval": "yes"}), true, "accepted"),
            (&pending, mark, json!({}), true, "no answer was given"),
            (
                &pending,
                "1-aaaaaaaabbbbbbbb",
                json!({"scope": "fine"}),
                true,
                "the gate has changed since it was shown; it is now 2-aaaaaaaabbbbbbbb",
            ),
            (
                &pending,
                "",
                json!({"scope": "x"}),
                true,
                "the gate has changed since it was shown; it is now 2-aaaaaaaabbbbbbbb",
            ),
            (
                &pending,
                mark,
                json!({"approval": "yes"}),
                false,
                "approval is an approval: only a person answers it",
            ),
            (
                &pending,
                mark,
                json!({"feedback": "yes"}),
                false,
                "feedback is an approval: only a person answers it",
            ),
            (&pending, mark, json!({"approval": "yes, but"}), true, "approval takes one of: yes, no, revise"),
            (
                &pending,
                mark,
                json!({"approval": "revise"}),
                true,
                "revise needs feedback: what should be revised",
            ),
            (&pending, mark, json!({"tree": "burn"}), true, "tree takes one of: keep, discard"),
            (
                &pending,
                mark,
                json!({"scope": " "}),
                true,
                "the answer to scope is empty, or a word that steers a dialog",
            ),
            (
                &pending,
                mark,
                json!({"scope": 3}),
                true,
                "the answer to scope is not a text of at most 20000 characters",
            ),
            (
                &pending,
                mark,
                json!({"scope": "stop"}),
                true,
                "the answer to scope is stop or cancel, which answers nothing",
            ),
            (
                &partly,
                mark,
                json!({"scope": "no"}),
                true,
                "scope is not an open question; open: tree, approval",
            ),
            (
                &pending,
                mark,
                json!({"size\u{1b}": "x"}),
                true,
                "size\\u{1b} is not an open question; open: scope, tree, approval",
            ),
            (&rejected, mark, json!({"scope": "no"}), true, "scope is not an open question; open: approval"),
            (
                &gate(GateState::Approved, &json!({})),
                mark,
                json!({"approval": "no"}),
                true,
                "the gate asks nothing now: it is approved",
            ),
        ] {
            assert_eq!(refusal(gate, shown, &answers, may_approve), expected, "{answers}");
        }
        let long = json!({"scope": "x".repeat(MAX_ANSWER + 1)});
        assert!(refusal(&pending, mark, &long, true).starts_with("the answer to scope is not a text"));
    }

    #[test]
    fn a_model_hands_in_what_it_may() {
        let question = json!({"key": "decision", "text": "What now?", "delegable": ["retry", "skip"]});
        let gate: GateRecord =
            serde_json::from_value(json!({"state": "pending", "questions": [question]})).unwrap();
        for (answer, expected) in [
            ("retry: shorter", Ok(())),
            ("Skip, not needed", Ok(())),
            ("take", Err("only a person answers decision so; in their name you may answer: retry, skip")),
            (
                "retryable",
                Err("only a person answers decision so; in their name you may answer: retry, skip"),
            ),
            ("done", Err("only a person answers decision so; in their name you may answer: retry, skip")),
        ] {
            let answers = json!({"decision": answer});
            let checked = check_delegable(&gate, answers.as_object().unwrap());
            assert_eq!(checked.map_err(|refusal| refusal.to_string()), expected.map_err(str::to_owned));
        }
    }
}
