//! Cursor's agent: `--output-format stream-json`, and the lone result of `--output-format json`.
//!
//! Its lines are like Claude Code's. What decides is the last `result`: `is_error` and a text. If a call fails,
//! there is no result and the reason stands on standard error. The client may not exit after it has answered.
//!
//! The text of the result is everything the agent said, run together. What it said after its last tool call is
//! the answer; the rest is what it said while it worked.

use super::clean;
use super::complaint;
use super::event::Object;
use super::reader::{End, Reader};
use super::record::{Record, failure};
use crate::outcome::{Failure, FailureKind, Outcome};
use charrette_model::checkpoint::Usage;

/// A reader of Cursor's events.
#[derive(Debug)]
pub(super) struct Cursor {
    record: Record,
    /// What the agent said since its last tool call.
    said: String,
    answer: Option<Result<String, Failure>>,
    usage: Option<Usage>,
}

impl Cursor {
    pub(super) fn new(most: usize) -> Cursor {
        Cursor { record: Record::new(most), said: String::new(), answer: None, usage: None }
    }
}

impl Reader for Cursor {
    fn line(&mut self, line: &[u8]) {
        let line = clean::line(line);
        let Some(event) = self.record.event(&line) else { return };
        self.record.session(event.text("session_id"));
        match event.text("type").as_deref() {
            Some("system") => {
                self.record.model(event.text("model"));
                self.works_on();
            }
            Some("user") => self.works_on(),
            Some("assistant") => {
                self.answer = None;
                for part in
                    event.object("message").map(|message| message.objects("content")).unwrap_or_default()
                {
                    self.record.append(&mut self.said, &part.text("text").unwrap_or_default());
                }
            }
            Some("tool_call") => {
                self.works_on();
                self.tool(&event);
            }
            Some("result") => self.result(&event),
            _ => {}
        }
    }

    fn is_complete(&self) -> bool {
        self.answer.is_some()
    }

    fn trouble(&self) -> Option<FailureKind> {
        self.record.is_flooded().then_some(FailureKind::Flood)
    }

    fn outcome(self: Box<Self>, end: &End<'_>) -> Outcome {
        let answer = self.answer.unwrap_or_else(|| {
            let kind = complaint::kind(None, end.last_words()).unwrap_or(FailureKind::NoAnswer);
            Err(failure(kind, &format!("no result: {}", end.in_words())))
        });
        self.record.outcome(answer, self.usage, None)
    }
}

impl Cursor {
    fn works_on(&mut self) {
        self.said.clear();
        self.answer = None;
    }

    /// A tool that was refused has a result named so, such as `{"writeToolCall":{"result":{"rejected":{…}}}}`.
    fn tool(&mut self, event: &Object<'_>) {
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

    fn result(&mut self, event: &Object<'_>) {
        let mut text = String::new();
        self.record.append(&mut text, &event.text("result").unwrap_or_default());
        let is_error = event.flag("is_error") != Some(false);
        let is_success = event.text("subtype").is_none_or(|subtype| subtype == "success");
        self.answer = Some(if is_error || !is_success {
            let kind = complaint::kind(None, &text).unwrap_or(FailureKind::Service { status: None });
            Err(failure(kind, if text.trim().is_empty() { "it gave no reason" } else { &text }))
        } else if !self.said.trim().is_empty() && text.ends_with(self.said.as_str()) {
            Ok(std::mem::take(&mut self.said))
        } else {
            Ok(text)
        });
        self.said = String::new();
        if let Some(usage) = event.object("usage") {
            self.usage = Some(counted(&usage));
        }
    }
}

/// Reads and writes of the cache are counted beside the input, as Claude Code does.
fn counted(usage: &Object<'_>) -> Usage {
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

    const ENDED: End<'static> = End { code: Some(0), signal: None, stderr: "" };

    fn outcome(lines: &[&str], end: &End<'_>) -> Outcome {
        let mut reader = Cursor::new(1000);
        for line in lines {
            reader.line(line.as_bytes());
        }
        Box::new(reader).outcome(end)
    }

    #[test]
    fn the_answer_is_what_was_said_after_the_last_tool_call() {
        let said = |text: &str| {
            format!(r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#)
        };
        let (first, last) = (said("I look."), said("Done."));
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
    fn without_a_result_standard_error_says_why() {
        let end = End {
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
