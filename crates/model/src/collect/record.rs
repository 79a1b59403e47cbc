//! What became of one call.

use super::command::Validation;
use super::metadata;
use super::substance::judge;
use crate::session::Health;
use crate::shown::one_line;
use crate::sidecar::meta::last;
use crate::sidecar::{read_done, sanitized_tool};

/// How long a reason may be, in characters.
const REASON_CHARS: usize = 500;

/// What stands beside one output.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The `.done` file; none if there is none after all that waiting.
    pub done: Option<Vec<u8>>,
    /// How large the output is; none if there is no such file.
    pub bytes: Option<u64>,
    /// The `.meta` file.
    pub meta: Option<String>,
    /// The `.diag` file.
    pub diag: Option<String>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// With an answer.
    Ok,
    /// Nobody knows: there is no `.done` file.
    SentinelTimeout,
    /// It took too long.
    TimedOut,
    /// It failed.
    Failed,
    /// It succeeded and said nothing.
    EmptyOutput,
    /// It said something, but nothing worth reading.
    NotSubstantive,
}

impl Status {
    /// As it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "OK",
            Status::SentinelTimeout => "SENTINEL_TIMEOUT",
            Status::TimedOut => "TIMED_OUT",
            Status::Failed => "FAILED",
            Status::EmptyOutput => "EMPTY_OUTPUT",
            Status::NotSubstantive => "NOT_SUBSTANTIVE",
        }
    }
}

/// What became of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The output, as it was typed.
    pub file: String,
    /// Which tool it was.
    pub tool: String,
    /// How it ended.
    pub status: Status,
    /// Its exit code, as far as it is known.
    pub exit_code: u8,
    /// Why it is no answer; empty if it is one.
    pub reason: String,
}

/// The code of a process that took too long.
const TIMED_OUT: u8 = 124;

impl Record {
    /// Decides from what stands beside the output.
    pub fn of(file: &str, seen: &Seen) -> Record {
        let (status, exit_code, reason) = outcome(seen);
        let reason = if status == Status::Ok { String::new() } else { tidy(&reason) };
        Record { file: file.to_owned(), tool: tool(file, seen.meta.as_deref()), status, exit_code, reason }
    }

    /// The same after its text was looked at; none if it could not be read.
    #[must_use]
    pub fn judged(self, text: Option<&str>, validation: Validation) -> Record {
        if self.status != Status::Ok {
            return self;
        }
        match judge(text, validation) {
            Ok(()) => self,
            Err(thin) => Record { status: Status::NotSubstantive, reason: tidy(&thin.to_string()), ..self },
        }
    }

    /// Whether the tool can go on being used.
    pub fn is_healthy(&self) -> bool {
        self.status == Status::Ok
    }

    /// Its six lines.
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

fn outcome(seen: &Seen) -> (Status, u8, String) {
    let diag = |otherwise: String| {
        let said = seen.diag.as_deref().filter(|text| !text.trim().is_empty());
        said.map_or(otherwise, str::to_owned)
    };
    let Some(done) = &seen.done else {
        let unknown = "Process did not complete (sentinel file missing — possible crash or system kill)";
        return (Status::SentinelTimeout, TIMED_OUT, diag(unknown.to_owned()));
    };
    let sentinel = read_done(done);
    let is_empty = seen.bytes.unwrap_or(0) == 0;
    if is_empty && (sentinel.code == 0 || sentinel.coerced) {
        // Another program would run the call again from its description. We only say whether it could have.
        if let Some(problem) = seen.meta.as_deref().and_then(metadata::problem) {
            return (Status::EmptyOutput, 99, format!("Retry metadata invalid: {problem}"));
        }
        let nothing = "Process exited successfully but produced no output";
        return (Status::EmptyOutput, sentinel.code, diag(nothing.to_owned()));
    }
    match sentinel.code {
        0 => (Status::Ok, 0, String::new()),
        TIMED_OUT => (Status::TimedOut, TIMED_OUT, diag("Process timed out (exit code 124)".to_owned())),
        code => (Status::Failed, code, diag(format!("Process failed with exit code {code}"))),
    }
}

/// Who it was, by its description, else by the name of its output.
fn tool(file: &str, meta: Option<&str>) -> String {
    if let Some(tool) = meta.and_then(|text| last(text, "TOOL")) {
        return sanitized_tool(tool);
    }
    let name = file.rsplit('/').next().unwrap_or_default();
    let known = ["cursor", "codex", "claude", "gemini", "opencode"];
    known.into_iter().find(|tool| name.starts_with(tool)).unwrap_or("unknown").to_owned()
}

/// A reason on one line, not too long, without what separates fields elsewhere.
fn tidy(reason: &str) -> String {
    let is_gap = |c: char| c == '|' || c.is_whitespace() || c.is_control();
    let words: Vec<&str> = reason.split(is_gap).filter(|word| !word.is_empty()).collect();
    let text = one_line(&words.join(" "));
    if text.chars().count() <= REASON_CHARS {
        return text;
    }
    text.chars().take(REASON_CHARS - 3).chain("...".chars()).collect()
}

/// What one record says about the health of tools.
pub(super) fn tool_health(record: &Record) -> Health {
    let is = |tool: &str| record.tool.eq_ignore_ascii_case(tool).then_some(record.is_healthy());
    Health { codex: is("codex"), cursor: is("cursor") }
}

#[cfg(test)]
mod tests {
    use super::super::command::{answer, health};
    use super::*;

