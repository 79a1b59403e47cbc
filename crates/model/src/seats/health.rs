//! Health of the agents in this session. An agent that failed stays unhealthy.
//!
//! Only some failures count: an agent that times out in a sketch or a review is excluded from then on, one that
//! fails in a debate, as a judge or as a voter is not, so that a lost argument never costs a later review.
//! Claude and the embedded agent are the fallbacks of all others: Claude is excluded only by a failed probe,
//! the embedded agent never. Nested runs exchange [`crate::session::Health`].

use super::chain::{CLAUDE, EMBEDDED};
use super::seat::Seat;
use crate::session;
use std::collections::BTreeMap;

/// Health of all probed or failed agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentHealth {
    /// By agent: `None` if healthy, else the reason of the failure.
    known: BTreeMap<String, Option<String>>,
}

impl AgentHealth {
    /// True if the agent is healthy; none if it was not probed yet.
    pub fn is_healthy(&self, agent: &str) -> Option<bool> {
        self.known.get(agent).map(Option::is_none)
    }

    /// The reason why an agent is unhealthy.
    pub fn reason(&self, agent: &str) -> Option<&str> {
        self.known.get(agent)?.as_deref()
    }

    /// Records a successful probe. An earlier failure stays.
    pub fn record_success(&mut self, agent: &str) {
        self.known.entry(agent.to_owned()).or_default();
    }

    /// Records a failed probe. The first reason is kept.
    pub fn record_failure(&mut self, agent: &str, reason: &str) {
        if agent != EMBEDDED {
            let known = self.known.entry(agent.to_owned()).or_default();
            known.get_or_insert_with(|| reason.to_owned());
        }
    }

    /// Records a failed call in a seat. True if the failure counts.
    pub fn record_seat_failure(&mut self, seat: &Seat, agent: &str, reason: &str) -> bool {
        let counts = seat.flips_health && agent != CLAUDE && agent != EMBEDDED;
        if counts {
            self.record_failure(agent, reason);
        }
        counts
    }

    /// Merges the health reported by the calling run.
    pub fn merge_session(&mut self, session: session::Health) {
        for (agent, healthy) in [("codex", session.codex), ("cursor", session.cursor)] {
            match healthy {
                Some(true) => self.record_success(agent),
                Some(false) => self.record_failure(agent, "reported by the calling run"),
                None => {}
            }
        }
    }

    /// The health to report to other runs.
    pub fn to_session(&self) -> session::Health {
        session::Health { codex: self.is_healthy("codex"), cursor: self.is_healthy("cursor") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_probe_can_fail_any_agent_but_the_embedded_one() {
        let mut health = AgentHealth::default();
        health.record_failure("claude", "logged out");
        health.record_failure("claude", "later");
        health.record_failure(EMBEDDED, "cannot be");
        assert_eq!((health.is_healthy("claude"), health.reason("claude")), (Some(false), Some("logged out")));
        assert_eq!((health.is_healthy(EMBEDDED), health.reason(EMBEDDED)), (None, None));
    }

    #[test]
    fn health_is_exchanged_with_nested_runs() {
        let mut health = AgentHealth::default();
        health.merge_session(session::Health { codex: Some(false), cursor: None });
        health.record_success("codex");
        health.record_success("cursor");
        assert_eq!(health.to_session(), session::Health { codex: Some(false), cursor: Some(true) });
    }

    proptest! {
        #[test]
        fn failures_are_permanent(probes in prop::collection::vec((prop::sample::select(vec!["codex", "cursor", "gemini"]), any::<bool>()), 0..12)) {
            let mut health = AgentHealth::default();
            let mut failed = std::collections::BTreeSet::new();
            for (agent, answered) in probes {
                if answered {
                    health.record_success(agent);
                } else {
                    health.record_failure(agent, "timed out");
                    failed.insert(agent);
                }
                for agent in &failed {
                    prop_assert_eq!(health.is_healthy(agent), Some(false));
                }
            }
        }
    }
}
