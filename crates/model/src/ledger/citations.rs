//! Counts of the citations in an agent's answer, in `tokens.jsonl`: a row of their own, written after the answer has been
//! checked, which the reader joins with the row of the call.

use super::call::CallRecord;
use crate::stamp::Stamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Type of these rows.
pub(super) const TYPE: &str = "citations";

/// Checked citations of one or more answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CitationCounts {
    pub right: u64,
    /// Wrong when they were first written.
    pub wrong: u64,
    /// Wrong ones that the agent corrected.
    pub corrected: u64,
    /// Wrong ones that were struck out.
    pub struck: u64,
}

impl CitationCounts {
    pub fn checked(&self) -> u64 {
        self.right.saturating_add(self.wrong)
    }

    pub fn add(&mut self, more: &CitationCounts) {
        self.right = self.right.saturating_add(more.right);
        self.wrong = self.wrong.saturating_add(more.wrong);
        self.corrected = self.corrected.saturating_add(more.corrected);
        self.struck = self.struck.saturating_add(more.struck);
    }

    /// Wrong ones that stayed where they may not be altered: in code, JSON and lists of files.
    pub fn left(&self) -> u64 {
        self.wrong.saturating_sub(self.corrected).saturating_sub(self.struck)
    }
}

/// `312 checked, 3 wrong (2 corrected, 1 struck)`
impl fmt::Display for CitationCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} checked, {} wrong", self.checked(), self.wrong)?;
        if self.wrong == 0 {
            return Ok(());
        }
        write!(f, " ({} corrected, {} struck", self.corrected, self.struck)?;
        match self.left() {
            0 => f.write_str(")"),
            left => write!(f, ", {left} left)"),
        }
    }
}

/// The citations of all calls; none if no answer was checked.
pub fn citation_counts<'a>(calls: impl IntoIterator<Item = &'a CallRecord>) -> Option<CitationCounts> {
    let mut total: Option<CitationCounts> = None;
    for counts in calls.into_iter().filter_map(|call| call.citations.as_ref()) {
        total.get_or_insert_default().add(counts);
    }
    total
}

/// Row with the citations of one answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitationRecord {
    pub at: Stamp,
    /// Id of the run.
    pub run: String,
    #[serde(default)]
    pub step: String,
    pub seat: String,
    pub agent: String,
    #[serde(flatten)]
    pub counts: CitationCounts,
}

impl CitationRecord {
    /// The row of `tokens.jsonl`, without line end.
    pub fn json_row(&self) -> String {
        #[derive(Serialize)]
        struct Row<'a> {
            v: u32,
            r#type: &'a str,
            #[serde(flatten)]
            record: &'a CitationRecord,
        }
        serde_json::to_string(&Row { v: 1, r#type: TYPE, record: self }).unwrap_or_default()
    }

    /// Adds the counts to the last call that they belong to.
    pub(super) fn join(&self, calls: &mut [CallRecord]) {
        let is_its = |call: &&mut CallRecord| {
            call.run == self.run
                && call.step == self.step
                && call.seat == self.seat
                && call.agent == self.agent
        };
        if let Some(call) = calls.iter_mut().rev().find(is_its) {
            call.citations.get_or_insert_default().add(&self.counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::call::read_calls;
    use super::super::call::tests::call;
    use super::*;

    fn counts(right: u64, wrong: u64, corrected: u64, struck: u64) -> CitationCounts {
        CitationCounts { right, wrong, corrected, struck }
    }

    #[test]
    fn counts_are_joined_with_their_call() {
        let (first, second) = (call("planner", "claude", "ok", None), call("planner", "codex", "ok", None));
        let record = CitationRecord {
            at: first.at.clone(),
            run: "01".to_owned(),
            step: first.step.clone(),
            seat: "planner".to_owned(),
            agent: "claude".to_owned(),
            counts: counts(9, 3, 2, 1),
        };
        let other = CitationRecord { agent: "gemini".to_owned(), ..record.clone() };
        let rows = [first.json_row(), second.json_row(), record.json_row(), other.json_row()].join("\n");
        let calls: Vec<CallRecord> = read_calls(rows.as_bytes()).collect();
        assert_eq!(calls[0].citations, Some(counts(9, 3, 2, 1)));
        assert_eq!(calls[1].citations, None);
        assert_eq!(citation_counts(&calls), Some(counts(9, 3, 2, 1)));
        assert_eq!(citation_counts(&calls[1..]), None, "an old ledger has no counts");
        assert!(record.json_row().ends_with(
            r#""step":"sketch/cursor-arch","seat":"planner","agent":"claude","right":9,"wrong":3,"corrected":2,"struck":1}"#
        ));
    }

    #[test]
    fn counts_are_one_line() {
        for (counts, line) in [
            (counts(309, 3, 2, 1), "312 checked, 3 wrong (2 corrected, 1 struck)"),
            (counts(5, 0, 0, 0), "5 checked, 0 wrong"),
            (counts(1, 3, 1, 1), "4 checked, 3 wrong (1 corrected, 1 struck, 1 left)"),
        ] {
            assert_eq!(counts.to_string(), line);
        }
    }
}
