//! What an agent says and does while it works on the prompt.

use crate::stream::event::Object;
use crate::stream::record::Record;
use crate::stream::usage::to_nano;
use charrette_model::checkpoint::Usage;

/// How many tool calls are remembered.
const MOST_TOOLS: usize = 256;

/// What was said so far.
#[derive(Debug)]
pub(super) struct Transcript {
    pub(super) record: Record,
    said: String,
    /// The next thing said is another one: a tool was used in between.
    turned: bool,
    /// What is said before the prompt is history, or talk about settings.
    listening: bool,
    refused: bool,
    tools: Vec<(String, String)>,
    context: Option<u64>,
    cost: Option<f64>,
    cost_before: Option<f64>,
}

impl Transcript {
    pub(super) fn new(most: usize) -> Transcript {
        Transcript {
            record: Record::new(most),
            said: String::new(),
            turned: false,
            listening: false,
            refused: false,
            tools: Vec::new(),
            context: None,
            cost: None,
            cost_before: None,
        }
    }

    /// From here on, what is said is the answer. A session of which the cost so far is unknown has no price.
    pub(super) fn listen(&mut self, is_new: bool) {
        self.listening = true;
        self.cost_before = self.cost.take().or(is_new.then_some(0.0));
    }

    /// Reads the `update` of a `session/update`.
    pub(super) fn update(&mut self, update: &Object<'_>) {
        match update.text("sessionUpdate").as_deref() {
            Some("agent_message_chunk") if self.listening => self.message(update),
            Some("tool_call" | "tool_call_update") => self.tool(update),
            Some("usage_update") => {
                self.context = update.count("used").or(self.context);
                let cost = update.object("cost").filter(|cost| cost.is("currency", "USD"));
                self.cost = cost.and_then(|cost| cost.number("amount")).or(self.cost);
            }
            _ => {}
        }
    }

    /// The kind of a tool that was announced before.
    pub(super) fn kind_of(&self, tool: &str) -> Option<&str> {
        self.tools.iter().find(|(id, _)| id == tool).map(|(_, kind)| kind.as_str())
    }

    /// A tool was refused. What was said before is no answer: the agent may give up here.
    pub(super) fn refused(&mut self, tool: Option<String>, what: &str) {
        self.refused = true;
        self.record.deny(tool, what);
        self.said.clear();
    }

    /// Whether anything was refused.
    pub(super) fn was_refused(&self) -> bool {
        self.refused
    }

    /// The next thing said is another one.
    pub(super) fn turn(&mut self) {
        self.turned = true;
    }

    /// The answer, as far as it was given.
    pub(super) fn answer(&mut self) -> String {
        std::mem::take(&mut self.said)
    }

    /// What the round used, by what its last response says and what was told meanwhile.
    pub(super) fn usage(&self, response: &Object<'_>) -> Option<Usage> {
        let counted = response.object("usage").map(|usage| counted(&usage));
        let counted = counted.or_else(|| quota(response));
        // Only what is in the context is known: at least that was read.
        let counted = counted.or_else(|| self.context.map(|input| Usage { input, ..Usage::default() }));
        let usd = self.cost.zip(self.cost_before).map(|(now, before)| to_nano(now - before).max(0.0));
        match counted {
            Some(usage) => Some(Usage { usd, ..usage }),
            None => usd.map(|usd| Usage { usd: Some(usd), ..Usage::default() }),
        }
    }

    fn message(&mut self, update: &Object<'_>) {
        let text = update.object("content").and_then(|content| content.text("text")).unwrap_or_default();
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.turned) {
            self.said.clear();
        }
        self.record.append(&mut self.said, &text);
    }

    fn tool(&mut self, update: &Object<'_>) {
        self.turned = true;
        let (Some(id), Some(kind)) = (update.text("toolCallId"), update.text("kind")) else { return };
        if let Some((_, known)) = self.tools.iter_mut().find(|(known, _)| *known == id) {
            *known = kind;
        } else if self.tools.len() < MOST_TOOLS && id.len() + kind.len() <= 512 {
            self.tools.push((id, kind));
        }
    }
}

/// The usage of a turn. Some count what came from a cache beside the input, some within it; the total tells.
fn counted(usage: &Object<'_>) -> Usage {
    let count = |name| usage.count(name).unwrap_or_default();
    let (input, output, thought) = (count("inputTokens"), count("outputTokens"), count("thoughtTokens"));
    let cached = count("cachedReadTokens");
    let all_read = match usage.count("totalTokens") {
        Some(total) => total.saturating_sub(output).saturating_sub(thought),
        None => input.saturating_add(cached).saturating_add(count("cachedWriteTokens")),
    };
    Usage { input: all_read.max(input), output: output.saturating_add(thought), cached, usd: None }
}

/// The same, as Gemini CLI says it.
fn quota(response: &Object<'_>) -> Option<Usage> {
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
                "LISTEN" => transcript.listen(true),
                "RESUME" => transcript.listen(false),
                "REFUSE" => transcript.refused(None, "edit"),
                update => transcript.update(&Object::parse(update).unwrap()),
            }
        }
        transcript
    }

    #[test]
    fn the_answer_is_what_was_said_last_and_not_before_a_refusal() {
        let said = |text: &str| {
            format!(
                r#"{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}"#
            )
        };
        let (one, two, three) = (said("one "), said("two "), said("three"));
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
            assert_eq!(transcript(updates).answer(), *answer, "{updates:?}");
        }
    }

    #[test]
    fn usage_is_counted_however_it_is_told() {
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
        let unsaid = r#"{"sessionUpdate":"tool_call_update","toolCallId":"t"}"#;
        assert_eq!(transcript(&[announced, unsaid]).kind_of("t"), Some("read"));
        assert_eq!(transcript(&[announced, changed]).kind_of("t"), Some("edit"));
        assert_eq!(transcript(&[announced]).kind_of("u"), None);
    }
}
