//! Record of one agent call, in `tokens.jsonl` and, shorter, in `timing-ledger.tsv`.

use super::citations::{self, CitationCounts, CitationRecord};
use super::timing::{VendorTask, vendor_row};
use crate::checkpoint::Usage;
use crate::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// Status of a successful call. Any other status is a short description of the failure.
pub const ANSWERED: &str = "ok";

/// Type of these rows, which distinguishes them from others in the same file.
const TYPE: &str = "call";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// End of the call.
    pub at: Stamp,
    /// Id of the run.
    pub run: String,
    /// Command of the run.
    #[serde(default)]
    pub command: String,
    #[serde(default)]
    pub phase: String,
    #[serde(default)]
    pub step: String,
    pub seat: String,
    pub agent: String,
    #[serde(default)]
    pub vendor: Option<String>,
    /// Model, where the vendor reports it.
    #[serde(default)]
    pub model: Option<String>,
    /// Session id, where the vendor has one.
    #[serde(default)]
    pub session: Option<String>,
    /// [`ANSWERED`], or a description of the failure.
    pub status: String,
    /// Duration.
    #[serde(default)]
    pub seconds: f64,
    /// Tokens read; `None` where the vendor reports nothing.
    #[serde(default)]
    pub input: Option<u64>,
    /// Tokens written.
    #[serde(default)]
    pub output: Option<u64>,
    /// Tokens read from a cache.
    #[serde(default)]
    pub cached: Option<u64>,
    /// Dollars; `None` where the vendor reports no price.
    #[serde(default)]
    pub usd: Option<f64>,
    /// Usage of the whole session, where the vendor counts that way: the session's next call subtracts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_total: Option<Usage>,
    /// Citations of the answer; `None` if it was not checked. A row of its own in the file.
    #[serde(default, skip_serializing)]
    pub citations: Option<CitationCounts>,
}

impl CallRecord {
    pub fn is_answered(&self) -> bool {
        self.status == ANSWERED
    }

    /// The record with the usage of the call.
    #[must_use]
    pub fn with_usage(mut self, usage: Option<&Usage>) -> CallRecord {
        self.input = usage.map(|usage| usage.input);
        self.output = usage.map(|usage| usage.output);
        self.cached = usage.map(|usage| usage.cached);
        self.usd = usage.and_then(|usage| usage.usd);
        self
    }

    /// The price, if valid.
    pub fn price(&self) -> Option<f64> {
        self.usd.filter(|usd| usd.is_finite() && *usd >= 0.0)
    }

    /// The row of `tokens.jsonl`, without line end.
    pub fn json_row(&self) -> String {
        #[derive(Serialize)]
        struct Row<'a> {
            v: u32,
            r#type: &'a str,
            #[serde(flatten)]
            call: &'a CallRecord,
        }
        serde_json::to_string(&Row { v: 1, r#type: TYPE, call: self }).unwrap_or_default()
    }

    /// The row of `timing-ledger.tsv`, without line end.
    pub fn timing_row(&self) -> String {
        let end = self.at.at().as_second();
        // Untrusted number from a file: the cast saturates.
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        let seconds = self.seconds.max(0.0).round() as i64;
        let task = VendorTask {
            vendor: &self.agent,
            task_kind: &task_kind(&self.seat),
            start_s: end.saturating_sub(seconds).max(0).unsigned_abs(),
            end_s: end.max(0).unsigned_abs(),
            output: "-",
            exit_code: u8::from(!self.is_answered()),
            status: if self.is_answered() { "complete" } else { "unknown" },
        };
        vendor_row(end, &self.command, &self.step, &task)
    }
}

/// Parses the calls of a ledger, each with the citations of its answer. Rows of other types and torn rows are skipped.
pub fn read_calls(text: &[u8]) -> impl Iterator<Item = CallRecord> {
    #[derive(Deserialize)]
    struct Kind<'a> {
        r#type: &'a str,
    }
    let mut calls: Vec<CallRecord> = Vec::new();
    for line in text.split(|b| *b == b'\n') {
        let Ok(kind) = serde_json::from_slice::<Kind<'_>>(line) else { continue };
        match kind.r#type {
            TYPE => calls.extend(serde_json::from_slice::<CallRecord>(line)),
            citations::TYPE => {
                if let Ok(record) = serde_json::from_slice::<CitationRecord>(line) {
                    record.join(&mut calls);
                }
            }
            _ => {}
        }
    }
    calls.into_iter()
}

/// A seat's name as a task kind: lower-case words with hyphens, starting with a letter.
fn task_kind(seat: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let kind: String = seat.chars().map(plain).skip_while(|c| !c.is_ascii_lowercase()).take(64).collect();
    if kind.is_empty() { "call".to_owned() } else { kind }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "reads better in tables")]
    pub(in crate::ledger) fn call(seat: &str, agent: &str, status: &str, usage: Option<Usage>) -> CallRecord {
        CallRecord {
            at: Stamp::parse("2026-11-15T12:00:00.000Z").unwrap(),
            run: "01".to_owned(),
            command: "design".to_owned(),
            phase: "write".to_owned(),
            step: "sketch/cursor-arch".to_owned(),
            seat: seat.to_owned(),
            agent: agent.to_owned(),
            vendor: None,
            model: Some("m".to_owned()),
            session: None,
            status: status.to_owned(),
            seconds: 12.4,
            input: None,
            output: None,
            cached: None,
            usd: None,
            session_total: None,
            citations: None,
        }
        .with_usage(usage.as_ref())
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let usage = Usage { input: 10, output: 2, cached: 1, usd: Some(0.25) };
        let first = call("cursor-arch", "codex", ANSWERED, Some(usage.clone()));
        let second =
            CallRecord { session_total: Some(usage), ..call("planner", "claude", "timed out", None) };
        let text = format!(
            "{}\n{{\"type\":\"mark\",\"step\":\"x\"}}\n\nrubbish \u{0}\n{}\n{{\"v\":1,\"type\":\"call\",\"at\":\"20",
            first.json_row(),
            second.json_row()
        );
        assert_eq!(read_calls(text.as_bytes()).collect::<Vec<_>>(), [first.clone(), second]);
        assert_eq!(
            first.json_row(),
            r#"{"v":1,"type":"call","at":"2026-11-15T12:00:00.000Z","run":"01","command":"design","phase":"write","step":"sketch/cursor-arch","seat":"cursor-arch","agent":"codex","vendor":null,"model":"m","session":null,"status":"ok","seconds":12.4,"input":10,"output":2,"cached":1,"usd":0.25}"#
        );
    }

    #[test]
    fn a_call_is_a_task_of_its_agent() {
        let row = call("debate-1/Thesis", "codex", ANSWERED, None).timing_row();
        assert_eq!(
            row,
            "v1\tvendor\t1794744000\tdesign\tsketch/cursor-arch\tcodex\tdebate-1-thesis\t1794743988\t1794744000\t12\t-\t0\tcomplete"
        );
        for (seat, kind) in [("", "call"), ("1a", "a"), ("É", "call"), ("Lead Seat", "lead-seat")] {
            assert_eq!(task_kind(seat), kind);
        }
        let odd = CallRecord { seconds: f64::NAN, ..call("x", "y", "no", None) };
        assert!(odd.timing_row().ends_with("\t0\t-\t1\tunknown"), "{}", odd.timing_row());
    }
}
