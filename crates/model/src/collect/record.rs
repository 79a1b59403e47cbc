//! Outcome of one call.

use super::command::Validation;
use super::metadata;
use super::substance::validate_answer;
use crate::escape::one_line;
use crate::session::Health;
use crate::sidecar::meta::last_value;
use crate::sidecar::{parse_done, sanitize_tool};

/// Maximum length of a failure reason, in characters.
const REASON_CHARS: usize = 500;

/// Sidecar files and size of one output.
#[derive(Debug, Clone, Default)]
pub struct CallSidecars {
    /// The `.done` file; `None` after a timeout.
    pub done: Option<Vec<u8>>,
    /// Size of the output; `None` if the file is missing.
    pub bytes: Option<u64>,
    /// The `.meta` file.
    pub meta: Option<String>,
    /// The `.diag` file.
    pub diag: Option<String>,
}

/// Status of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStatus {
    Ok,
    /// Unknown: no `.done` file appeared.
    SentinelTimeout,
    TimedOut,
    Failed,
    /// Succeeded without output.
    EmptyOutput,
    /// Rejected by the validation.
    NotSubstantive,
}

impl CallStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            CallStatus::Ok => "OK",
            CallStatus::SentinelTimeout => "SENTINEL_TIMEOUT",
            CallStatus::TimedOut => "TIMED_OUT",
            CallStatus::Failed => "FAILED",
            CallStatus::EmptyOutput => "EMPTY_OUTPUT",
            CallStatus::NotSubstantive => "NOT_SUBSTANTIVE",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectRecord {
    /// Output file, as typed.
    pub file: String,
    pub tool: String,
    pub status: CallStatus,
    /// 124 if unknown.
    pub exit_code: u8,
    /// Failure reason; empty for [`CallStatus::Ok`].
    pub reason: String,
}

/// Exit code of a call that timed out.
const TIMED_OUT: u8 = 124;

impl CollectRecord {
    /// Derives the status from the sidecar files.
    pub fn new(file: &str, sidecars: &CallSidecars) -> CollectRecord {
        let (status, exit_code, reason) = outcome(sidecars);
        let reason = if status == CallStatus::Ok { String::new() } else { clean_reason(&reason) };
        CollectRecord {
            file: file.to_owned(),
            tool: tool_name(file, sidecars.meta.as_deref()),
            status,
            exit_code,
            reason,
        }
    }

    /// The record after validation of the answer's text; `None` if the text could not be read.
    #[must_use]
    pub fn validated(self, text: Option<&str>, validation: Validation) -> CollectRecord {
        if self.status != CallStatus::Ok {
            return self;
        }
        match validate_answer(text, validation) {
            Ok(()) => self,
            Err(rejection) => CollectRecord {
                status: CallStatus::NotSubstantive,
                reason: clean_reason(&rejection.to_string()),
                ..self
            },
        }
    }

    /// True if the tool can still be used.
    pub fn is_healthy(&self) -> bool {
        self.status == CallStatus::Ok
    }

    /// The six lines of the record.
    pub fn lines(&self) -> [String; 6] {
        [
            format!("REVIEWER_FILE={}", one_line(&self.file)),
            format!("TOOL={}", self.tool),
            format!("STATUS={}", self.status.as_str()),
            format!("EXIT_CODE={}", self.exit_code),
            format!("HEALTHY={}", self.is_healthy()),
            format!("FAILURE_REASON={}", self.reason),
        ]
    }
}

fn outcome(sidecars: &CallSidecars) -> (CallStatus, u8, String) {
    let diag = |otherwise: String| {
        let detail = sidecars.diag.as_deref().filter(|text| !text.trim().is_empty());
        detail.map_or(otherwise, str::to_owned)
    };
    let Some(done) = &sidecars.done else {
        let unknown = "Process did not complete (sentinel file missing — possible crash or system kill)";
        return (CallStatus::SentinelTimeout, TIMED_OUT, diag(unknown.to_owned()));
    };
    let sentinel = parse_done(done);
    let is_empty = sidecars.bytes.unwrap_or(0) == 0;
    if is_empty && (sentinel.code == 0 || sentinel.coerced) {
        // Another program would retry the call from its metadata. Here only the metadata is checked.
        if let Some(problem) = sidecars.meta.as_deref().and_then(metadata::problem) {
            return (CallStatus::EmptyOutput, 99, format!("Retry metadata invalid: {problem}"));
        }
        let nothing = "Process exited successfully but produced no output";
        return (CallStatus::EmptyOutput, sentinel.code, diag(nothing.to_owned()));
    }
    match sentinel.code {
        0 => (CallStatus::Ok, 0, String::new()),
        TIMED_OUT => (CallStatus::TimedOut, TIMED_OUT, diag("Process timed out (exit code 124)".to_owned())),
        code => (CallStatus::Failed, code, diag(format!("Process failed with exit code {code}"))),
    }
}

/// The tool, from the metadata, else from the name of the output.
fn tool_name(file: &str, meta: Option<&str>) -> String {
    if let Some(tool) = meta.and_then(|text| last_value(text, "TOOL")) {
        return sanitize_tool(tool);
    }
    let name = file.rsplit('/').next().unwrap_or_default();
    let known = ["cursor", "codex", "claude", "gemini", "opencode"];
    known.into_iter().find(|tool| name.starts_with(tool)).unwrap_or("unknown").to_owned()
}

