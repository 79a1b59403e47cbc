//! Parser of Gemini CLI: `-o stream-json`, and the single document of `-o json`.
//!
//! The `result` decides, with its status and a message of the assistant before it; in a document, a `response`
//! without an `error`. If the API refuses, standard output stays empty and standard error ends with a document
//! that has the error, after warnings and a stack trace. The exit code is then the lower byte of the status,
//! which is of no use.
//!
//! The answer is the last message of the assistant, joined from its chunks; tool calls separate messages.

use super::clean;
use super::event::Object;
use super::failure_text;
use super::output_record::{OutputRecord, failure, needs_attention};
use super::reader::{OutputReader, ProcessEnd};
use crate::outcome::{Failure, FailureKind, Outcome};
use charrette_model::checkpoint::Usage;

/// Exit codes with one meaning, used if there is no better evidence.
const NOT_LOGGED_IN: i32 = 41;
const TURN_LIMIT: i32 = 53;

/// Maximum number of tool calls that wait for their results.
const MAX_CALLS: usize = 256;

#[derive(Debug)]
pub(super) struct GeminiReader {
    record: OutputRecord,
    text: String,
    /// True if the next chunk starts another message.
    starts_message: bool,
    status: Option<Result<(), Failure>>,
    usage: Option<Usage>,
    calls: Vec<(String, String)>,
    /// Beginning of a document that spans lines.
    document: Option<String>,
    /// Error that the client is retrying.
    retrying: Option<Failure>,
}

impl GeminiReader {
    pub(super) fn new(max_bytes: usize) -> GeminiReader {
        GeminiReader {
            record: OutputRecord::new(max_bytes),
            text: String::new(),
            starts_message: false,
            status: None,
            usage: None,
            calls: Vec::new(),
            document: None,
            retrying: None,
        }
    }
}

impl OutputReader for GeminiReader {
    fn read_line(&mut self, line: &[u8]) {
        let line = clean::line(line);
        if let Some(mut document) = self.document.take() {
            self.record.append(&mut document, &line);
            if line != "}" {
                self.document = Some(document);
            } else if let Some(document) = self.record.event(&document) {
                self.read_document(&document);
            }
        } else if line == "{" {
            self.text = String::new();
            self.document = Some("{".to_owned());
        } else if let Some(event) = self.record.event(&line) {
            self.read_event(&event);
        }
    }

    /// Retries for a rate limit are reported on standard error only.
    fn read_stderr_line(&mut self, line: &[u8]) {
        let line = clean::line(line);
        if line.starts_with("Attempt ") {
            self.retrying = failure_text::classify(None, &line).map(|kind| failure(kind, &line));
        }
    }

    fn is_complete(&self) -> bool {
        matches!(self.status, Some(Ok(()))) && !self.text.trim().is_empty()
    }

    fn pending_failure(&self) -> Option<FailureKind> {
        if self.record.exceeds_limit() {
            return Some(FailureKind::OutputLimit);
        }
        needs_attention(self.retrying.as_ref())
    }

    fn outcome(mut self: Box<Self>, end: &ProcessEnd<'_>) -> Outcome {
        if self.document.take().is_some() {
            self.record.note("the document in its output is incomplete");
        }
        let answer = match self.status.take() {
            Some(Ok(())) if self.text.trim().is_empty() => {
                Err(failure(FailureKind::NoAnswer, "its answer is empty"))
            }
            Some(Ok(())) => Ok(std::mem::take(&mut self.text)),
            Some(Err(failure)) => Err(failure),
            None => Err(self.missing_result(end)),
        };
        self.record.outcome(answer, self.usage, None)
    }
}

impl GeminiReader {
    fn read_event(&mut self, event: &Object<'_>) {
        self.retrying = None;
        match event.text("type").as_deref() {
            Some("init") => {
                self.record.session(event.text("session_id"));
                self.record.model(event.text("model"));
            }
            Some("message") if event.is("role", "assistant") => self.read_message(event),
            Some("message") => self.starts_message = true,
            Some("tool_use") => {
                self.starts_message = true;
                let (id, name) = (event.text("tool_id"), event.text("tool_name"));
                if let (Some(id), Some(name), true) = (id, name, self.calls.len() < MAX_CALLS) {
                    self.calls.push((clean::one_line(&id), clean::one_line(&name)));
                }
            }
            Some("tool_result") => self.read_tool_result(event),
            Some("error") => self.record.note(&event.text("message").unwrap_or_default()),
            Some("result") => self.read_result(event),
            // A document on one line.
            None => self.read_document(event),
            _ => {}
        }
    }

