//! Parser of opencode: `run --format json`.
//!
//! The last step decides: `step_finish` with the reason `stop` and a text; an `error` event is always a
//! failure. A step that ends for `tool-calls` is followed by another. Retries are not reported at all.
//!
//! Tokens and cost are those of one step, so they are added up. The cost of an unknown model is 0, so 0 counts as
//! unknown. There is no model name.

use super::clean;
use super::event::Object;
use super::failure_text;
use super::output_record::{OutputRecord, failure};
use super::reader::{OutputReader, ProcessEnd};
use super::usage::add_usage;
use crate::outcome::{Failure, FailureKind, Outcome};
use charrette_model::checkpoint::Usage;

/// Phrases in the error of a tool that the seat must not use, in lower case.
const REFUSALS: [&str; 3] = ["permission", "rejected", "unavailable tool"];

#[derive(Debug)]
pub(super) struct OpencodeReader {
    record: OutputRecord,
    text: String,
    /// Ids of the message that `text` belongs to, and of its last part.
    message: Option<String>,
    part: Option<String>,
    /// Offset of the last part in `text`.
    part_start: usize,
    reason: Option<String>,
    error: Option<Failure>,
    usage: Option<Usage>,
    /// Id of the last step whose usage was added.
    counted: Option<String>,
}

impl OpencodeReader {
    pub(super) fn new(max_bytes: usize) -> OpencodeReader {
        OpencodeReader {
            record: OutputRecord::new(max_bytes),
            text: String::new(),
            message: None,
            part: None,
            part_start: 0,
            reason: None,
            error: None,
            usage: None,
            counted: None,
        }
    }
}

impl OutputReader for OpencodeReader {
    fn read_line(&mut self, line: &[u8]) {
        let line = clean::line(line);
        let Some(event) = self.record.event(&line) else { return };
        self.record.session(event.text("sessionID"));
        let part = event.object("part");
        match (event.text("type").as_deref(), part) {
            (Some("step_start"), _) => self.reason = None,
            (Some("text"), Some(part)) => self.read_text(&part),
            (Some("tool_use"), Some(part)) => self.read_tool_call(&part),
            (Some("step_finish"), Some(part)) => self.read_step_finish(&part),
            (Some("error"), _) => self.error = Some(read_error(&event)),
            _ => {}
        }
    }

    fn is_complete(&self) -> bool {
        self.error.is_none() && self.reason.as_deref() == Some("stop") && !self.text.trim().is_empty()
    }

    fn pending_failure(&self) -> Option<FailureKind> {
        self.record.exceeds_limit().then_some(FailureKind::OutputLimit)
    }

    fn outcome(self: Box<Self>, end: &ProcessEnd<'_>) -> Outcome {
        let answer = match (self.error, self.reason.as_deref()) {
            (Some(error), _) => Err(error),
            (None, Some("stop")) if self.text.trim().is_empty() => {
                Err(failure(FailureKind::NoAnswer, "its answer is empty"))
            }
            (None, Some("stop")) => Ok(self.text),
            (None, Some("length")) => Err(failure(
                FailureKind::Limit,
                "answer truncated at the model's output limit (reason: length)",
            )),
            (None, Some(reason)) => {
                Err(failure(FailureKind::NoAnswer, &format!("its last step ended for: {reason}")))
            }
            (None, None) => {
                let kind =
                    failure_text::classify(None, end.last_stderr_line()).unwrap_or(FailureKind::NoAnswer);
                Err(failure(kind, &format!("its last step did not end: {}", end.describe())))
            }
        };
        let usage = self.usage.map(|usage| Usage { usd: usage.usd.filter(|usd| *usd > 0.0), ..usage });
        self.record.outcome(answer, usage, None)
    }
}

impl OpencodeReader {
    /// The texts of one message belong together; a part that is repeated replaces its earlier text.
    fn read_text(&mut self, part: &Object<'_>) {
        let (message, id) = (part.text("messageID"), part.text("id"));
        if message != self.message || message.is_none() {
            self.text.clear();
            self.part_start = 0;
        } else if id.is_some() && id == self.part {
            self.text.truncate(self.part_start);
        } else {
            self.record.append(&mut self.text, "\n");
            self.part_start = self.text.len();
        }
        (self.message, self.part) = (message, id);
        self.record.append(&mut self.text, &part.text("text").unwrap_or_default());
    }

