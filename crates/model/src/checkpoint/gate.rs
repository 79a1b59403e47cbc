//! Questions at a gate, their respondents, and the evaluation of a set of answers.

use super::document::GateState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum number of revisions; after that the answer is yes or no.
pub const MAX_ROUNDS: u32 = 3;

/// Answer key of a revision's feedback.
pub const FEEDBACK: &str = "feedback";

/// One question put to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateQuestion {
    /// Key of its answer.
    pub key: String,
    pub text: String,
    /// Answer taken by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
    /// Accepted answers; if empty, any answer is accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// True if the answer is the verdict: `yes`, `no` or `revise`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approval: bool,
    /// First words of answers that a model may hand in for a person; if empty, any that is no verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delegable: Vec<String>,
}

impl GateQuestion {
    /// A question without a recommended answer that accepts any text.
    pub fn free_text(key: &str, text: &str) -> GateQuestion {
        GateQuestion {
            key: key.to_owned(),
            text: text.to_owned(),
            recommended: None,
            choices: Vec::new(),
            approval: false,
            delegable: Vec::new(),
        }
    }
}

/// The author of an answer and the channel it came through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Respondent {
    /// Name of the person.
    pub by: String,
    pub through: AnswerChannel,
    /// Self-reported name of the client program.
    pub client: Option<String>,
    /// Self-reported version of the client program.
    pub version: Option<String>,
}

/// Channel of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerChannel {
    /// The driver's terminal.
    Terminal,
    /// An answers file.
    File,
    /// An MCP client.
    Mcp,
    /// A page in a browser.
    Web,
}

impl AnswerChannel {
    /// Token in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            AnswerChannel::Terminal => "terminal",
            AnswerChannel::File => "file",
            AnswerChannel::Mcp => "mcp",
            AnswerChannel::Web => "web",
        }
    }
}

/// Source of an answer, as recorded in a document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedSource {
    /// Channel: terminal, file, mcp or web.
    pub through: String,
    /// Name of the client program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Version of the client program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Members unknown to this version.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Respondent {
    /// The source as recorded. Names reported by clients are untrusted: they are shortened and stripped of
    /// control characters.
    pub fn via(&self) -> RecordedSource {
        let text = |text: &Option<String>| text.as_deref().map(clean).filter(|text| !text.is_empty());
        let through = self.through.as_str().to_owned();
        RecordedSource {
            through,
            client: text(&self.client),
            version: text(&self.version),
            extra: Map::new(),
        }
    }

    /// The name as recorded.
    pub(super) fn name(&self) -> String {
        clean(&self.by)
    }
}

/// Maximum length of a recorded name, in characters.
const MAX_NAME: usize = 64;

fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect()
}

/// Result of evaluating a set of answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateOutcome {
    /// Keys without an accepted answer.
    Missing(Vec<String>),
    Settled(GateState),
}

/// True if the question accepts the answer in the gate's `round`th round.
///
/// An approval accepts its three words and nothing else; `revise` only up to [`MAX_ROUNDS`].
pub fn accepts(question: &GateQuestion, answer: &str, round: u32) -> bool {
    if review_request(answer).is_some() || is_dialog_word(answer) {
        return false;
    }
    let answer = answer.trim().to_lowercase();
    if question.approval {
        return matches!(answer.as_str(), "yes" | "no") || (answer == "revise" && round <= MAX_ROUNDS);
    }
    let is_choice = |choice: &String| choice.to_lowercase() == answer;
    !answer.is_empty() && (question.choices.is_empty() || question.choices.iter().any(is_choice))
}

/// Evaluates answers to the questions of a gate in its `round`th round.
///
/// Answers not accepted count as missing, see [`accepts`]; `revise` needs feedback.
pub fn settle(questions: &[GateQuestion], answers: &Map<String, Value>, round: u32) -> GateOutcome {
    let mut missing = Vec::new();
    let mut state = GateState::Answered;
    for question in questions {
        let answer = answers.get(&question.key).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        if !accepts(question, answer, round) {
            missing.push(question.key.clone());
            continue;
        }
        match answer.to_lowercase().as_str() {
            "yes" if question.approval => state = GateState::Approved,
            "no" if question.approval => state = GateState::Rejected,
            "revise" if question.approval => {
                state = GateState::Revise;
                if answers.get(FEEDBACK).and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
                    missing.push(FEEDBACK.to_owned());
                }
            }
            _ => {}
        }
    }
    if missing.is_empty() { GateOutcome::Settled(state) } else { GateOutcome::Missing(missing) }
}

