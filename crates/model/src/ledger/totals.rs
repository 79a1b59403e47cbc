//! Totals of calls: by seat, by agent, and overall.

use super::call::CallRecord;
use super::citations::CitationCounts;
use serde::Serialize;
use std::collections::BTreeMap;

/// Total of a set of calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Total {
    pub calls: u64,
    /// Number of calls without an answer.
    pub failures: u64,
    /// Sum of the durations.
    pub seconds: f64,
    /// Tokens read; `None` if no call reports them.
    pub input: Option<u64>,
    /// Tokens written; `None` if no call reports them.
    pub output: Option<u64>,
    /// Tokens read from a cache; `None` if no call reports them.
    pub cached: Option<u64>,
    /// Dollars; `None` if no call reports a price. A lower bound if some calls do not.
    pub usd: Option<f64>,
    /// Number of calls without a price.
    pub unpriced: u64,
    /// Citations of the answers; `None` if none was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<CitationCounts>,
}

impl Total {
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
        if let Some(counts) = &call.citations {
            self.citations.get_or_insert_default().add(counts);
        }
        match call.price() {
            Some(price) => self.usd = Some(self.usd.unwrap_or(0.0) + price),
            None => self.unpriced += 1,
        }
    }

    /// True if `usd` is a lower bound, because some calls report no price.
    pub fn is_lower_bound(&self) -> bool {
        self.usd.is_some() && self.unpriced > 0
    }

    /// Tokens read, written, and read from a cache.
    pub fn tokens(&self) -> u64 {
        [self.input, self.output, self.cached].into_iter().flatten().fold(0, u64::saturating_add)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Totals {
    pub all: Total,
    pub seats: BTreeMap<String, Total>,
    pub agents: BTreeMap<String, Total>,
    /// Checked citations by vendor, or by agent where the vendor is unknown.
    pub citations: BTreeMap<String, CitationCounts>,
}

/// Aggregates calls.
pub fn totals<'a>(calls: impl IntoIterator<Item = &'a CallRecord>) -> Totals {
    let mut totals = Totals::default();
    for call in calls {
        totals.all.add(call);
        totals.seats.entry(call.seat.clone()).or_default().add(call);
        totals.agents.entry(call.agent.clone()).or_default().add(call);
        if let Some(counts) = &call.citations {
            let vendor = call.vendor.as_ref().unwrap_or(&call.agent);
            totals.citations.entry(vendor.clone()).or_default().add(counts);
        }
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::super::call::tests::call;
    use super::*;
    use crate::checkpoint::Usage;

    #[test]
    fn citations_are_summed_by_vendor() {
        let counts = |right| Some(CitationCounts { right, ..CitationCounts::default() });
        let mut calls =
            [call("a", "claude", "ok", None), call("b", "codex", "ok", None), call("b", "codex", "ok", None)];
        assert_eq!(totals(&calls).all.citations, None);
        (calls[0].vendor, calls[0].citations) = (Some("anthropic".to_owned()), counts(3));
        (calls[1].citations, calls[2].citations) = (counts(4), counts(1));
        let totals = totals(&calls);
        assert_eq!(totals.all.citations, counts(8));
        assert_eq!(totals.seats["b"].citations, counts(5));
        assert_eq!((totals.citations["anthropic"].right, totals.citations["codex"].right), (3, 5));
    }

    #[test]
    fn missing_usage_stays_unknown() {
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
        assert!(totals.all.is_lower_bound());
        assert_eq!(totals.agents["codex"].usd, None);
        assert!(!totals.agents["codex"].is_lower_bound());
        assert_eq!(totals.seats["a"].input, Some(30));
        assert_eq!(totals.all.tokens(), 34);
        assert_eq!(Total::default().input, None);
    }
}
