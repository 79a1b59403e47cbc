//! A pause that no flow plans for: before an agent is launched, a person must decide something.

use crate::artifact::Input;
use crate::gate::Gate;
use charrette_store::workspace::sha256;

/// Something a person must decide before an agent is launched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    /// What it is about, such as `budget` or `rate-limit`: the key of the answer.
    pub about: String,
    /// Which of its sort, such as the limit or the step; together they name the gate.
    pub which: String,
    /// What was decided holds for as long as this stays the same.
    pub subject: String,
    /// The question.
    pub question: String,
    /// The answers there are, the recommended one first. `stop` is always possible.
    pub choices: Vec<String>,
}

/// What a person decided at a pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The pause's gate.
    pub gate: String,
    /// The answer.
    pub answer: String,
}

impl Pause {
    /// The name of its gate.
    pub fn gate_name(&self) -> String {
        format!("{}/{}", self.about, self.which)
    }

    pub(crate) fn gate(&self) -> Gate {
        let subject = Input::Given { name: self.gate_name(), digest: sha256(self.subject.as_bytes()) };
        let choices: Vec<&str> = self.choices.iter().map(String::as_str).collect();
        Gate::new(&self.gate_name(), &[subject][..]).incidental().ask_choice(
            &self.about,
            &self.question,
            &choices,
        )
    }
}
