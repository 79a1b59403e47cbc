//! Questions at a gate, who answers them and how, and what a set of answers amounts to.

use super::document::GateState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How many times a design may be sent back; after that the answer is yes or no.
pub const MAX_ROUNDS: u32 = 3;

/// The key under which a revision's feedback is given.
pub const FEEDBACK: &str = "feedback";

/// One question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// Its key in answers.
    pub key: String,
    /// The question.
    pub text: String,
    /// What to answer if there is nothing to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
    /// The only answers that count; with none, any answer does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// The answer decides: `yes`, `no` or `revise`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approval: bool,
}

impl Question {
    /// A question that has no recommended answer, and takes any.
    pub fn free(key: &str, text: &str) -> Question {
        Question {
            key: key.to_owned(),
            text: text.to_owned(),
            recommended: None,
            choices: Vec::new(),
            approval: false,
        }
    }
}

/// Who answers, and which way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answering {
    /// Who answers.
    pub by: String,
    /// Where the answer was given.
    pub through: Through,
    /// The program it was given with, as it calls itself.
    pub client: Option<String>,
    /// The version of that program.
    pub version: Option<String>,
}

/// Where answers are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Through {
    /// At the terminal of the driver.
    Terminal,
    /// In a file of answers.
    File,
    /// In a client that speaks MCP.
    Mcp,
    /// On a page in a browser.
    Web,
}

impl Through {
    /// As documents write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Through::Terminal => "terminal",
            Through::File => "file",
            Through::Mcp => "mcp",
            Through::Web => "web",
        }
    }
}

/// Which way an answer came, as a document keeps it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Via {
    /// Where it was given: terminal, file, mcp or web.
    pub through: String,
    /// The program it was given with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The version of that program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Answering {
    /// As a document keeps it. What programs say of themselves is not believed to be short or harmless.
    pub fn via(&self) -> Via {
        let text = |text: &Option<String>| text.as_deref().map(clean).filter(|text| !text.is_empty());
        let through = self.through.as_str().to_owned();
        Via { through, client: text(&self.client), version: text(&self.version), extra: Map::new() }
    }

    /// Who answers, as a document keeps it.
    pub(super) fn name(&self) -> String {
        clean(&self.by)
    }
}

/// How many characters of a name are kept.
const MAX_NAME: usize = 64;

fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect()
}

/// What a set of answers amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// These keys are still to be answered.
    Missing(Vec<String>),
    /// The gate is settled.
    Settled(GateState),
}

/// Whether an answer counts as one to this question in the gate's `round`th round.
///
/// An approval is one of its three words and nothing else, and `revise` has an end.
pub fn accepts(question: &Question, answer: &str, round: u32) -> bool {
    if review(answer).is_some() {
        return false;
    }
    let answer = answer.trim().to_lowercase();
    if question.approval {
        return matches!(answer.as_str(), "yes" | "no") || (answer == "revise" && round <= MAX_ROUNDS);
    }
    let is_choice = |choice: &String| choice.to_lowercase() == answer;
    !answer.is_empty() && (question.choices.is_empty() || question.choices.iter().any(is_choice))
}

/// Holds answers against the questions of a gate in its `round`th round.
///
/// What does not count is missing, see [`accepts`]; `revise` needs feedback.
pub fn settle(questions: &[Question], answers: &Map<String, Value>, round: u32) -> Outcome {
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
    if missing.is_empty() { Outcome::Settled(state) } else { Outcome::Missing(missing) }
}

/// The file that an answer asks to see first, as in `review: design.md`.
pub fn review(answer: &str) -> Option<&str> {
    let (word, name) = answer.trim().split_once(':')?;
    word.trim_end().eq_ignore_ascii_case("review").then(|| name.trim())
}

