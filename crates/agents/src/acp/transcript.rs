//! Messages, tool calls and usage of an agent while it works on the prompt.

use crate::stream::event::Object;
use crate::stream::output_record::OutputRecord;
use crate::stream::usage::round_usd;
use charrette_model::checkpoint::Usage;

/// Maximum number of tool calls that are remembered.
const MAX_TOOLS: usize = 256;

#[derive(Debug)]
pub(super) struct Transcript {
    pub(super) record: OutputRecord,
    /// The last message.
    text: String,
    /// True if the next chunk starts another message: a tool was used in between.
    starts_message: bool,
    /// False before the prompt: messages are history then.
    is_answering: bool,
    has_refusal: bool,
    /// Ids and kinds.
    tools: Vec<(String, String)>,
    context: Option<u64>,
    cost: Option<f64>,
    cost_before: Option<f64>,
}

impl Transcript {
    pub(super) fn new(max_bytes: usize) -> Transcript {
        Transcript {
            record: OutputRecord::new(max_bytes),
            text: String::new(),
            starts_message: false,
            is_answering: false,
            has_refusal: false,
            tools: Vec::new(),
            context: None,
            cost: None,
            cost_before: None,
        }
    }

    /// Starts the answer: the prompt is sent. Without the earlier cost of a session, the cost of the call is
    /// unknown.
    pub(super) fn start_answer(&mut self, is_new: bool) {
        self.is_answering = true;
        self.cost_before = self.cost.take().or(is_new.then_some(0.0));
    }

    /// Reads the `update` of a `session/update`.
    pub(super) fn update(&mut self, update: &Object<'_>) {
        match update.text("sessionUpdate").as_deref() {
            Some("agent_message_chunk") if self.is_answering => self.read_message(update),
            Some("tool_call" | "tool_call_update") => self.read_tool_call(update),
            Some("usage_update") => {
                self.context = update.count("used").or(self.context);
                let cost = update.object("cost").filter(|cost| cost.is("currency", "USD"));
                self.cost = cost.and_then(|cost| cost.number("amount")).or(self.cost);
            }
            _ => {}
        }
    }

    /// Kind of a tool call that was announced before.
    pub(super) fn tool_kind(&self, tool: &str) -> Option<&str> {
        self.tools.iter().find(|(id, _)| id == tool).map(|(_, kind)| kind.as_str())
    }

    /// Records a refused tool. Messages before it are no answer: the agent may give up here.
    pub(super) fn record_refusal(&mut self, tool: Option<String>, what: &str) {
        self.has_refusal = true;
        self.record.deny(tool, what);
        self.text.clear();
    }

    pub(super) fn has_refusal(&self) -> bool {
        self.has_refusal
    }

    /// Makes the next chunk start another message.
    pub(super) fn end_message(&mut self) {
        self.starts_message = true;
    }

    /// The answer so far.
    pub(super) fn take_answer(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Usage of the prompt, from its response and from updates.
    pub(super) fn usage(&self, response: &Object<'_>) -> Option<Usage> {
        let usage = response.object("usage").map(|usage| parse_usage(&usage));
        let usage = usage.or_else(|| parse_quota(response));
        // Without a count, at least the context was read.
        let usage = usage.or_else(|| self.context.map(|input| Usage { input, ..Usage::default() }));
        let usd = self.cost.zip(self.cost_before).map(|(now, before)| round_usd(now - before).max(0.0));
        match usage {
            Some(usage) => Some(Usage { usd, ..usage }),
            None => usd.map(|usd| Usage { usd: Some(usd), ..Usage::default() }),
        }
    }

    fn read_message(&mut self, update: &Object<'_>) {
        let text = update.object("content").and_then(|content| content.text("text")).unwrap_or_default();
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.starts_message) {
            self.text.clear();
        }
        self.record.append(&mut self.text, &text);
    }

    fn read_tool_call(&mut self, update: &Object<'_>) {
        self.starts_message = true;
        let (Some(id), Some(kind)) = (update.text("toolCallId"), update.text("kind")) else { return };
        if let Some((_, known)) = self.tools.iter_mut().find(|(known, _)| *known == id) {
            *known = kind;
        } else if self.tools.len() < MAX_TOOLS && id.len() + kind.len() <= 512 {
            self.tools.push((id, kind));
        }
    }
}

/// Parses the usage of a turn. The cached part is in the input or beside it, which the total tells.
fn parse_usage(usage: &Object<'_>) -> Usage {
    let count = |name| usage.count(name).unwrap_or_default();
    let (input, output, thought) = (count("inputTokens"), count("outputTokens"), count("thoughtTokens"));
    let cached = count("cachedReadTokens");
    let all_read = match usage.count("totalTokens") {
        Some(total) => total.saturating_sub(output).saturating_sub(thought),
        None => input.saturating_add(cached).saturating_add(count("cachedWriteTokens")),
    };
    Usage { input: all_read.max(input), output: output.saturating_add(thought), cached, usd: None }
}