    /// A call of a tool that is not offered becomes a call of the tool `invalid`.
    fn read_tool_call(&mut self, part: &Object<'_>) {
        let Some(state) = part.object("state") else { return };
        let error = state.text("error").unwrap_or_default().to_lowercase();
        let refused = state.is("status", "error") && REFUSALS.iter().any(|refusal| error.contains(refusal));
        let input = state.object("input");
        let tried =
            input.filter(|input| input.text("error").unwrap_or_default().contains("unavailable tool"));
        let tried = tried.and_then(|input| input.text("tool"));
        if refused || tried.is_some() {
            let tool = tried.or_else(|| part.text("tool")).unwrap_or_default();
            self.record.deny(part.text("callID"), &tool);
        }
    }

    fn read_step_finish(&mut self, part: &Object<'_>) {
        self.reason = Some(part.text("reason").unwrap_or_else(|| "no reason".to_owned()));
        let id = part.text("id");
        if id.is_some() && id == self.counted {
            return;
        }
        self.counted = id;
        let Some(tokens) = part.object("tokens") else { return };
        let cache = tokens.object("cache");
        let of_cache = |name| cache.as_ref().and_then(|cache| cache.count(name)).unwrap_or_default();
        let count = |name| tokens.count(name).unwrap_or_default();
        let cached = of_cache("read");
        let step = Usage {
            input: count("input").saturating_add(cached).saturating_add(of_cache("write")),
            output: count("output").saturating_add(count("reasoning")),
            cached,
            usd: part.number("cost").filter(|usd| *usd >= 0.0),
        };
        self.usage = Some(self.usage.as_ref().map_or_else(|| step.clone(), |usage| add_usage(usage, &step)));
    }
}

