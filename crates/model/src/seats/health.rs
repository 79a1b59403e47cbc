//! Which agents are still trusted in this session. Once an agent failed it stays failed.
//!
//! Only some failures count: an agent that times out in a sketch or a review is left out from then on, one that
//! fails in a debate, as a judge or as a voter is not, so that a lost argument never costs a later review. Claude
//! and the embedded agent stand in for everyone and are never left out for a failure, only for a probe that
//! says they do not answer. [`crate::session::Health`] is what nested runs tell each other of this.

use super::chain::{CLAUDE, EMBEDDED};
use super::seat::Seat;
use crate::session;
use std::collections::BTreeMap;

/// What is known of the agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentHealth {
    /// By name: `None` for one that answered, else why it is not trusted.
    known: BTreeMap<String, Option<String>>,
}

impl AgentHealth {
    /// Whether an agent answers; `None` if nobody has asked.
    pub fn of(&self, agent: &str) -> Option<bool> {
        self.known.get(agent).map(Option::is_none)
    }

    /// Why an agent is not trusted.
    pub fn reason(&self, agent: &str) -> Option<&str> {
        self.known.get(agent)?.as_deref()
    }

    /// An agent answered a probe. One that failed before stays failed.
    pub fn answered(&mut self, agent: &str) {
        self.known.entry(agent.to_owned()).or_default();
    }

    /// An agent did not answer a probe. The first reason is kept.
    pub fn failed(&mut self, agent: &str, reason: &str) {
        if agent != EMBEDDED {
            let known = self.known.entry(agent.to_owned()).or_default();
            known.get_or_insert_with(|| reason.to_owned());
        }
    }

    /// An agent failed in a seat. Says whether that counts.
    pub fn failed_in(&mut self, seat: &Seat, agent: &str, reason: &str) -> bool {
        let counts = seat.flips_health && agent != CLAUDE && agent != EMBEDDED;
        if counts {
            self.failed(agent, reason);
        }
        counts
    }

    /// Learns what a calling run knows.
    pub fn learn(&mut self, session: session::Health) {
        for (agent, healthy) in [("codex", session.codex), ("cursor", session.cursor)] {
            match healthy {
                Some(true) => self.answered(agent),
                Some(false) => self.failed(agent, "reported by the calling run"),
                None => {}
            }
        }
    }

    /// What other runs are told.
    pub fn session(&self) -> session::Health {
        session::Health { codex: self.of("codex"), cursor: self.of("cursor") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_probe_can_fail_anyone_but_the_agent_that_needs_none() {
        let mut health = AgentHealth::default();
        health.failed("claude", "logged out");
        health.failed("claude", "later");
        health.failed(EMBEDDED, "cannot be");
        assert_eq!((health.of("claude"), health.reason("claude")), (Some(false), Some("logged out")));
        assert_eq!((health.of(EMBEDDED), health.reason(EMBEDDED)), (None, None));
    }

    #[test]
    fn nested_runs_tell_each_other() {
        let mut health = AgentHealth::default();
        health.learn(session::Health { codex: Some(false), cursor: None });
        health.answered("codex");
        health.answered("cursor");
        assert_eq!(health.session(), session::Health { codex: Some(false), cursor: Some(true) });
    }

    proptest! {
        #[test]
        fn a_failure_is_never_forgotten(said in prop::collection::vec((prop::sample::select(vec!["codex", "cursor", "gemini"]), any::<bool>()), 0..12)) {
            let mut health = AgentHealth::default();
            let mut failed = std::collections::BTreeSet::new();
            for (agent, answered) in said {
                if answered {
                    health.answered(agent);
                } else {
                    health.failed(agent, "timed out");
                    failed.insert(agent);
                }
                for agent in &failed {
                    prop_assert_eq!(health.of(agent), Some(false));
                }
            }
        }
    }
}
