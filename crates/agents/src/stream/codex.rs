//! Parser of Codex: `exec --json`.
//!
//! The last turn decides: `turn.completed` with an agent message before it, or `turn.failed`. An item of type
//! `error` is only a warning, and Codex may recover from an `error` event. The client takes seconds to exit
//! after its answer.
//!
//! `usage` counts the whole thread, resumed processes included. There is no price and no model name.

use super::clean;
use super::event::Object;
use super::failure_text;
use super::output_record::{OutputRecord, failure, needs_attention};
use super::reader::{OutputReader, ProcessEnd};
use super::usage::subtract_earlier;
use crate::outcome::{Failure, FailureKind, Outcome};
use charrette_model::checkpoint::Usage;

#[derive(Debug)]
pub(super) struct CodexReader {
    record: OutputRecord,
    earlier: Option<Usage>,
    message: String,
    turn: Turn,
    thread_usage: Option<Usage>,
    /// Error that the client is retrying.
    retrying: Option<Failure>,
}

/// State of the last turn.
#[derive(Debug)]
enum Turn {
    /// Not started, or running.
    Open,
    Completed,
    Failed(Failure),
}

impl CodexReader {
    pub(super) fn new(max_bytes: usize, earlier: Option<&Usage>) -> CodexReader {
        CodexReader {
            record: OutputRecord::new(max_bytes),
            earlier: earlier.cloned(),
            message: String::new(),
            turn: Turn::Open,
            thread_usage: None,
            retrying: None,
        }
    }
}

impl OutputReader for CodexReader {
    fn read_line(&mut self, line: &[u8]) {
        let line = clean::line(line);
        let Some(event) = self.record.event(&line) else { return };
        match event.text("type").as_deref() {
            Some("thread.started") => self.record.session(event.text("thread_id")),
            Some("turn.started") => self.turn = Turn::Open,
            Some("turn.completed") => self.read_turn_completed(&event),
            Some("turn.failed") => {
                let error = event.object("error").and_then(|error| error.text("message"));
                self.turn = Turn::Failed(service_error(&error.unwrap_or_default()));
            }
            Some("error") => self.retrying = Some(service_error(&event.text("message").unwrap_or_default())),
            Some("item.completed") => self.read_item(&event),
            Some("item.started" | "item.updated") => self.retrying = None,
            _ => {}
        }
    }

    fn is_complete(&self) -> bool {
        matches!(self.turn, Turn::Completed) && !self.message.trim().is_empty()
    }

    fn pending_failure(&self) -> Option<FailureKind> {
        if self.record.exceeds_limit() {
            return Some(FailureKind::OutputLimit);
        }
        needs_attention(self.retrying.as_ref())
    }

    fn outcome(self: Box<Self>, end: &ProcessEnd<'_>) -> Outcome {
        let answer = match self.turn {
            Turn::Completed if self.message.trim().is_empty() => {
                Err(failure(FailureKind::NoAnswer, "its turn ended without a message"))
            }
            Turn::Completed => Ok(self.message),
            Turn::Failed(failure) => Err(failure),
            Turn::Open => Err(self.retrying.unwrap_or_else(|| {
                let kind =
                    failure_text::classify(None, end.last_stderr_line()).unwrap_or(FailureKind::NoAnswer);
                failure(kind, &format!("its turn did not end: {}", end.describe()))
            })),
        };
        let usage = self.thread_usage.as_ref().map(|thread| subtract_earlier(thread, self.earlier.as_ref()));
        self.record.outcome(answer, usage, self.thread_usage)
    }
}

impl CodexReader {
    fn read_turn_completed(&mut self, event: &Object<'_>) {
        self.turn = Turn::Completed;
        self.retrying = None;
        if let Some(usage) = event.object("usage") {
            let count = |name| usage.count(name).unwrap_or_default();
            self.thread_usage = Some(Usage {
                input: count("input_tokens"),
                output: count("output_tokens"),
                cached: count("cached_input_tokens"),
                usd: None,
            });
        }
    }

    fn read_item(&mut self, event: &Object<'_>) {
        let Some(item) = event.object("item") else { return };
        let kind = item.text("type").unwrap_or_default();
        match kind.as_str() {
            "error" => self.record.note(&item.text("message").unwrap_or_default()),
            "agent_message" => {
                self.retrying = None;
                self.message.clear();
                self.record.append(&mut self.message, &item.text("text").unwrap_or_default());
            }
            _ => {
                self.retrying = None;
                if item.is("status", "declined") {
                    self.record.deny(item.text("id"), &kind);
                }
            }
        }
    }
}