fn read_error(event: &Object<'_>) -> Failure {
    let error = event.object("error");
    let name = error.as_ref().and_then(|error| error.text("name")).unwrap_or_default();
    let data = error.and_then(|error| error.object("data"));
    let data = data.as_ref();
    let status = data.and_then(|data| data.status("statusCode"));
    let message = data.and_then(|data| data.text("message")).unwrap_or_default();
    let retry_after = data
        .and_then(|data| data.object("responseHeaders"))
        .and_then(|headers| headers.text("retry-after"))
        .and_then(|wait| failure_text::parse_duration(&wait));
    let kind = match (name.as_str(), failure_text::classify(status, &message)) {
        (_, Some(FailureKind::RateLimit { retry_after: in_text })) => {
            FailureKind::RateLimit { retry_after: retry_after.or(in_text) }
        }
        ("ProviderAuthError", _) => FailureKind::Credentials,
        ("MessageOutputLengthError" | "ContextOverflowError", _) => FailureKind::Limit,
        ("MessageAbortedError", _) => FailureKind::NoAnswer,
        (_, Some(kind)) => kind,
        (_, None) => FailureKind::Service { status },
    };
    let text = if message.trim().is_empty() { &name } else { &message };
    failure(kind, if text.trim().is_empty() { "it gave no reason" } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const ENDED: ProcessEnd<'static> = ProcessEnd { code: Some(0), signal: None, stderr: "" };

    fn outcome(lines: &[&str]) -> Outcome {
        let mut reader = OpencodeReader::new(1000);
        for line in lines {
            reader.read_line(line.as_bytes());
        }
        Box::new(reader).outcome(&ENDED)
    }

    fn text_event(message: &str, id: &str, text: &str) -> String {
        format!(r#"{{"type":"text","part":{{"messageID":"{message}","id":"{id}","text":"{text}"}}}}"#)
    }

    fn finish(id: &str, reason: &str, cost: &str) -> String {
        format!(
            r#"{{"type":"step_finish","part":{{"id":"{id}","reason":"{reason}","tokens":{{"input":10,"output":2,"reasoning":1,"cache":{{"read":5,"write":1}}}},"cost":{cost}}}}}"#
        )
    }

    const START: &str = r#"{"type":"step_start","part":{}}"#;

    #[test]
    fn the_answer_is_the_text_of_the_last_message_and_its_step_must_stop() {
        let (one, two, more, again) = (
            text_event("m1", "a", "one"),
            text_event("m2", "b", "two"),
            text_event("m2", "c", "more"),
            text_event("m2", "c", "again"),
        );
        let (stop, calls, length) =
            (finish("s", "stop", "0"), finish("t", "tool-calls", "0"), finish("u", "length", "0"));
        let error = r#"{"type":"error","error":{"name":"UnknownError","data":{"message":"x"}}}"#;
        let cases: &[(&[&str], Result<&str, FailureKind>)] = &[
            (&[START, &one, &calls, START, &two, &more, &stop], Ok("two\nmore")),
            (&[START, &two, &more, &again, &stop], Ok("two\nagain")),
            (&[START, &one, &calls], Err(FailureKind::NoAnswer)),
            (&[START, &one, &stop, START], Err(FailureKind::NoAnswer)),
            (&[START, &one, &length], Err(FailureKind::Limit)),
            (&[START, &stop], Err(FailureKind::NoAnswer)),
            (&[START, &one, &stop, error], Err(FailureKind::Service { status: None })),
            (&[], Err(FailureKind::NoAnswer)),
        ];
        for (lines, expected) in cases {
            let answer = outcome(lines).answer;
            assert_eq!(answer.as_deref().map_err(|failure| failure.kind), *expected, "{lines:?}");
        }
    }

    #[test]
    fn steps_are_added_up_and_a_price_of_nothing_is_none() {
        let (one, two) = (finish("s", "tool-calls", "0.25"), finish("t", "stop", "0.5"));
        let usage = outcome(&[&one, &two, &two]).usage;
        assert_eq!(usage, Some(Usage { input: 32, output: 6, cached: 10, usd: Some(0.75) }));
        assert_eq!(outcome(&[&finish("s", "stop", "0")]).usage.unwrap().usd, None);
        assert_eq!(outcome(&[&finish("s", "stop", "null")]).usage.unwrap().usd, None);
    }

    #[test]
    fn errors_are_classified() {
        let error = |name: &str, data: &str| {
            format!(r#"{{"type":"error","error":{{"name":"{name}","data":{data}}}}}"#)
        };
        let cases = [
            (
                error(
                    "APIError",
                    r#"{"message":"slow","statusCode":429,"responseHeaders":{"retry-after":"12"}}"#,
                ),
                FailureKind::RateLimit { retry_after: Some(Duration::from_secs(12)) },
            ),
            (error("APIError", r#"{"message":"no","statusCode":401}"#), FailureKind::Credentials),
            (error("ProviderAuthError", r#"{"message":"no"}"#), FailureKind::Credentials),
            (error("MessageOutputLengthError", "{}"), FailureKind::Limit),
            (
                error("APIError", r#"{"message":"no","statusCode":503}"#),
                FailureKind::Service { status: Some(503) },
            ),
            (r#"{"type":"error"}"#.to_owned(), FailureKind::Service { status: None }),
        ];
        for (line, kind) in cases {
            assert_eq!(outcome(&[&line]).answer.unwrap_err().kind, kind, "{line}");
        }
    }

    #[test]
    fn a_tool_that_is_not_there_is_denied() {
        let tried = r#"{"type":"tool_use","part":{"tool":"write","callID":"c","state":{"status":"error","error":"Model tried to call unavailable tool 'write'."}}}"#;
        assert_eq!(outcome(&[tried]).denied, ["write"]);
    }

    #[test]
    fn a_refused_tool_is_denied() {
        let refused = r#"{"type":"tool_use","part":{"tool":"write","callID":"c","state":{"status":"error","error":"The user rejected permission to use this specific tool call."}}}"#;
        assert_eq!(outcome(&[refused]).denied, ["write"]);
    }
}