/// A reason on one line, shortened, without the field separator `|`.
fn clean_reason(reason: &str) -> String {
    let is_gap = |c: char| c == '|' || c.is_whitespace() || c.is_control();
    let words: Vec<&str> = reason.split(is_gap).filter(|word| !word.is_empty()).collect();
    let text = one_line(&words.join(" "));
    if text.chars().count() <= REASON_CHARS {
        return text;
    }
    text.chars().take(REASON_CHARS - 3).chain("...".chars()).collect()
}

/// Health of the tools, from one record.
pub(super) fn tool_health(record: &CollectRecord) -> Health {
    let is = |tool: &str| record.tool.eq_ignore_ascii_case(tool).then_some(record.is_healthy());
    Health { codex: is("codex"), cursor: is("cursor") }
}

#[cfg(test)]
mod tests {
    use super::super::command::{answer, health};
    use super::*;

    fn sidecars(done: Option<&str>, bytes: Option<u64>) -> CallSidecars {
        CallSidecars { done: done.map(|text| text.as_bytes().to_vec()), bytes, ..CallSidecars::default() }
    }

    #[test]
    fn every_end_of_a_call_has_its_status() {
        let meta = |text: &str| Some(text.to_owned());
        let bad = CallSidecars { meta: meta("TOOL=codex"), ..sidecars(Some("0"), Some(0)) };
        let good = "TOOL=cursor\nTIMEOUT=5\nCMD_JSON=[\"cursor\",\"agent\",\"--workspace\",\"/w\"]\n";
        for (sidecars, status, code, reason) in [
            (sidecars(Some("0\n"), Some(10)), "OK", 0, ""),
            (CallSidecars { diag: meta("noise"), ..sidecars(Some("0\n"), Some(10)) }, "OK", 0, ""),
            (
                sidecars(None, Some(10)),
                "SENTINEL_TIMEOUT",
                124,
                "Process did not complete (sentinel file missing — possible crash or system kill)",
            ),
            (sidecars(Some("124"), None), "TIMED_OUT", 124, "Process timed out (exit code 124)"),
            (sidecars(Some("3"), Some(10)), "FAILED", 3, "Process failed with exit code 3"),
            (sidecars(Some("3"), Some(0)), "FAILED", 3, "Process failed with exit code 3"),
            (sidecars(Some("rubbish"), Some(10)), "FAILED", 99, "Process failed with exit code 99"),
            (
                sidecars(Some("rubbish"), Some(0)),
                "EMPTY_OUTPUT",
                99,
                "Process exited successfully but produced no output",
            ),
            (
                sidecars(Some("0"), None),
                "EMPTY_OUTPUT",
                0,
                "Process exited successfully but produced no output",
            ),
            (
                CallSidecars {
                    meta: meta(good),
                    diag: meta("codex exited | successfully\r\n\n but\tsaid nothing "),
                    ..sidecars(Some("0"), Some(0))
                },
                "EMPTY_OUTPUT",
                0,
                "codex exited successfully but said nothing",
            ),
            (bad, "EMPTY_OUTPUT", 99, "Retry metadata invalid: TIMEOUT missing"),
        ] {
            let record = CollectRecord::new("out.txt", &sidecars);
            assert_eq!(
                (record.status.as_str(), record.exit_code, record.reason.as_str()),
                (status, code, reason),
                "{sidecars:?}"
            );
            assert_eq!(record.is_healthy(), status == "OK");
        }
        let long = CallSidecars { diag: meta(&"é".repeat(600)), ..sidecars(Some("1"), None) };
        let reason = CollectRecord::new("x", &long).reason;
        assert_eq!((reason.chars().count(), reason.ends_with("é...")), (500, true));
    }

    #[test]
    fn a_tool_is_known_by_its_description_before_its_name() {
        for (file, meta, tool) in [
            ("/a/codex-fallback-cursor-plan-arch-output.txt", None, "codex"),
            ("cursor-sketch.txt", Some("TOOL=codex\n"), "codex"),
            ("cursor-sketch.txt", Some("TOOL=\n"), "cursor"),
            ("cursor-sketch.txt", Some("TOOL=a b\n"), "a_b"),
            ("gemini.txt", None, "gemini"),
            ("out.txt", None, "unknown"),
        ] {
            let sidecars = CallSidecars { meta: meta.map(str::to_owned), ..sidecars(Some("0"), Some(1)) };
            assert_eq!(CollectRecord::new(file, &sidecars).tool, tool, "{file}");
        }
    }

    #[test]
    fn records_are_six_lines_each_and_tell_about_health() {
        let records = [
            CollectRecord::new("codex-a.txt", &sidecars(Some("0"), Some(1))),
            CollectRecord::new("codex-b.txt\n", &sidecars(Some("124"), None)),
        ];
        assert_eq!(
            answer(&records).stdout.join("\n"),
            "REVIEWER_FILE=codex-a.txt\nTOOL=codex\nSTATUS=OK\nEXIT_CODE=0\nHEALTHY=true\nFAILURE_REASON=\n\nREVIEWER_FILE=codex-b.txt\\n\nTOOL=codex\nSTATUS=TIMED_OUT\nEXIT_CODE=124\nHEALTHY=false\nFAILURE_REASON=Process timed out (exit code 124)"
        );
        assert_eq!(health(&records), Health { codex: Some(false), cursor: None });
        assert_eq!(health(&records[..1]), Health { codex: Some(true), cursor: None });
    }
}