/// Parses the usage as Gemini CLI reports it.
fn parse_quota(response: &Object<'_>) -> Option<Usage> {
    let tokens = response.object("_meta")?.object("quota")?.object("token_count")?;
    let count = |name| tokens.count(name).unwrap_or_default();
    Some(Usage { input: count("input_tokens"), output: count("output_tokens"), cached: 0, usd: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transcript(updates: &[&str]) -> Transcript {
        let mut transcript = Transcript::new(1000);
        for update in updates {
            match *update {
                "LISTEN" => transcript.start_answer(true),
                "RESUME" => transcript.start_answer(false),
                "REFUSE" => transcript.record_refusal(None, "edit"),
                update => transcript.update(&Object::parse(update).unwrap()),
            }
        }
        transcript
    }

    #[test]
    fn the_answer_is_the_last_message_after_any_refusal() {
        let message_event = |text: &str| {
            format!(
                r#"{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}"#
            )
        };
        let (one, two, three) = (message_event("one "), message_event("two "), message_event("three"));
        let tool = r#"{"sessionUpdate":"tool_call","toolCallId":"t","kind":"read"}"#;
        let thought = r#"{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hmm"}}"#;
        let cases: &[(&[&str], &str)] = &[
            (&["LISTEN", &one, &two, &three], "one two three"),
            (&[&one, "LISTEN", &two], "two "),
            (&["LISTEN", &one, tool, thought, &two, &three], "two three"),
            (&["LISTEN", &one, tool], "one "),
            (&["LISTEN", &one, tool, "REFUSE"], ""),
            (&["LISTEN", &one, tool, "REFUSE", &two], "two "),
        ];
        for (updates, answer) in cases {
            assert_eq!(transcript(updates).take_answer(), *answer, "{updates:?}");
        }
    }

    #[test]
    fn usage_is_parsed_in_all_forms() {
        let cost = |amount: f64| {
            format!(
                r#"{{"sessionUpdate":"usage_update","used":500,"size":1000,"cost":{{"amount":{amount},"currency":"USD"}}}}"#
            )
        };
        let (before, after) = (cost(0.25), cost(1.0));
        let credits = r#"{"sessionUpdate":"usage_update","used":500,"size":1000,"cost":{"amount":3,"currency":"credits"}}"#;
        let usage = |input, output, cached, usd| Some(Usage { input, output, cached, usd });
        let opencode =
            r#"{"usage":{"inputTokens":80,"outputTokens":7,"totalTokens":107,"cachedReadTokens":20}}"#;
        let within =
            r#"{"usage":{"inputTokens":100,"outputTokens":7,"totalTokens":107,"cachedReadTokens":20}}"#;
        let thinking =
            r#"{"usage":{"inputTokens":100,"outputTokens":7,"thoughtTokens":3,"totalTokens":110}}"#;
        let no_total =
            r#"{"usage":{"inputTokens":80,"outputTokens":7,"cachedReadTokens":20,"cachedWriteTokens":1}}"#;
        let gemini = r#"{"_meta":{"quota":{"token_count":{"input_tokens":200,"output_tokens":14}}}}"#;
        let cases: &[(&[&str], &str, Option<Usage>)] = &[
            (&["LISTEN"], opencode, usage(100, 7, 20, None)),
            (&["LISTEN"], within, usage(100, 7, 20, None)),
            (&["LISTEN"], thinking, usage(100, 10, 0, None)),
            (&["LISTEN"], no_total, usage(101, 7, 20, None)),
            (&["LISTEN"], gemini, usage(200, 14, 0, None)),
            (&["LISTEN", &after], opencode, usage(100, 7, 20, Some(1.0))),
            (&["LISTEN", &before, &after], "{}", usage(500, 0, 0, Some(1.0))),
            (&[&before, "RESUME", &after], opencode, usage(100, 7, 20, Some(0.75))),
            (&["RESUME", &after], opencode, usage(100, 7, 20, None)),
            (&["LISTEN", credits], opencode, usage(100, 7, 20, None)),
            (&["LISTEN"], "{}", None),
        ];
        for (updates, response, used) in cases {
            let response = Object::parse(response).unwrap();
            assert_eq!(transcript(updates).usage(&response), *used, "{updates:?}");
        }
    }

    #[test]
    fn a_tool_keeps_the_kind_it_was_announced_with() {
        let announced = r#"{"sessionUpdate":"tool_call","toolCallId":"t","kind":"read"}"#;
        let changed = r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","kind":"edit"}"#;
        let without_kind = r#"{"sessionUpdate":"tool_call_update","toolCallId":"t"}"#;
        assert_eq!(transcript(&[announced, without_kind]).tool_kind("t"), Some("read"));
        assert_eq!(transcript(&[announced, changed]).tool_kind("t"), Some("edit"));
        assert_eq!(transcript(&[announced]).tool_kind("u"), None);
    }
}