fn service_error(message: &str) -> Failure {
    let kind = failure_text::classify(None, message).unwrap_or(FailureKind::Service { status: None });
    failure(kind, if message.trim().is_empty() { "it gave no reason" } else { message })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = r#"{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"hi"}}"#;
    const COMPLETED: &str = r#"{"type":"turn.completed","usage":{"input_tokens":10552,"cached_input_tokens":20,"output_tokens":12}}"#;
    const STARTED: &str = r#"{"type":"turn.started"}"#;
    const FAILED: &str = r#"{"type":"turn.failed","error":{"message":"boom"}}"#;

    fn reader(lines: &[&str], earlier: Option<&Usage>) -> Box<CodexReader> {
        let mut reader = CodexReader::new(1000, earlier);
        for line in lines {
            reader.read_line(line.as_bytes());
        }
        Box::new(reader)
    }

    #[test]
    fn only_a_completed_turn_with_a_message_is_an_answer() {
        let cases: &[(&[&str], bool)] = &[
            (&[STARTED, MESSAGE, COMPLETED], true),
            (&[STARTED, MESSAGE], false),
            (&[STARTED, COMPLETED], false),
            (&[STARTED, MESSAGE, FAILED], false),
            (&[STARTED, MESSAGE, COMPLETED, STARTED], false),
            (&[STARTED, FAILED, STARTED, MESSAGE, COMPLETED], true),
            (&[], false),
        ];
        for (lines, answered) in cases {
            for end in [
                ProcessEnd { code: Some(0), signal: None, stderr: "" },
                ProcessEnd { code: None, signal: Some(9), stderr: "" },
            ] {
                let reader = reader(lines, None);
                assert_eq!(reader.is_complete(), *answered, "{lines:?}");
                assert_eq!(reader.outcome(&end).answer.is_ok(), *answered, "{lines:?}");
            }
        }
    }

    #[test]
    fn earlier_usage_of_the_thread_is_subtracted() {
        let earlier = Usage { input: 100, output: 7, cached: 20, usd: None };
        let outcome = reader(&[STARTED, MESSAGE, COMPLETED], Some(&earlier)).outcome(&ProcessEnd {
            code: Some(0),
            signal: None,
            stderr: "",
        });
        assert_eq!(outcome.usage, Some(Usage { input: 10452, output: 5, cached: 0, usd: None }));
        assert_eq!(outcome.session_total, Some(Usage { input: 10552, output: 12, cached: 20, usd: None }));
    }

    #[test]
    fn retries_of_rate_limits_and_credentials_are_failures() {
        let cases = [
            (
                "Reconnecting... 1/5 (unexpected status 401 Unauthorized: bad key)",
                Some(FailureKind::Credentials),
            ),
            (
                "Reconnecting... 1/5 (429 Too Many Requests, try again in 3s)",
                Some(FailureKind::RateLimit { retry_after: Some(std::time::Duration::from_secs(3)) }),
            ),
            ("Reconnecting... 1/5 (stream disconnected before completion)", None),
        ];
        for (message, trouble) in cases {
            let line = serde_json::json!({"type": "error", "message": message}).to_string();
            assert_eq!(reader(&[STARTED, &line], None).pending_failure(), trouble, "{message}");
            assert_eq!(reader(&[STARTED, &line, MESSAGE], None).pending_failure(), None, "{message}");
            let failed = reader(&[STARTED, &line], None).outcome(&ProcessEnd {
                code: None,
                signal: Some(15),
                stderr: "",
            });
            assert_eq!(failed.answer.unwrap_err().message, message);
        }
    }

    #[test]
    fn a_declined_command_is_denied() {
        let declined =
            r#"{"type":"item.completed","item":{"id":"2","type":"command_execution","status":"declined"}}"#;
        let outcome = reader(&[STARTED, declined, MESSAGE, COMPLETED], None).outcome(&ProcessEnd {
            code: Some(0),
            signal: None,
            stderr: "",
        });
        assert_eq!(outcome.denied, ["command_execution"]);
    }
}
