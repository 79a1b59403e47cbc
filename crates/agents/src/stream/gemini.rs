//! Gemini CLI: `-o stream-json`, and the one document of `-o json`.
//!
//! What decides is the `result` with its status, and a text of the assistant before it; in a document, a
//! `response` without an `error`. If the API refuses, standard output stays empty and the document with the
//! error is the end of standard error, after warnings and a stack trace. The exit code is then the status
//! without its upper bits, which says nothing.
//!
//! The answer is the last thing the assistant said, pieces of it put together; tool calls lie between things.

use super::clean;
use super::complaint;
use super::event::Object;
use super::reader::{End, Reader};
use super::record::{Record, failure, worth_telling};
use crate::outcome::{Failure, FailureKind, Outcome};
use charrette_model::checkpoint::Usage;

/// Exit codes that mean one thing only, where no better evidence is left.
const NOT_LOGGED_IN: i32 = 41;
const TURN_LIMIT: i32 = 53;

/// How many tool calls are remembered until their results come.
const MOST_CALLS: usize = 256;

/// A reader of Gemini's events.
#[derive(Debug)]
pub(super) struct Gemini {
    record: Record,
    said: String,
    /// The next thing said is another one.
    turned: bool,
    status: Option<Result<(), Failure>>,
    usage: Option<Usage>,
    calls: Vec<(String, String)>,
    /// A document that spans lines, as far as it was read.
    document: Option<String>,
    retrying: Option<Failure>,
}

impl Gemini {
    pub(super) fn new(most: usize) -> Gemini {
        Gemini {
            record: Record::new(most),
            said: String::new(),
            turned: false,
            status: None,
            usage: None,
            calls: Vec::new(),
            document: None,
            retrying: None,
        }
    }
}

impl Reader for Gemini {
    fn line(&mut self, line: &[u8]) {
        let line = clean::line(line);
        if let Some(mut document) = self.document.take() {
            self.record.append(&mut document, &line);
            if line != "}" {
                self.document = Some(document);
            } else if let Some(document) = self.record.event(&document) {
                self.finished(&document);
            }
        } else if line == "{" {
            self.said = String::new();
            self.document = Some("{".to_owned());
        } else if let Some(event) = self.record.event(&line) {
            self.event(&event);
        }
    }

    /// It says only there that it waits for a rate limit.
    fn aside(&mut self, line: &[u8]) {
        let line = clean::line(line);
        if line.starts_with("Attempt ") {
            self.retrying = complaint::kind(None, &line).map(|kind| failure(kind, &line));
        }
    }

    fn is_complete(&self) -> bool {
        matches!(self.status, Some(Ok(()))) && !self.said.trim().is_empty()
    }

    fn trouble(&self) -> Option<FailureKind> {
        if self.record.is_flooded() {
            return Some(FailureKind::Flood);
        }
        worth_telling(self.retrying.as_ref())
    }

    fn outcome(mut self: Box<Self>, end: &End<'_>) -> Outcome {
        if self.document.take().is_some() {
            self.record.note("the document it printed breaks off");
        }
        let answer = match self.status.take() {
            Some(Ok(())) if self.said.trim().is_empty() => {
                Err(failure(FailureKind::NoAnswer, "its answer is empty"))
            }
            Some(Ok(())) => Ok(std::mem::take(&mut self.said)),
            Some(Err(failure)) => Err(failure),
            None => Err(self.unanswered(end)),
        };
        self.record.outcome(answer, self.usage, None)
    }
}

impl Gemini {
    fn event(&mut self, event: &Object<'_>) {
        self.retrying = None;
        match event.text("type").as_deref() {
            Some("init") => {
                self.record.session(event.text("session_id"));
                self.record.model(event.text("model"));
            }
            Some("message") if event.is("role", "assistant") => self.message(event),
            Some("message") => self.turned = true,
            Some("tool_use") => {
                self.turned = true;
                let (id, name) = (event.text("tool_id"), event.text("tool_name"));
                if let (Some(id), Some(name), true) = (id, name, self.calls.len() < MOST_CALLS) {
                    self.calls.push((clean::one_line(&id), clean::one_line(&name)));
                }
            }
            Some("tool_result") => self.tool_result(event),
            Some("error") => self.record.note(&event.text("message").unwrap_or_default()),
            Some("result") => self.result(event),
            // A document on one line.
            None => self.finished(event),
            _ => {}
        }
    }

    fn message(&mut self, event: &Object<'_>) {
        let content = event.text("content").unwrap_or_default();
        if content.is_empty() {
            return;
        }
        self.status = None;
        if self.turned || event.flag("delta") != Some(true) {
            self.said.clear();
        }
        self.turned = false;
        self.record.append(&mut self.said, &content);
    }

    fn tool_result(&mut self, event: &Object<'_>) {
        let id = clean::one_line(&event.text("tool_id").unwrap_or_default());
        let Some(at) = self.calls.iter().position(|(known, _)| *known == id) else { return };
        let (id, name) = self.calls.swap_remove(at);
        if event.is("status", "error") && event.object("error").is_some_and(|error| is_refusal(&error)) {
            self.record.deny(Some(id), &name);
        }
    }

