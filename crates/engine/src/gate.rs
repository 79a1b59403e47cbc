//! Gates: questions to a person, independent of how they are asked.

use crate::artifact::{Input, Inputs};
use charrette_model::checkpoint::gate::is_pause;
use serde_json::{Map, Value};
use std::fmt::Write as _;

pub use charrette_model::checkpoint::gate::{FEEDBACK, GateQuestion};

/// A set of questions about some artifacts (its subject).
#[derive(Debug, Clone)]
pub struct Gate {
    pub name: String,
    /// Inputs the questions are about. If one changes later, the gate opens again.
    pub subject: Vec<Input>,
    pub questions: Vec<GateQuestion>,
    /// Message if it is not approved.
    pub rejection: String,
    /// True if it is about an incident and not about the work: its answers are not stored with the phase.
    pub incidental: bool,
    /// Text to read before the questions.
    pub page: String,
    /// True if an unattended run is refused instead of waiting.
    pub refuse_unattended: bool,
    /// True if an unattended run takes the recommended answers.
    pub accept_recommended: bool,
}

impl Gate {
    /// Makes a gate about a subject. If an input of the subject changes later, the gate opens again.
    pub fn new(name: &str, subject: &(impl Inputs + ?Sized)) -> Gate {
        let rejection = format!("{name}: not approved");
        let (name, subject) = (name.to_owned(), subject.inputs());
        Gate {
            name,
            subject,
            questions: Vec::new(),
            rejection,
            incidental: false,
            page: String::new(),
            refuse_unattended: false,
            accept_recommended: false,
        }
    }

    /// Adds a question with a recommended answer.
    #[must_use]
    pub fn ask(mut self, key: &str, text: &str, recommended: &str) -> Gate {
        let question = GateQuestion {
            key: key.to_owned(),
            text: text.to_owned(),
            recommended: Some(recommended.to_owned()),
            choices: Vec::new(),
            approval: false,
            delegable: Vec::new(),
        };
        self.questions.push(question);
        self
    }

    /// Adds a question without a recommended answer.
    #[must_use]
    pub fn ask_freely(mut self, key: &str, text: &str) -> Gate {
        self = self.ask(key, text, "");
        if let Some(question) = self.questions.last_mut() {
            question.recommended = None;
        }
        self
    }

    /// Sets the text to read before the questions. It is not part of the subject.
    #[must_use]
    pub fn page(mut self, text: impl Into<String>) -> Gate {
        self.page = text.into();
        self
    }

    /// Refuses an unattended run with this reason instead of waiting.
    #[must_use]
    pub fn refuse_unattended(mut self, reason: &str) -> Gate {
        self.refuse_unattended = true;
        self.on_rejection(reason)
    }

    /// Takes the recommended answers in an unattended run.
    #[must_use]
    pub fn accept_recommended(mut self) -> Gate {
        self.accept_recommended = true;
        self
    }

    /// Adds a choice question, the recommended answer first.
    #[must_use]
    pub fn ask_choice(mut self, key: &str, text: &str, choices: &[&str]) -> Gate {
        self.questions.push(GateQuestion {
            key: key.to_owned(),
            text: text.to_owned(),
            recommended: choices.first().map(|&choice| choice.to_owned()),
            choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
            approval: false,
            delegable: Vec::new(),
        });
        self
    }

    /// Limits what a model may hand in for a person as the answer to the last question: answers that begin with one of
    /// these words.
    #[must_use]
    pub fn delegable(mut self, words: &[&str]) -> Gate {
        if let Some(question) = self.questions.last_mut() {
            question.delegable = words.iter().map(|&word| word.to_owned()).collect();
        }
        self
    }

    /// Marks a gate about an incident: its answers are not stored with the phase.
    #[must_use]
    pub fn incidental(mut self) -> Gate {
        self.incidental = true;
        self
    }

    /// Adds an approval question: `yes`, `no` or `revise`.
    #[must_use]
    pub fn ask_approval(mut self, key: &str, text: &str) -> Gate {
        self.questions.push(GateQuestion {
            key: key.to_owned(),
            text: text.to_owned(),
            recommended: None,
            choices: Vec::new(),
            approval: true,
            delegable: Vec::new(),
        });
        self
    }