    fn read_message(&mut self, event: &Object<'_>) {
        let content = event.text("content").unwrap_or_default();
        if content.is_empty() {
            return;
        }
        self.status = None;
        if self.starts_message || event.flag("delta") != Some(true) {
            self.text.clear();
        }
        self.starts_message = false;
        self.record.append(&mut self.text, &content);
    }

    fn read_tool_result(&mut self, event: &Object<'_>) {
        let id = clean::one_line(&event.text("tool_id").unwrap_or_default());
        let Some(at) = self.calls.iter().position(|(known, _)| *known == id) else { return };
        let (id, name) = self.calls.swap_remove(at);
        if event.is("status", "error") && event.object("error").is_some_and(|error| is_refusal(&error)) {
            self.record.deny(Some(id), &name);
        }
    }

    fn read_result(&mut self, event: &Object<'_>) {
        let error = event.object("error");
        self.status = Some(match error {
            Some(error) => Err(api_error(&error)),
            None if event.is("status", "success") => Ok(()),
            None => Err(failure(FailureKind::Service { status: None }, "it gave no reason")),
        });
        if let Some(stats) = event.object("stats") {
            let count = |name| stats.count(name).unwrap_or_default();
            let (input, output) = (count("input_tokens"), count("output_tokens"));
            // Reasoning is in the total only.
            let output = output.max(count("total_tokens").saturating_sub(input));
            self.usage = Some(Usage { input, output, cached: count("cached"), usd: None });
        }
    }

    /// The document of `-o json`, or the one that ends standard error.
    fn read_document(&mut self, document: &Object<'_>) {
        let error = document.object("error");
        let response = document.text("response");
        if error.is_none() && response.is_none() {
            return;
        }
        self.record.session(document.text("session_id"));
        self.text.clear();
        self.record.append(&mut self.text, &response.unwrap_or_default());
        self.status = Some(error.map_or(Ok(()), |error| Err(api_error(&error))));
        let models = document.object("stats").and_then(|stats| stats.object("models"));
        for (name, model) in models.iter().flat_map(Object::members) {
            if self.record.model.is_none() {
                self.record.model(Some(name.to_owned()));
            }
            let Some(tokens) = model.object("tokens") else { continue };
            let count = |name| tokens.count(name).unwrap_or_default();
            let used = self.usage.get_or_insert_default();
            used.input = used.input.saturating_add(count("prompt")).saturating_add(count("tool"));
            used.output = used.output.saturating_add(count("candidates")).saturating_add(count("thoughts"));
            used.cached = used.cached.saturating_add(count("cached"));
        }
    }

    /// The reason there is no result: the document at the end of standard error, or its last line.
    fn missing_result(&mut self, end: &ProcessEnd<'_>) -> Failure {
        let document = end.stderr.rfind("\n{\n").map(|at| &end.stderr[at + 1..]);
        let document = document.or_else(|| end.stderr.starts_with("{\n").then_some(end.stderr));
        if let Some(document) = document.and_then(|document| Object::parse(document.trim()))
            && let Some(error) = document.object("error")
        {
            self.record.session(document.text("session_id"));
            return api_error(&error);
        }
        if let Some(retrying) = self.retrying.take() {
            return retrying;
        }
        let kind = match end.code {
            Some(NOT_LOGGED_IN) => Some(FailureKind::Credentials),
            Some(TURN_LIMIT) => Some(FailureKind::Limit),
            _ => failure_text::classify(None, end.last_stderr_line()),
        };
        let kind = kind.unwrap_or(FailureKind::NoAnswer);
        failure(kind, &format!("no result: {}", end.describe()))
    }
}

/// True if a tool was refused, not failed. Tools that a mode does not allow are not registered.
fn is_refusal(error: &Object<'_>) -> bool {
    let kind = error.text("type").unwrap_or_default();
    kind == "tool_not_registered"
        || kind.contains("policy")
        || kind.contains("denied")
        || error.text("message").unwrap_or_default().starts_with("Access denied")
}

