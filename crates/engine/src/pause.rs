//! Pauses before the launch of an agent: a person must decide about a budget, a rate limit or the embedded agent
//! first.

use crate::artifact::Input;
use crate::gate::Gate;
use charrette_store::workspace::sha256;

/// A decision that a person must make before an agent is launched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    /// Kind, such as `budget` or `rate-limit`: the key of the answer.
    pub kind: String,
    /// Instance of the kind, such as the limit or the step; both together name the gate.
    pub instance: String,
    /// The decision holds as long as this text stays the same.
    pub subject: String,
    pub question: String,
    /// Possible answers, the recommended one first. `stop` is always possible.
    pub choices: Vec<String>,
}

/// Decision of a person at a pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PauseDecision {
    pub gate: String,
    pub answer: String,
}

impl Pause {
    /// Kind of a pause before the embedded agent takes the place of agents that failed.
    pub const FALLBACK: &str = "fallback";
    /// Answer at such a pause: ask the agents again.
    pub const RETRY: &str = "retry";

    pub fn gate_name(&self) -> String {
        format!("{}/{}", self.kind, self.instance)
    }

    pub(crate) fn gate(&self) -> Gate {
        let subject = Input::Given { name: self.gate_name(), digest: sha256(self.subject.as_bytes()) };
        let choices: Vec<&str> = self.choices.iter().map(String::as_str).collect();
        Gate::new(&self.gate_name(), &[subject][..]).incidental().ask_choice(
            &self.kind,
            &self.question,
            &choices,
        )
    }
}
