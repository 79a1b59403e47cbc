//! Gates: what is asked of a person, independent of how it is asked.

use crate::artifact::{Input, Inputs};
use charrette_model::checkpoint::gate::is_pause;
use serde_json::{Map, Value};
use std::fmt::Write as _;

pub use charrette_model::checkpoint::gate::{FEEDBACK, Question};

/// A set of questions about something that is shown.
#[derive(Debug, Clone)]
pub struct Gate {
    /// Its name.
    pub name: String,
    /// What is shown. If that changes later, the gate opens again.
    pub subject: Vec<Input>,
    /// What is asked.
    pub questions: Vec<Question>,
    /// What to say when it is not approved.
    pub rejection: String,
    /// It is about something that happened, not about the work: its answers are no part of the phase's.
    pub incidental: bool,
    /// What to read before the questions.
    pub page: String,
    /// Without a person to answer, the run is refused instead of waiting.
    pub refuses: bool,
    /// Without a person to answer, the recommended answers are taken.
    pub goes_on: bool,
}

impl Gate {
    /// A gate of that name, about what is shown. If that changes later, the gate opens again.
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
            refuses: false,
            goes_on: false,
        }
    }

    /// Asks something, with the answer to give if there is nothing to say.
    #[must_use]
    pub fn ask(mut self, key: &str, text: &str, recommended: &str) -> Gate {
        let question = Question {
            key: key.to_owned(),
            text: text.to_owned(),
            recommended: Some(recommended.to_owned()),
            choices: Vec::new(),
            approval: false,
        };
        self.questions.push(question);
        self
    }

    /// Asks something that has no recommended answer.
    #[must_use]
    pub fn ask_freely(mut self, key: &str, text: &str) -> Gate {
        self = self.ask(key, text, "");
        if let Some(question) = self.questions.last_mut() {
            question.recommended = None;
        }
        self
    }

    /// What to read before the questions. It is not part of what is approved.
    #[must_use]
    pub fn page(mut self, text: impl Into<String>) -> Gate {
        self.page = text.into();
        self
    }

    /// Without somebody to answer, the run is refused with this reason instead of waiting.
    #[must_use]
    pub fn refusing(mut self, reason: &str) -> Gate {
        self.refuses = true;
        self.on_rejection(reason)
    }

    /// Without somebody to answer, the recommended answers are taken.
    #[must_use]
    pub fn or_as_recommended(mut self) -> Gate {
        self.goes_on = true;
        self
    }

    /// Asks for one of a few answers, the recommended one first.
    #[must_use]
    pub fn ask_choice(mut self, key: &str, text: &str, choices: &[&str]) -> Gate {
        self.questions.push(Question {
            key: key.to_owned(),
            text: text.to_owned(),
            recommended: choices.first().map(|&choice| choice.to_owned()),
            choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
            approval: false,
        });
        self
    }

    /// It is about something that happened, not about the work: its answers are no part of the phase's.
    #[must_use]
    pub fn incidental(mut self) -> Gate {
        self.incidental = true;
        self
    }

    /// Asks for approval: `yes`, `no` or `revise`.
    #[must_use]
    pub fn ask_approval(mut self, key: &str, text: &str) -> Gate {
        self.questions.push(Question {
            key: key.to_owned(),
            text: text.to_owned(),
            recommended: None,
            choices: Vec::new(),
            approval: true,
        });
        self
    }

    /// What to say when it is not approved.
    #[must_use]
    pub fn on_rejection(mut self, message: &str) -> Gate {
        message.clone_into(&mut self.rejection);
        self
    }

    pub(crate) fn rejection(&self) -> String {
        self.rejection.clone()
    }

    /// The page and the questions as one text: what is kept of what was shown.
    pub fn shown(&self, open: &[Question]) -> String {
        let mut text = format!("{}\n", self.page.trim_end());
        for question in open {
            let _ = write!(text, "\n## {}\n\n{}\n", question.key, question.text.trim_end());
            if let Some(recommended) = &question.recommended {
                let _ = write!(text, "\nRecommended: {recommended}\n");
            }
        }
        text.trim_start().to_owned()
    }

    /// The name of the file that keeps what was shown in that round.
    pub fn page_file(&self, round: u32) -> String {
        format!("gates/{}-{round}.md", self.name.replace('/', "-"))
    }
}

/// An open gate, as whoever asks gets to see it.
#[derive(Debug, Clone, PartialEq)]
pub struct GateView {
    /// Which gate.
    pub gate: String,
    /// What is shown, by name.
    pub subject: Vec<String>,
    /// What to read before the questions.
    pub page: String,
    /// What is still to be answered.
    pub open: Vec<Question>,
    /// It was rejected before, and may be answered differently now.
    pub is_rejected: bool,
    /// Which round of revision this is.
    pub round: u32,
}

impl GateView {
    /// The recommended answers to what is open.
    pub fn recommended(&self) -> Map<String, Value> {
        let answer = |question: &Question| question.recommended.clone().unwrap_or_default();
        self.open.iter().map(|question| (question.key.clone(), Value::from(answer(question)))).collect()
    }

    /// The answers that can be recorded: those to open questions. A wish to pause is not an answer.
    pub fn usable(&self, answers: Map<String, Value>) -> Map<String, Value> {
        if answers.values().any(is_pause) {
            return Map::new();
        }
        let is_asked =
            |key: &String| key == FEEDBACK || self.open.iter().any(|question| question.key == *key);
        answers.into_iter().filter(|(key, value)| is_asked(key) && value.is_string()).collect()
    }
}

/// Where a gate stands.
#[derive(Debug, Clone, PartialEq)]
pub enum GateStanding {
    /// Answered, and what was shown is unchanged.
    Settled(Answers),
    /// Somebody must answer.
    Open(GateView),
}

/// What came back from asking.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Answers to some or all questions.
    Answers(Map<String, Value>),
    /// The person wants to pause.
    Pause,
    /// There is nobody to ask.
    Nobody,
    /// The run was asked to end while the person was being asked.
    Interrupted,
}

/// What a person answered at a gate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    gate: String,
    by_key: Map<String, Value>,
    at: Option<String>,
}

impl Answers {
    /// What was answered at a gate, by key; and when the last of it was.
    pub fn new(gate: impl Into<String>, by_key: Map<String, Value>, at: Option<String>) -> Answers {
        Answers { gate: gate.into(), by_key, at }
    }

    /// The answer to one question.
    pub fn get(&self, key: &str) -> &str {
        self.by_key.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// When the last of them was given.
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
