//! One call of an agent, as it stands in `tokens.jsonl` and, shorter, in `timing-ledger.tsv`.

use super::timing::{VendorTask, vendor_row};
use crate::checkpoint::Usage;
use crate::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// The status of a call that was answered. Everything else is a failure, in a word or two.
pub const ANSWERED: &str = "ok";

/// The type of these rows, which tells them from others in the same file.
const TYPE: &str = "call";

/// One call of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// When it ended.
    pub at: Stamp,
    /// The run it was made for.
    pub run: String,
    /// The command of that run.
    #[serde(default)]
    pub command: String,
    /// The phase.
    #[serde(default)]
    pub phase: String,
    /// The step.
    #[serde(default)]
    pub step: String,
    /// The seat that was taken.
    pub seat: String,
    /// Who took it.
    pub agent: String,
    /// Whose models answered.
    #[serde(default)]
    pub vendor: Option<String>,
    /// Which model, where the vendor says so.
    #[serde(default)]
    pub model: Option<String>,
    /// The vendor's session, where there is one.
    #[serde(default)]
    pub session: Option<String>,
    /// [`ANSWERED`], or what went wrong.
    pub status: String,
    /// How long it took.
    #[serde(default)]
    pub seconds: f64,
    /// Tokens read by this call; none where the vendor says nothing.
    #[serde(default)]
    pub input: Option<u64>,
    /// Tokens written.
    #[serde(default)]
    pub output: Option<u64>,
    /// Tokens read from a cache.
    #[serde(default)]
    pub cached: Option<u64>,
    /// Dollars; none where the vendor names no price.
    #[serde(default)]
    pub usd: Option<f64>,
    /// What the session has used in all, where the vendor counts that way: the next call of it subtracts this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_total: Option<Usage>,
}

impl CallRecord {
    /// Whether it was answered.
    pub fn is_answered(&self) -> bool {
        self.status == ANSWERED
    }

    /// The same with what it used.
    #[must_use]
    pub fn used(mut self, usage: Option<&Usage>) -> CallRecord {
        self.input = usage.map(|usage| usage.input);
        self.output = usage.map(|usage| usage.output);
        self.cached = usage.map(|usage| usage.cached);
        self.usd = usage.and_then(|usage| usage.usd);
        self
    }

    /// The price, if it is one.
    pub fn price(&self) -> Option<f64> {
        self.usd.filter(|usd| usd.is_finite() && *usd >= 0.0)
    }

    /// The row in `tokens.jsonl`, without its line end.
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

    /// The row in `timing-ledger.tsv`, without its line end.
    pub fn timing_row(&self) -> String {
        let end = self.at.at().as_second();
        // A number from a file: whatever it is, it becomes a duration.
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

/// The calls in the text of such a file. Rows of other kinds and rows that are torn are passed over.
pub fn read_calls(text: &[u8]) -> impl Iterator<Item = CallRecord> {
    #[derive(Deserialize)]
    struct Kind<'a> {
        r#type: &'a str,
    }
    let is_call =
        |line: &&[u8]| serde_json::from_slice::<Kind<'_>>(line).is_ok_and(|kind| kind.r#type == TYPE);
    text.split(|b| *b == b'\n').filter(is_call).filter_map(|line| serde_json::from_slice(line).ok())
}

/// A seat as the kind of a task: lower-case words with hyphens, beginning with a letter.
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
        }
        .used(usage.as_ref())
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