/// Whether an answer asks to pause the run rather than to answer.
pub fn is_pause(answer: &Value) -> bool {
    let text = answer.as_str().map(str::trim).unwrap_or_default();
    ["stop", "cancel"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn question(key: &str, approval: bool) -> Question {
        Question {
            key: key.to_owned(),
            text: String::new(),
            recommended: None,
            choices: Vec::new(),
            approval,
        }
    }

    fn outcome(answers: &Value, round: u32) -> Outcome {
        let questions = [question("scope", false), question("approval", true)];
        settle(&questions, answers.as_object().unwrap(), round)
    }

    #[test]
    fn answers_amount_to() {
        let missing = |keys: &[&str]| Outcome::Missing(keys.iter().map(|&key| key.to_owned()).collect());
        for (answers, round, expected) in [
            (json!({}), 1, missing(&["scope", "approval"])),
            (json!({"scope": "fine"}), 1, missing(&["approval"])),
            (json!({"scope": "fine", "approval": " YES "}), 1, Outcome::Settled(GateState::Approved)),
            (json!({"scope": "fine", "approval": "no"}), 1, Outcome::Settled(GateState::Rejected)),
            (json!({"scope": "fine", "approval": "yes, but"}), 1, missing(&["approval"])),
            (json!({"scope": "fine", "approval": "revise"}), 1, missing(&["feedback"])),
            (
                json!({"scope": "fine", "approval": "revise", "feedback": "less"}),
                3,
                Outcome::Settled(GateState::Revise),
            ),
            (json!({"scope": "fine", "approval": "revise", "feedback": "less"}), 4, missing(&["approval"])),
            (json!({"scope": " ", "approval": "yes"}), 1, missing(&["scope"])),
            (json!({"scope": 3, "approval": "yes"}), 1, missing(&["scope"])),
        ] {
            assert_eq!(outcome(&answers, round), expected, "{answers} in round {round}");
        }
        assert_eq!(
            settle(&[question("scope", false)], json!({"scope": "x"}).as_object().unwrap(), 1),
            Outcome::Settled(GateState::Answered)
        );
    }

    #[test]
    fn where_there_are_choices_nothing_else_counts() {
        let choices = vec!["keep".to_owned(), "discard".to_owned()];
        let questions = [Question { choices, ..question("tree", false) }];
        let settled = |answer: &str| settle(&questions, json!({"tree": answer}).as_object().unwrap(), 1);
        assert_eq!(settled(" "), Outcome::Missing(vec!["tree".to_owned()]));
        assert_eq!(settled("KEEP "), Outcome::Settled(GateState::Answered));
        assert_eq!(settled("burn"), Outcome::Missing(vec!["tree".to_owned()]));
    }

    #[test]
    fn a_wish_to_see_a_file_is_not_an_answer() {
        assert_eq!(review(" Review : design.md "), Some("design.md"));
        assert_eq!(review("review design.md"), None);
        assert_eq!(review("reviewed: yes"), None);
        let questions = [question("scope", false)];
        let settled = settle(&questions, json!({"scope": "review: design.md"}).as_object().unwrap(), 1);
        assert_eq!(settled, Outcome::Missing(vec!["scope".to_owned()]));
    }

    #[test]
    fn what_is_kept_of_who_answers_is_short_and_harmless() {
        let answering = Answering {
            by: format!("A\u{1b}[1mda{}", "x".repeat(100)),
            through: Through::Mcp,
            client: Some("cli\r\nent\u{85}".to_owned()),
            version: Some("\u{7}".to_owned()),
        };
        assert_eq!(answering.name(), format!("A[1mda{}", "x".repeat(58)));
        let via = Via { through: "mcp".to_owned(), client: Some("client".to_owned()), ..Via::default() };
        assert_eq!(answering.via(), via);
    }

    #[test]
    fn stop_and_cancel_pause() {
        assert!(is_pause(&json!("Stop ")) && is_pause(&json!("cancel")));
        assert!(!is_pause(&json!("stop using globals")) && !is_pause(&json!(3)));
    }
}
