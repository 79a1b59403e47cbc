//! opencode: `run --format json`.
//!
//! What decides is the last step: `step_finish` with the reason `stop` and a text; an `error` event is a failure
//! whatever else there is. A step that ends for `tool-calls` is followed by another. While it waits to ask a
//! service again, opencode says nothing at all.
//!
//! Tokens and cost are those of one step, so they are added up. opencode prices what it does not know at nothing,
//! so a cost of nothing is no cost. The model has no name here.

use super::clean;
use super::complaint;
use super::event::Object;
use super::reader::{End, Reader};
use super::record::{Record, failure};
use super::usage::sum;
use crate::outcome::{Failure, FailureKind, Outcome};
use charrette_model::checkpoint::Usage;

/// What the error of a tool says that the seat does not have, in lower case.
const REFUSALS: [&str; 3] = ["permission", "rejected", "unavailable tool"];

/// A reader of opencode's events.
#[derive(Debug)]
pub(super) struct Opencode {
    record: Record,
    said: String,
    /// Whose words these are: the message, and the part of it that came last.
    message: Option<String>,
    part: Option<String>,
    /// Where the last part begins.
    part_at: usize,
    reason: Option<String>,
    error: Option<Failure>,
    usage: Option<Usage>,
    counted: Option<String>,
}

impl Opencode {
    pub(super) fn new(most: usize) -> Opencode {
        Opencode {
            record: Record::new(most),
            said: String::new(),
            message: None,
            part: None,
            part_at: 0,
            reason: None,
            error: None,
            usage: None,
            counted: None,
        }
    }
}

impl Reader for Opencode {
    fn line(&mut self, line: &[u8]) {
        let line = clean::line(line);
        let Some(event) = self.record.event(&line) else { return };
        self.record.session(event.text("sessionID"));
        let part = event.object("part");
        match (event.text("type").as_deref(), part) {
            (Some("step_start"), _) => self.reason = None,
            (Some("text"), Some(part)) => self.text(&part),
            (Some("tool_use"), Some(part)) => self.tool(&part),
            (Some("step_finish"), Some(part)) => self.step(&part),
            (Some("error"), _) => self.error = Some(error(&event)),
            _ => {}
        }
    }

    fn is_complete(&self) -> bool {
        self.error.is_none() && self.reason.as_deref() == Some("stop") && !self.said.trim().is_empty()
    }

    fn trouble(&self) -> Option<FailureKind> {
        self.record.is_flooded().then_some(FailureKind::Flood)
    }

    fn outcome(self: Box<Self>, end: &End<'_>) -> Outcome {
        let answer = match (self.error, self.reason.as_deref()) {
            (Some(error), _) => Err(error),
            (None, Some("stop")) if self.said.trim().is_empty() => {
                Err(failure(FailureKind::NoAnswer, "its answer is empty"))
            }
            (None, Some("stop")) => Ok(self.said),
            (None, Some("length")) => {
                Err(failure(FailureKind::Limit, "its answer was cut at a limit of length"))
            }
            (None, Some(reason)) => {
                Err(failure(FailureKind::NoAnswer, &format!("its last step ended for: {reason}")))
            }
            (None, None) => {
                let kind = complaint::kind(None, end.last_words()).unwrap_or(FailureKind::NoAnswer);
                Err(failure(kind, &format!("its last step did not end: {}", end.in_words())))
            }
        };
        let usage = self.usage.map(|usage| Usage { usd: usage.usd.filter(|usd| *usd > 0.0), ..usage });
        self.record.outcome(answer, usage, None)
    }
}

impl Opencode {
    /// The texts of one message belong together; a part that comes again is said anew.
    fn text(&mut self, part: &Object<'_>) {
        let (message, id) = (part.text("messageID"), part.text("id"));
        if message != self.message || message.is_none() {
            self.said.clear();
            self.part_at = 0;
        } else if id.is_some() && id == self.part {
            self.said.truncate(self.part_at);
        } else {
            self.record.append(&mut self.said, "\n");
            self.part_at = self.said.len();
        }
        (self.message, self.part) = (message, id);
        self.record.append(&mut self.said, &part.text("text").unwrap_or_default());
    }

    /// A tool that is not allowed is not offered: a call of it becomes one of the tool `invalid`.
    fn tool(&mut self, part: &Object<'_>) {
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

    fn step(&mut self, part: &Object<'_>) {
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
        self.usage = Some(self.usage.as_ref().map_or_else(|| step.clone(), |usage| sum(usage, &step)));
    }
}

fn error(event: &Object<'_>) -> Failure {
    let error = event.object("error");
    let name = error.as_ref().and_then(|error| error.text("name")).unwrap_or_default();
    let data = error.and_then(|error| error.object("data"));
    let data = data.as_ref();
    let status = data.and_then(|data| data.status("statusCode"));
    let message = data.and_then(|data| data.text("message")).unwrap_or_default();
    let retry_after = data
        .and_then(|data| data.object("responseHeaders"))
        .and_then(|headers| headers.text("retry-after"))
        .and_then(|wait| complaint::duration(&wait));
    let kind = match (name.as_str(), complaint::kind(status, &message)) {
        (_, Some(FailureKind::RateLimit { retry_after: said })) => {
            FailureKind::RateLimit { retry_after: retry_after.or(said) }
        }
        ("ProviderAuthError", _) => FailureKind::Credentials,
        ("MessageOutputLengthError" | "ContextOverflowError", _) => FailureKind::Limit,
        ("MessageAbortedError", _) => FailureKind::NoAnswer,
        (_, Some(kind)) => kind,
        (_, None) => FailureKind::Service { status },
    };
    let said = if message.trim().is_empty() { &name } else { &message };
    failure(kind, if said.trim().is_empty() { "it gave no reason" } else { said })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const ENDED: End<'static> = End { code: Some(0), signal: None, stderr: "" };

    fn outcome(lines: &[&str]) -> Outcome {
        let mut reader = Opencode::new(1000);
        for line in lines {
            reader.line(line.as_bytes());
        }
        Box::new(reader).outcome(&ENDED)
    }

    fn said(message: &str, id: &str, text: &str) -> String {
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
            said("m1", "a", "one"),
            said("m2", "b", "two"),
            said("m2", "c", "more"),
            said("m2", "c", "again"),
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
    fn errors_are_told_apart() {
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
