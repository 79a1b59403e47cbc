//! Which interface a path belongs to, and what the interfaces have in common.

use super::{anthropic, chat, gemini, responses};
use crate::mock_model::script::{Refusal, Turn};
use serde_json::Value;

/// An interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mock_model) enum Api {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

/// What a request asks, whatever the interface.
#[derive(Debug, Default)]
pub(in crate::mock_model) struct Asked {
    pub(in crate::mock_model) model: String,
    pub(in crate::mock_model) stream: bool,
    /// The names of the tools that are offered.
    pub(in crate::mock_model) tools: Vec<String>,
    /// How often the model has already spoken.
    pub(in crate::mock_model) history: usize,
    /// Everything the user and the tools said.
    pub(in crate::mock_model) said: String,
    /// What they said last.
    pub(in crate::mock_model) last: String,
}

/// An answer, in events and whole.
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
    /// The interface that answers at this path.
    pub(in crate::mock_model) fn of(route: &str) -> Option<Api> {
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

    /// What the log calls it.
    pub(in crate::mock_model) fn name(self) -> &'static str {
        match self {
            Api::Anthropic => "anthropic",
            Api::Responses => "responses",
            Api::Chat => "chat",
            Api::Gemini => "gemini",
        }
    }

    /// What a request asks.
    pub(in crate::mock_model) fn read(self, route: &str, body: &Value) -> Asked {
        match self {
            Api::Anthropic => anthropic::read(body),
            Api::Responses => responses::read(body),
            Api::Chat => chat::read(body),
            Api::Gemini => gemini::read(route, body),
        }
    }

    /// A turn, said in this interface. `n` makes the ids.
    pub(in crate::mock_model) fn reply(self, turn: &Turn, model: &str, n: u64) -> Reply {
        match self {
            Api::Anthropic => anthropic::reply(turn, model, n),
            Api::Responses => responses::reply(turn, model, n),
            Api::Chat => chat::reply(turn, model, n),
            Api::Gemini => gemini::reply(turn, model, n),
        }
    }

    /// An error as this vendor words it.
    pub(in crate::mock_model) fn error(self, refusal: &Refusal) -> Value {
        match self {
            Api::Anthropic => anthropic::error(refusal),
            Api::Responses | Api::Chat => chat::error(refusal),
            Api::Gemini => gemini::error(refusal),
        }
    }
}

impl Asked {
    /// Somebody who is not the model said this.
    pub(super) fn hear(&mut self, text: String) {
        self.said.push_str(&text);
        self.said.push('\n');
        self.last = text;
    }
}

impl Event {
    pub(super) fn of(name: Option<&'static str>, data: &Value) -> Event {
        Event { name, data: data.to_string() }
    }
}

/// All text in a value, at any depth: vendors nest it differently, and a test only wants to find its words.
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

/// A text in small pieces, as models speak.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(16).map(|piece| piece.iter().collect()).collect()
}

/// A list, or nothing.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
