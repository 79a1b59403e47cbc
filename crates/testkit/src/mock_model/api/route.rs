//! API of a route, and the types and helpers the APIs share.

use super::{anthropic, chat, gemini, responses};
use crate::mock_model::script::{ScriptedError, Turn};
use serde_json::Value;

/// A model API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mock_model) enum Api {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

/// A parsed request, the same for every API.
#[derive(Debug, Default)]
pub(in crate::mock_model) struct ModelRequest {
    pub(in crate::mock_model) model: String,
    pub(in crate::mock_model) stream: bool,
    /// Names of the offered tools.
    pub(in crate::mock_model) tools: Vec<String>,
    /// Number of assistant turns so far.
    pub(in crate::mock_model) history: usize,
    /// All text by the user and the tools.
    pub(in crate::mock_model) user_text: String,
    /// Last text by the user or a tool.
    pub(in crate::mock_model) last: String,
    /// Last text that names a task: a continued session has earlier ones.
    pub(in crate::mock_model) task_text: String,
}

/// A reply, as stream events and as a whole.
#[derive(Debug)]
pub(in crate::mock_model) struct Reply {
    pub(in crate::mock_model) events: Vec<Event>,
    pub(in crate::mock_model) whole: Value,
}

/// One event of a stream.
#[derive(Debug)]
pub(in crate::mock_model) struct Event {
    pub(in crate::mock_model) name: Option<&'static str>,
    pub(in crate::mock_model) data: String,
}

impl Api {
    /// API that serves this route.
    pub(in crate::mock_model) fn from_route(route: &str) -> Option<Api> {
        match route {
            _ if route.ends_with("/messages") => Some(Api::Anthropic),
            _ if route.ends_with("/responses") => Some(Api::Responses),
            _ if route.ends_with("/chat/completions") => Some(Api::Chat),
            _ if route.ends_with(":generateContent") || route.ends_with(":streamGenerateContent") => {
                Some(Api::Gemini)
            }
            _ => None,
        }
    }

    /// Name in the log.
    pub(in crate::mock_model) fn name(self) -> &'static str {
        match self {
            Api::Anthropic => "anthropic",
            Api::Responses => "responses",
            Api::Chat => "chat",
            Api::Gemini => "gemini",
        }
    }

    /// Parses a request.
    pub(in crate::mock_model) fn read(self, route: &str, body: &Value) -> ModelRequest {
        match self {
            Api::Anthropic => anthropic::read(body),
            Api::Responses => responses::read(body),
            Api::Chat => chat::read(body),
            Api::Gemini => gemini::read(route, body),
        }
    }

    /// Formats a turn. `n` makes the ids.
    pub(in crate::mock_model) fn reply(self, turn: &Turn, model: &str, n: u64) -> Reply {
        match self {
            Api::Anthropic => anthropic::reply(turn, model, n),
            Api::Responses => responses::reply(turn, model, n),
            Api::Chat => chat::reply(turn, model, n),
            Api::Gemini => gemini::reply(turn, model, n),
        }
    }

    /// Formats an error as this vendor does.
    pub(in crate::mock_model) fn error(self, error: &ScriptedError) -> Value {
        match self {
            Api::Anthropic => anthropic::error(error),
            Api::Responses | Api::Chat => chat::error(error),
            Api::Gemini => gemini::error(error),
        }
    }
}

impl ModelRequest {
    /// Adds a message of the user or a tool.
    pub(super) fn add_message(&mut self, text: String) {
        self.user_text.push_str(&text);
        self.user_text.push('\n');
        if text.contains("- Task: `") {
            self.task_text.clone_from(&text);
        }
        self.last = text;
    }
}

impl Event {
    pub(super) fn new(name: Option<&'static str>, data: &Value) -> Event {
        Event { name, data: data.to_string() }
    }
}

/// All text in a value, at any depth: vendors nest it differently.
pub(super) fn text_in(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text_in).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => {
            let worded = ["text", "content", "output", "parts", "functionResponse", "response", "error"];
            let found = worded.iter().filter_map(|name| members.get(*name)).map(text_in);
            found.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Splits a text into small pieces, as models stream it.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(16).map(|piece| piece.iter().collect()).collect()
}

/// Items of an array; empty for other values.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
