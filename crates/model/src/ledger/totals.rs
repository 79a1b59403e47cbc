//! Calls added up: for each seat, for each agent, and in all.

use super::call::CallRecord;
use serde::Serialize;
use std::collections::BTreeMap;

/// Calls added up.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Total {
    /// How many.
    pub calls: u64,
    /// How many of them were not answered.
    pub failures: u64,
    /// How long they took together.
    pub seconds: f64,
    /// Tokens read; none if nobody said.
    pub input: Option<u64>,
    /// Tokens written; none if nobody said.
    pub output: Option<u64>,
    /// Tokens read from a cache; none if nobody said.
    pub cached: Option<u64>,
    /// Dollars; none if nobody named a price. At least this if some calls have none.
    pub usd: Option<f64>,
    /// How many calls have no price.
    pub unpriced: u64,
}

impl Total {
    /// Adds a call.
    pub fn add(&mut self, call: &CallRecord) {
        let sum = |total: Option<u64>, more: Option<u64>| match (total, more) {
            (Some(total), Some(more)) => Some(total.saturating_add(more)),
            (total, more) => total.or(more),
        };
        self.calls += 1;
        self.failures += u64::from(!call.is_answered());
        self.seconds += if call.seconds.is_finite() { call.seconds.max(0.0) } else { 0.0 };
        self.input = sum(self.input, call.input);
        self.output = sum(self.output, call.output);
        self.cached = sum(self.cached, call.cached);
        match call.price() {
            Some(price) => self.usd = Some(self.usd.unwrap_or(0.0) + price),
            None => self.unpriced += 1,
        }
    }

    /// Whether it cost more than `usd` says, for all we know.
    pub fn is_at_least(&self) -> bool {
        self.usd.is_some() && self.unpriced > 0
    }

    /// Everything that counts as tokens: read, written, and read from a cache.
    pub fn tokens(&self) -> u64 {
        [self.input, self.output, self.cached].into_iter().flatten().fold(0, u64::saturating_add)
    }
}

/// Calls added up in all ways.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Totals {
    /// All of them.
    pub all: Total,
    /// By seat.
    pub seats: BTreeMap<String, Total>,
    /// By agent.
    pub agents: BTreeMap<String, Total>,
}

/// Adds calls up.
pub fn totals<'a>(calls: impl IntoIterator<Item = &'a CallRecord>) -> Totals {
    let mut totals = Totals::default();
    for call in calls {
        totals.all.add(call);
        totals.seats.entry(call.seat.clone()).or_default().add(call);
        totals.agents.entry(call.agent.clone()).or_default().add(call);
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::super::call::tests::call;
    use super::*;
    use crate::checkpoint::Usage;

    #[test]
    fn what_is_unknown_stays_unknown() {
        let usage = |input, usd| Some(Usage { input, output: 1, cached: 0, usd });
        let calls = [
            call("a", "claude", "ok", usage(10, Some(0.5))),
            call("a", "codex", "ok", usage(20, None)),
            call("b", "claude", "timed out", None),
            call("b", "claude", "ok", usage(1, Some(-3.0))),
        ];
        let totals = totals(&calls);
        assert_eq!((totals.all.calls, totals.all.failures, totals.all.unpriced), (4, 1, 3));
        assert_eq!((totals.all.usd, totals.all.input), (Some(0.5), Some(31)));
        assert!(totals.all.is_at_least());
        assert_eq!(totals.agents["codex"].usd, None);
        assert!(!totals.agents["codex"].is_at_least());
        assert_eq!(totals.seats["a"].input, Some(30));
        assert_eq!(totals.all.tokens(), 34);
        assert_eq!(Total::default().input, None);
    }
}
