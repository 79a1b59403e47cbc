//! The answer of an endpoint, streamed or in one document.
//!
//! It is complete with a `finish_reason`; if a server never gives one, with the `[DONE]` of the stream. A
//! connection that just ends does not complete it.

use crate::outcome::{Failure, FailureKind, Outcome};
use crate::stream::event::Object;
use crate::stream::failure_text;
use crate::stream::output_record::{OutputRecord, failure};
use charrette_model::checkpoint::Usage;

/// Finish reasons of a complete answer.
const FINISHED: [&str; 5] = ["stop", "eos", "eos_token", "end_turn", "stop_sequence"];

/// An answer while it is received.
#[derive(Debug)]
pub(super) struct Completion {
    record: OutputRecord,
    text: String,
    reason: Option<String>,
    ended: bool,
    error: Option<Failure>,
    usage: Option<Usage>,
}

impl Completion {
    pub(super) fn new(max_bytes: usize) -> Completion {
        Completion {
            record: OutputRecord::new(max_bytes),
            text: String::new(),
            reason: None,
            ended: false,
            error: None,
            usage: None,
        }
    }

    /// Reads the data of one event. False if the answer ended with it.
    pub(super) fn read_event(&mut self, data: &str) -> bool {
        if data.trim() == "[DONE]" {
            self.ended = true;
            return false;
        }
        if let Some(chunk) = self.record.event(data) {
            self.read(&chunk, "delta");
        }
        self.error.is_none() && !self.record.exceeds_limit()
    }

    /// Reads the whole answer from one document.
    pub(super) fn read_document(&mut self, body: &str) {
        self.ended = true;
        if let Some(document) = self.record.event(body) {
            self.read(&document, "message");
        }
    }

    pub(super) fn exceeds_limit(&self) -> bool {
        self.record.exceeds_limit()
    }

    /// The outcome; `end` is the reason the response ended, for the message.
    pub(super) fn outcome(self, end: &str) -> Outcome {
        let answer = match (self.error, self.reason.as_deref()) {
            (Some(error), _) => Err(error),
            (None, Some("length")) => Err(failure(
                FailureKind::Limit,
                "answer truncated at the model's output limit (finish_reason: length)",
            )),
            (None, Some(reason)) if !FINISHED.contains(&reason) => {
                Err(failure(FailureKind::NoAnswer, &format!("stopped before it answered: {reason}")))
            }
            (None, None) if !self.ended => {
                Err(failure(FailureKind::NoAnswer, &format!("its answer broke off: {end}")))
            }
            (None, _) if self.text.trim().is_empty() => {
                Err(failure(FailureKind::NoAnswer, "its answer is empty"))
            }
            (None, _) => Ok(self.text),
        };
        self.record.outcome(answer, self.usage, None)
    }

    fn read(&mut self, chunk: &Object<'_>, part: &str) {
        if chunk.raw("error").is_some_and(|error| error != "null") {
            let (status, message) = error_message(chunk);
            let kind = failure_text::classify(status, &message).unwrap_or(FailureKind::Service { status });
            self.error = Some(failure(kind, &message));
            return;
        }
        self.record.model(chunk.text("model"));
        if let Some(usage) = chunk.object("usage") {
            self.usage = Some(parse_usage(&usage));
        }
        let Some(choice) = chunk.objects("choices").into_iter().next() else { return };
        if let Some(text) = choice.object(part).and_then(|part| part.text("content")) {
            self.record.append(&mut self.text, &text);
        }
        self.reason = choice.text("finish_reason").or(self.reason.take());
    }
}

/// The status, if there is one, and the message of an error, in any of the forms that servers use.
pub(super) fn error_message(document: &Object<'_>) -> (Option<u16>, String) {
    let error = document.object("error");
    let status = error.as_ref().and_then(|error| error.status("code")).filter(|status| *status >= 400);
    let message = error
        .and_then(|error| error.text("message"))
        .or_else(|| document.text("error"))
        .or_else(|| document.text("message"))
        .or_else(|| document.text("detail"));
    (status, message.unwrap_or_else(|| "it gave no reason".to_owned()))
}

fn parse_usage(usage: &Object<'_>) -> Usage {
    let count = |name| usage.count(name).unwrap_or_default();
    let cached = usage.object("prompt_tokens_details").and_then(|details| details.count("cached_tokens"));
    Usage {
        input: count("prompt_tokens"),
        output: count("completion_tokens"),
        cached: cached.unwrap_or_default(),
        usd: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_finished_answer_is_accepted() {
        let delta = |text: &str, reason: &str| {
            format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}},"finish_reason":{reason}}}]}}"#)
        };
        let (one, two) = (delta("one ", "null"), delta("two", "null"));
        let finished =
            |reason: &str| format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#);
        let (stop, length, filter) = (finished("stop"), finished("length"), finished("content_filter"));
        let cases: &[(&[&str], Result<&str, FailureKind>)] = &[
            (&[&one, &two, &stop, "[DONE]"], Ok("one two")),
            (&[&one, &two, &stop], Ok("one two")),
            (&[&one, &two, "[DONE]"], Ok("one two")),
            (&[&one, &two], Err(FailureKind::NoAnswer)),
            (&[&one, &length, "[DONE]"], Err(FailureKind::Limit)),
            (&[&one, &filter, "[DONE]"], Err(FailureKind::NoAnswer)),
            (&[&stop, "[DONE]"], Err(FailureKind::NoAnswer)),
            (&["[DONE]"], Err(FailureKind::NoAnswer)),
            (
                &[&one, r#"{"error":{"message":"boom","code":500}}"#],
                Err(FailureKind::Service { status: Some(500) }),
            ),
            (&[&one, r#"{"error":"boom"}"#], Err(FailureKind::Service { status: None })),
            (&[&one, "not JSON", "[1]", r#"{"choices":3}"#, r#"{"error":null}"#, &two, &stop], Ok("one two")),
        ];
        for (events, expected) in cases {
            let mut answer = Completion::new(1000);
            let _ = events.iter().take_while(|event| answer.read_event(event)).count();
            let outcome = answer.outcome("x");
            assert_eq!(outcome.answer.as_deref().map_err(|failure| failure.kind), *expected, "{events:?}");
        }
    }

    #[test]
    fn usage_and_model_are_reported() {
        let mut answer = Completion::new(1000);
        answer.read_event(
            r#"{"model":"m-1","choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],"usage":null}"#,
        );
        answer.read_event(r#"{"model":"m-1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":20}}}"#);
        let outcome = answer.outcome("");
        assert_eq!(outcome.usage, Some(Usage { input: 100, output: 7, cached: 20, usd: None }));
        assert_eq!(outcome.model.as_deref(), Some("m-1"));
    }
}