    fn seen(done: Option<&str>, bytes: Option<u64>) -> Seen {
        Seen { done: done.map(|text| text.as_bytes().to_vec()), bytes, ..Seen::default() }
    }

    #[test]
    fn every_end_of_a_call_has_its_status() {
        let meta = |text: &str| Some(text.to_owned());
        let bad = Seen { meta: meta("TOOL=codex"), ..seen(Some("0"), Some(0)) };
        let good = "TOOL=cursor\nTIMEOUT=5\nCMD_JSON=[\"cursor\",\"agent\",\"--workspace\",\"/w\"]\n";
        for (seen, status, code, reason) in [
            (seen(Some("0\n"), Some(10)), "OK", 0, ""),
            (Seen { diag: meta("noise"), ..seen(Some("0\n"), Some(10)) }, "OK", 0, ""),
            (
                seen(None, Some(10)),
                "SENTINEL_TIMEOUT",
                124,
                "Process did not complete (sentinel file missing — possible crash or system kill)",
            ),
            (seen(Some("124"), None), "TIMED_OUT", 124, "Process timed out (exit code 124)"),
            (seen(Some("3"), Some(10)), "FAILED", 3, "Process failed with exit code 3"),
            (seen(Some("3"), Some(0)), "FAILED", 3, "Process failed with exit code 3"),
            (seen(Some("rubbish"), Some(10)), "FAILED", 99, "Process failed with exit code 99"),
            (
                seen(Some("rubbish"), Some(0)),
                "EMPTY_OUTPUT",
                99,
                "Process exited successfully but produced no output",
            ),
            (seen(Some("0"), None), "EMPTY_OUTPUT", 0, "Process exited successfully but produced no output"),
            (
                Seen {
                    meta: meta(good),
                    diag: meta("codex exited | successfully\r\n\n but\tsaid nothing "),
                    ..seen(Some("0"), Some(0))
                },
                "EMPTY_OUTPUT",
                0,
                "codex exited successfully but said nothing",
            ),
            (bad, "EMPTY_OUTPUT", 99, "Retry metadata invalid: TIMEOUT missing"),
        ] {
            let record = Record::of("out.txt", &seen);
            assert_eq!(
                (record.status.as_str(), record.exit_code, record.reason.as_str()),
                (status, code, reason),
                "{seen:?}"
            );
            assert_eq!(record.is_healthy(), status == "OK");
        }
        let long = Seen { diag: meta(&"é".repeat(600)), ..seen(Some("1"), None) };
        let reason = Record::of("x", &long).reason;
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
            let seen = Seen { meta: meta.map(str::to_owned), ..seen(Some("0"), Some(1)) };
            assert_eq!(Record::of(file, &seen).tool, tool, "{file}");
        }
    }

    #[test]
    fn records_are_six_lines_each_and_tell_about_health() {
        let records = [
            Record::of("codex-a.txt", &seen(Some("0"), Some(1))),
            Record::of("codex-b.txt\n", &seen(Some("124"), None)),
        ];
        assert_eq!(
            answer(&records).stdout.join("\n"),
            "REVIEWER_FILE=codex-a.txt\nTOOL=codex\nSTATUS=OK\nEXIT_CODE=0\nHEALTHY=true\nFAILURE_REASON=\n\nREVIEWER_FILE=codex-b.txt\\n\nTOOL=codex\nSTATUS=TIMED_OUT\nEXIT_CODE=124\nHEALTHY=false\nFAILURE_REASON=Process timed out (exit code 124)"
        );
        assert_eq!(health(&records), Health { codex: Some(false), cursor: None });
        assert_eq!(health(&records[..1]), Health { codex: Some(true), cursor: None });
    }
}