/// The failure of an API error, whose message may be another document.
fn api_error(error: &Object<'_>) -> Failure {
    let message = error.text("message").unwrap_or_default();
    let inner = failure_text::innermost_message(&message);
    let status = error.status("code").filter(|status| *status >= 400);
    let name = error.text("type").unwrap_or_default();
    let kind = match name.as_str() {
        "FatalAuthenticationError" => Some(FailureKind::Credentials),
        "FatalTurnLimitedError" => Some(FailureKind::Limit),
        _ => failure_text::classify(status, &message),
    };
    let text = if inner.trim().is_empty() { &name } else { &inner };
    let text = if text.trim().is_empty() { "it gave no reason" } else { text };
    failure(kind.unwrap_or(FailureKind::Service { status }), text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const ENDED: ProcessEnd<'static> = ProcessEnd { code: Some(0), signal: None, stderr: "" };

    fn outcome(lines: &[&str], end: &ProcessEnd<'_>) -> Outcome {
        let mut reader = GeminiReader::new(1000);
        for line in lines {
            reader.read_line(line.as_bytes());
        }
        Box::new(reader).outcome(end)
    }

    #[test]
    fn the_answer_is_the_last_message_and_needs_a_result() {
        let message_event = |text: &str| {
            format!(r#"{{"type":"message","role":"assistant","content":"{text}","delta":true}}"#)
        };
        let (one, two, three) = (message_event("one "), message_event("two "), message_event("three"));
        let tool = r#"{"type":"tool_use","tool_name":"t","tool_id":"1"}"#;
        let success = r#"{"type":"result","status":"success"}"#;
        let cases: &[(&[&str], Result<&str, FailureKind>)] = &[
            (&[&one, tool, &two, &three, success], Ok("two three")),
            (&[&one, &two, tool, success], Ok("one two ")),
            (&[&one, &two], Err(FailureKind::NoAnswer)),
            (&[success], Err(FailureKind::NoAnswer)),
            (&[&one, success, &two], Err(FailureKind::NoAnswer)),
            (&[&one, r#"{"type":"result","status":"error"}"#], Err(FailureKind::Service { status: None })),
            (
                &[
                    &one,
                    r#"{"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"x"}}"#,
                ],
                Err(FailureKind::Limit),
            ),
        ];
        for (lines, expected) in cases {
            let answer = outcome(lines, &ENDED).answer;
            assert_eq!(answer.as_deref().map_err(|failure| failure.kind), *expected, "{lines:?}");
        }
    }

    #[test]
    fn standard_error_has_the_reason_for_no_answer() {
        let stderr = "Warning: x\n  status: 429\n}\n{\n  \"session_id\": \"s\",\n  \"error\": {\n    \"type\": \"Error\",\n    \"message\": \"{\\\"error\\\":{\\\"message\\\":\\\"slow down, retry in 34s\\\"}}\",\n    \"code\": 429\n  }\n}\n";
        let outcome = outcome(&[], &ProcessEnd { code: Some(173), signal: None, stderr });
        assert_eq!(
            outcome.answer,
            Err(Failure {
                kind: FailureKind::RateLimit { retry_after: Some(Duration::from_secs(34)) },
                message: "slow down, retry in 34s".into()
            })
        );
        assert_eq!(outcome.session.as_deref(), Some("s"));
    }

    #[test]
    fn exit_codes_are_the_last_evidence() {
        let cases = [
            (41, "", FailureKind::Credentials),
            (53, "", FailureKind::Limit),
            (1, "Please set an Auth method: GEMINI_API_KEY", FailureKind::Credentials),
            (144, "", FailureKind::NoAnswer),
            (0, "", FailureKind::NoAnswer),
        ];
        for (code, stderr, kind) in cases {
            let answer = outcome(&[], &ProcessEnd { code: Some(code), signal: None, stderr }).answer;
            assert_eq!(answer.unwrap_err().kind, kind, "{code} {stderr}");
        }
    }

    #[test]
    fn rate_limit_retries_are_read_from_standard_error() {
        let mut reader = GeminiReader::new(1000);
        reader.read_stderr_line(b"Ripgrep is not available. Falling back to GrepTool.");
        assert_eq!(reader.pending_failure(), None);
        reader.read_stderr_line(b"Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {}");
        assert_eq!(reader.pending_failure(), Some(FailureKind::RateLimit { retry_after: None }));
        reader.read_line(br#"{"type":"message","role":"assistant","content":"a","delta":true}"#);
        assert_eq!(reader.pending_failure(), None);
    }

    #[test]
    fn a_tool_that_the_policy_forbids_is_denied() {
        let call = r#"{"type":"tool_use","tool_name":"write_file","tool_id":"w1"}"#;
        let refused = r#"{"type":"tool_result","tool_id":"w1","status":"error","error":{"type":"policy_violation","message":"no"}}"#;
        assert_eq!(outcome(&[call, refused], &ENDED).denied, ["write_file"]);
        let failed = r#"{"type":"tool_result","tool_id":"w1","status":"error","error":{"type":"not_found"}}"#;
        assert!(outcome(&[call, failed], &ENDED).denied.is_empty());
    }
}