/// The file an answer asks to see first, as in `review: design.md`.
pub fn review_request(answer: &str) -> Option<&str> {
    let (word, name) = answer.trim().split_once(':')?;
    word.trim_end().eq_ignore_ascii_case("review").then(|| name.trim())
}

/// True for words that steer a dialog and answer nothing.
pub fn is_dialog_word(answer: &str) -> bool {
    ["?", "back", "list", "yes to all"].iter().any(|word| answer.trim().eq_ignore_ascii_case(word))
}

/// True if the answer asks to pause the run.
pub fn is_pause(answer: &Value) -> bool {
    let text = answer.as_str().map(str::trim).unwrap_or_default();
    ["stop", "cancel"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn question(key: &str, approval: bool) -> GateQuestion {
        GateQuestion {
            key: key.to_owned(),
            text: String::new(),
            recommended: None,
            choices: Vec::new(),
            approval,
            delegable: Vec::new(),
        }
    }

    fn outcome(answers: &Value, round: u32) -> GateOutcome {
        let questions = [question("scope", false), question("approval", true)];
        settle(&questions, answers.as_object().unwrap(), round)
    }

    #[test]
    fn answers_are_evaluated() {
        let missing = |keys: &[&str]| GateOutcome::Missing(keys.iter().map(|&key| key.to_owned()).collect());
        for (answers, round, expected) in [
            (json!({}), 1, missing(&["scope", "approval"])),
            (json!({"scope": "fine"}), 1, missing(&["approval"])),
            (json!({"scope": "fine", "approval": " YES "}), 1, GateOutcome::Settled(GateState::Approved)),
            (json!({"scope": "fine", "approval": "no"}), 1, GateOutcome::Settled(GateState::Rejected)),
            (json!({"scope": "fine", "approval": "yes, but"}), 1, missing(&["approval"])),
            (json!({"scope": "fine", "approval": "revise"}), 1, missing(&["feedback"])),
            (
                json!({"scope": "fine", "approval": "revise", "feedback": "less"}),
                3,
                GateOutcome::Settled(GateState::Revise),
            ),
            (json!({"scope": "fine", "approval": "revise", "feedback": "less"}), 4, missing(&["approval"])),
            (json!({"scope": " ", "approval": "yes"}), 1, missing(&["scope"])),
            (json!({"scope": 3, "approval": "yes"}), 1, missing(&["scope"])),
        ] {
            assert_eq!(outcome(&answers, round), expected, "{answers} in round {round}");
        }
        assert_eq!(
            settle(&[question("scope", false)], json!({"scope": "x"}).as_object().unwrap(), 1),
            GateOutcome::Settled(GateState::Answered)
        );
    }

    #[test]
    fn only_listed_choices_are_accepted() {
        let choices = vec!["keep".to_owned(), "discard".to_owned()];
        let questions = [GateQuestion { choices, ..question("tree", false) }];
        let settled = |answer: &str| settle(&questions, json!({"tree": answer}).as_object().unwrap(), 1);
        assert_eq!(settled(" "), GateOutcome::Missing(vec!["tree".to_owned()]));
        assert_eq!(settled("KEEP "), GateOutcome::Settled(GateState::Answered));
        assert_eq!(settled("burn"), GateOutcome::Missing(vec!["tree".to_owned()]));
    }

    #[test]
    fn a_wish_to_see_a_file_is_not_an_answer() {
        assert_eq!(review_request(" Review : design.md "), Some("design.md"));
        assert_eq!(review_request("review design.md"), None);
        assert_eq!(review_request("reviewed: yes"), None);
        let questions = [question("scope", false)];
        for answer in ["review: design.md", "?", "Back", "list ", "yes to all"] {
            let settled = settle(&questions, json!({"scope": answer}).as_object().unwrap(), 1);
            assert_eq!(settled, GateOutcome::Missing(vec!["scope".to_owned()]), "{answer}");
        }
    }

    #[test]
    fn names_of_respondents_are_sanitised_and_cut() {
        let respondent = Respondent {
            by: format!("A\u{1b}[1mda{}", "x".repeat(100)),
            through: AnswerChannel::Mcp,
            client: Some("cli\r\nent\u{85}".to_owned()),
            version: Some("\u{7}".to_owned()),
        };
        assert_eq!(respondent.name(), format!("A[1mda{}", "x".repeat(58)));
        let via = RecordedSource {
            through: "mcp".to_owned(),
            client: Some("client".to_owned()),
            ..RecordedSource::default()
        };
        assert_eq!(respondent.via(), via);
    }

    #[test]
    fn stop_and_cancel_pause() {
        assert!(is_pause(&json!("Stop ")) && is_pause(&json!("cancel")));
        assert!(!is_pause(&json!("stop using globals")) && !is_pause(&json!(3)));
    }
}