    /// Sets the message for a gate that is not approved.
    #[must_use]
    pub fn on_rejection(mut self, message: &str) -> Gate {
        message.clone_into(&mut self.rejection);
        self
    }

    pub(crate) fn rejection(&self) -> String {
        self.rejection.clone()
    }

    /// Renders the page and the open questions as one Markdown text, to be stored.
    pub fn render_page(&self, open: &[GateQuestion]) -> String {
        let mut text = format!("{}\n", self.page.trim_end());
        for question in open {
            let _ = write!(text, "\n## {}\n\n{}\n", question.key, question.text.trim_end());
            if let Some(recommended) = &question.recommended {
                let _ = write!(text, "\nRecommended: {recommended}\n");
            }
        }
        text.trim_start().to_owned()
    }

    /// Name of the file with the rendered page of a round.
    pub fn page_file(&self, round: u32) -> String {
        page_file(&self.name, round)
    }
}

/// Name of the file with the rendered page of a gate in a round.
pub fn page_file(gate: &str, round: u32) -> String {
    format!("gates/{}-{round}.md", gate.replace('/', "-"))
}

/// An open gate, as an asker sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct GateView {
    pub gate: String,
    /// Names of the inputs it is about.
    pub subject: Vec<String>,
    /// Text to read before the questions.
    pub page: String,
    /// Open questions.
    pub open: Vec<GateQuestion>,
    /// True if it was rejected before; it may be answered again.
    pub is_rejected: bool,
    /// Round of revision, from 1.
    pub round: u32,
}

impl GateView {
    /// Recommended answers to the open questions.
    pub fn recommended(&self) -> Map<String, Value> {
        let answer = |question: &GateQuestion| question.recommended.clone().unwrap_or_default();
        self.open.iter().map(|question| (question.key.clone(), Value::from(answer(question)))).collect()
    }

    /// Keeps the answers to open questions and the feedback; empty if an answer asks to pause.
    pub fn accepted_answers(&self, answers: Map<String, Value>) -> Map<String, Value> {
        if answers.values().any(is_pause) {
            return Map::new();
        }
        let is_open = |key: &String| key == FEEDBACK || self.open.iter().any(|question| question.key == *key);
        answers.into_iter().filter(|(key, value)| is_open(key) && value.is_string()).collect()
    }
}

/// Status of a gate.
#[derive(Debug, Clone, PartialEq)]
pub enum GateStatus {
    /// Answered, and its subject is unchanged.
    Settled(Answers),
    /// A person must answer.
    Open(GateView),
}

/// Reply of an asker.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Answers to some or all questions.
    Answers(Map<String, Value>),
    /// The person wants to pause.
    Pause,
    /// No person to ask.
    Unattended,
    /// The run was cancelled meanwhile.
    Interrupted,
}

/// The answers to a gate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    gate: String,
    by_key: Map<String, Value>,
    at: Option<String>,
    by: Option<String>,
}

impl Answers {
    /// Answers of a gate by key, and the time of the last one.
    pub fn new(gate: impl Into<String>, by_key: Map<String, Value>, at: Option<String>) -> Answers {
        Answers { gate: gate.into(), by_key, at, by: None }
    }

    /// Sets the name of the last respondent.
    #[must_use]
    pub fn by(mut self, by: Option<String>) -> Answers {
        self.by = by;
        self
    }

    /// Name of the last respondent.
    pub fn respondent(&self) -> Option<&str> {
        self.by.as_deref()
    }

    /// The answer to one question; empty if there is none.
    pub fn get(&self, key: &str) -> &str {
        self.by_key.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Time of the last answer.
    pub fn at(&self) -> Option<&str> {
        self.at.as_deref()
    }

    /// All answers, in the order of the questions.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.by_key.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
    }

    /// One answer, as an input of a step.
    pub fn input(&self, key: &str) -> Input {
        Input::answer(&self.gate, key)
    }
}

impl Inputs for Answers {
    fn inputs(&self) -> Vec<Input> {
        vec![Input::answers(&self.gate)]
    }
}