    fn result(&mut self, event: &Object<'_>) {
        let error = event.object("error");
        self.status = Some(match error {
            Some(error) => Err(refusal(&error)),
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
    fn finished(&mut self, document: &Object<'_>) {
        let error = document.object("error");
        let response = document.text("response");
        if error.is_none() && response.is_none() {
            return;
        }
        self.record.session(document.text("session_id"));
        self.said.clear();
        self.record.append(&mut self.said, &response.unwrap_or_default());
        self.status = Some(error.map_or(Ok(()), |error| Err(refusal(&error))));
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

    /// Why there is no result: the document at the end of standard error says it, or its last words do.
    fn unanswered(&mut self, end: &End<'_>) -> Failure {
        let document = end.stderr.rfind("\n{\n").map(|at| &end.stderr[at + 1..]);
        let document = document.or_else(|| end.stderr.starts_with("{\n").then_some(end.stderr));
        if let Some(document) = document.and_then(|document| Object::parse(document.trim()))
            && let Some(error) = document.object("error")
        {
            self.record.session(document.text("session_id"));
            return refusal(&error);
        }
        if let Some(retrying) = self.retrying.take() {
            return retrying;
        }
        let kind = match end.code {
            Some(NOT_LOGGED_IN) => Some(FailureKind::Credentials),
            Some(TURN_LIMIT) => Some(FailureKind::Limit),
            _ => complaint::kind(None, end.last_words()),
        };
        let kind = kind.unwrap_or(FailureKind::NoAnswer);
        failure(kind, &format!("no result: {}", end.in_words()))
    }
}

/// Whether a tool was refused rather than failed. What a mode does not allow is not even registered.
fn is_refusal(error: &Object<'_>) -> bool {
    let kind = error.text("type").unwrap_or_default();
    kind == "tool_not_registered"
        || kind.contains("policy")
        || kind.contains("denied")
        || error.text("message").unwrap_or_default().starts_with("Access denied")
}

/// An error of the API, whose message may be another document in which the message is.
fn refusal(error: &Object<'_>) -> Failure {
    let message = error.text("message").unwrap_or_default();
    let inner = complaint::innermost(&message);
    let status = error.status("code").filter(|status| *status >= 400);
    let name = error.text("type").unwrap_or_default();
    let kind = match name.as_str() {
        "FatalAuthenticationError" => Some(FailureKind::Credentials),
        "FatalTurnLimitedError" => Some(FailureKind::Limit),
        _ => complaint::kind(status, &message),
    };
    let said = if inner.trim().is_empty() { &name } else { &inner };
    let said = if said.trim().is_empty() { "it gave no reason" } else { said };
    failure(kind.unwrap_or(FailureKind::Service { status }), said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const ENDED: End<'static> = End { code: Some(0), signal: None, stderr: "" };

    fn outcome(lines: &[&str], end: &End<'_>) -> Outcome {
        let mut reader = Gemini::new(1000);
        for line in lines {
            reader.line(line.as_bytes());
        }
        Box::new(reader).outcome(end)
    }

    #[test]
    fn the_answer_is_the_last_thing_said_and_needs_a_result() {
        let said = |text: &str| {
            format!(r#"{{"type":"message","role":"assistant","content":"{text}","delta":true}}"#)
        };
        let (one, two, three) = (said("one "), said("two "), said("three"));
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
    fn the_end_of_standard_error_says_why_there_is_nothing() {
        let stderr = "Warning: x\n  status: 429\n}\n{\n  \"session_id\": \"s\",\n  \"error\": {\n    \"type\": \"Error\",\n    \"message\": \"{\\\"error\\\":{\\\"message\\\":\\\"slow down, retry in 34s\\\"}}\",\n    \"code\": 429\n  }\n}\n";
        let outcome = outcome(&[], &End { code: Some(173), signal: None, stderr });
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
    fn a_code_says_why_only_if_nothing_else_does() {
        let cases = [
            (41, "", FailureKind::Credentials),
            (53, "", FailureKind::Limit),
            (1, "Please set an Auth method: GEMINI_API_KEY", FailureKind::Credentials),
            (144, "", FailureKind::NoAnswer),
            (0, "", FailureKind::NoAnswer),
        ];
        for (code, stderr, kind) in cases {
            let answer = outcome(&[], &End { code: Some(code), signal: None, stderr }).answer;
            assert_eq!(answer.unwrap_err().kind, kind, "{code} {stderr}");
        }
    }

    #[test]
    fn waiting_for_a_rate_limit_is_told_on_standard_error() {
        let mut reader = Gemini::new(1000);
        reader.aside(b"Ripgrep is not available. Falling back to GrepTool.");
        assert_eq!(reader.trouble(), None);
        reader.aside(b"Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {}");
        assert_eq!(reader.trouble(), Some(FailureKind::RateLimit { retry_after: None }));
        reader.line(br#"{"type":"message","role":"assistant","content":"a","delta":true}"#);
        assert_eq!(reader.trouble(), None);
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
