//! Parser of Cursor's agent: `--output-format stream-json`, and the single result of `--output-format json`.
//!
//! Its lines are like Claude Code's. The last `result` decides: `is_error` and a text. If a call fails, there
//! is no result and the reason is on standard error. The client may not exit after it has answered.
//!
//! The text of the result is all messages of the agent, concatenated. Those after its last tool call are the
//! answer.

use super::clean;
use super::event::Object;
use super::failure_text;
use super::output_record::{OutputRecord, failure};
use super::reader::{OutputReader, ProcessEnd};
use crate::outcome::{Failure, FailureKind, Outcome};
use charrette_model::checkpoint::Usage;

#[derive(Debug)]
pub(super) struct CursorReader {
    record: OutputRecord,
    /// Messages since the last tool call.
    text: String,
    answer: Option<Result<String, Failure>>,
    usage: Option<Usage>,
}

impl CursorReader {
    pub(super) fn new(max_bytes: usize) -> CursorReader {
        CursorReader { record: OutputRecord::new(max_bytes), text: String::new(), answer: None, usage: None }
    }
}

impl OutputReader for CursorReader {
    fn read_line(&mut self, line: &[u8]) {
        let line = clean::line(line);
        let Some(event) = self.record.event(&line) else { return };
        self.record.session(event.text("session_id"));
        match event.text("type").as_deref() {
            Some("system") => {
                self.record.model(event.text("model"));
                self.discard_answer();
            }
            Some("user") => self.discard_answer(),
            Some("assistant") => {
                self.answer = None;
                for part in
                    event.object("message").map(|message| message.objects("content")).unwrap_or_default()
                {
                    self.record.append(&mut self.text, &part.text("text").unwrap_or_default());
                }
            }
            Some("tool_call") => {
                self.discard_answer();
                self.read_tool_call(&event);
            }
            Some("result") => self.read_result(&event),
            _ => {}
        }
    }

    fn is_complete(&self) -> bool {
        self.answer.is_some()
    }

    fn pending_failure(&self) -> Option<FailureKind> {
        self.record.exceeds_limit().then_some(FailureKind::OutputLimit)
    }

    fn outcome(self: Box<Self>, end: &ProcessEnd<'_>) -> Outcome {
        let answer = self.answer.unwrap_or_else(|| {
            let kind = failure_text::classify(None, end.last_stderr_line()).unwrap_or(FailureKind::NoAnswer);
            Err(failure(kind, &format!("no result: {}", end.describe())))
        });
        self.record.outcome(answer, self.usage, None)
    }
}

impl CursorReader {
    /// Discards an answer after which the agent goes on working.
    fn discard_answer(&mut self) {
        self.text.clear();
        self.answer = None;
    }

    /// The result of a refused tool names the refusal, such as `{"writeToolCall":{"result":{"rejected":{…}}}}`.
    fn read_tool_call(&mut self, event: &Object<'_>) {
        for (name, tool) in event.object("tool_call").iter().flat_map(Object::members) {
            let result = tool.object("result");
            let refused = result.is_some_and(|result| {
                result.raw("rejected").or_else(|| result.raw("permissionDenied")).is_some()
            });
            if refused {
                self.record.deny(event.text("call_id"), name.strip_suffix("ToolCall").unwrap_or(name));
            }
        }
    }

    fn read_result(&mut self, event: &Object<'_>) {
        let mut text = String::new();
        self.record.append(&mut text, &event.text("result").unwrap_or_default());
        let is_error = event.flag("is_error") != Some(false);
        let is_success = event.text("subtype").is_none_or(|subtype| subtype == "success");
        self.answer = Some(if is_error || !is_success {
            let kind = failure_text::classify(None, &text).unwrap_or(FailureKind::Service { status: None });
            Err(failure(kind, if text.trim().is_empty() { "it gave no reason" } else { &text }))
        } else if !self.text.trim().is_empty() && text.ends_with(self.text.as_str()) {
            Ok(std::mem::take(&mut self.text))
        } else {
            Ok(text)
        });
        self.text = String::new();
        if let Some(usage) = event.object("usage") {
            self.usage = Some(parse_usage(&usage));
        }
    }
}

/// Parses usage, in which cache reads and writes are not part of the input, as with Claude Code.
fn parse_usage(usage: &Object<'_>) -> Usage {
    let count = |name, other| usage.count(name).or_else(|| usage.count(other)).unwrap_or_default();
    let cached = count("cacheReadTokens", "cache_read_input_tokens");
    let input = count("inputTokens", "input_tokens")
        .saturating_add(count("cacheWriteTokens", "cache_creation_input_tokens"))
        .saturating_add(cached);
    Usage { input, output: count("outputTokens", "output_tokens"), cached, usd: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDED: ProcessEnd<'static> = ProcessEnd { code: Some(0), signal: None, stderr: "" };

    fn outcome(lines: &[&str], end: &ProcessEnd<'_>) -> Outcome {
        let mut reader = CursorReader::new(1000);
        for line in lines {
            reader.read_line(line.as_bytes());
        }
        Box::new(reader).outcome(end)
    }

    #[test]
    fn the_answer_is_the_text_after_the_last_tool_call() {
        let message_event = |text: &str| {
            format!(r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#)
        };
        let (first, last) = (message_event("I look."), message_event("Done."));
        let tool = r#"{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{"readToolCall":{"result":{"success":{}}}}}"#;
        let result = |text: &str| {
            format!(r#"{{"type":"result","subtype":"success","is_error":false,"result":"{text}"}}"#)
        };
        let (all, other, empty) = (result("I look.Done."), result("Something else"), result(""));
        let cases: &[(&[&str], Result<&str, FailureKind>)] = &[
            (&[&first, tool, &last, &all], Ok("Done.")),
            (&[&first, &last, &all], Ok("I look.Done.")),
            (&[&all], Ok("I look.Done.")),
            (&[&first, tool, &last, &other], Ok("Something else")),
            (&[&first, tool, &all], Ok("I look.Done.")),
            (&[&first, tool, &last, &empty], Err(FailureKind::NoAnswer)),
            (&[&first, tool, &last], Err(FailureKind::NoAnswer)),
            (&[&all, &first], Err(FailureKind::NoAnswer)),
        ];
        for (lines, expected) in cases {
            let answer = outcome(lines, &ENDED).answer;
            assert_eq!(answer.as_deref().map_err(|failure| failure.kind), *expected, "{lines:?}");
        }
    }

    #[test]
    fn a_refused_tool_is_denied() {
        let refused = r#"{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{"writeToolCall":{"args":{},"result":{"rejected":{"reason":"ask mode"}}}}}"#;
        assert_eq!(outcome(&[refused, refused], &ENDED).denied, ["write"]);
    }

    #[test]
    fn without_a_result_standard_error_has_the_reason() {
        let end = ProcessEnd {
            code: Some(1),
            signal: None,
            stderr: "Error: Authentication required. Please run 'agent login' first.\n",
        };
        let failure = outcome(&[], &end).answer.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Credentials);
        let result = r#"{"type":"result","subtype":"error","is_error":true,"result":"too many requests, retry after 9s"}"#;
        let failure = outcome(&[result], &ENDED).answer.unwrap_err();
        assert_eq!(
            failure.kind,
            FailureKind::RateLimit { retry_after: Some(std::time::Duration::from_secs(9)) }
        );
    }
}
