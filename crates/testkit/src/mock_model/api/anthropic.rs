//! Anthropic's messages API.

use super::route::{Event, ModelRequest, Reply, items, pieces, text_in};
use crate::mock_model::script::{ScriptedError, Turn};
use serde_json::{Value, json};

pub(super) fn read(body: &Value) -> ModelRequest {
    let mut model_request = ModelRequest {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        stream: body["stream"] == true,
        tools: items(&body["tools"])
            .iter()
            .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
            .collect(),
        ..ModelRequest::default()
    };
    for message in items(&body["messages"]) {
        match message["role"].as_str() {
            Some("assistant") => model_request.history += 1,
            Some("system") => {}
            _ => model_request.add_message(text_in(&message["content"])),
        }
    }
    model_request
}

pub(super) fn reply(turn: &Turn, model: &str, n: u64) -> Reply {
    let stop = if turn.calls.is_empty() { "end_turn" } else { "tool_use" };
    let usage = json!({
        "input_tokens": turn.usage.input,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": turn.usage.cached,
        "output_tokens": turn.usage.output,
    });
    let message = |content: &[Value], stop: Value| {
        json!({
            "id": format!("msg_{n:04}"), "type": "message", "role": "assistant", "model": model,
            "content": content, "stop_reason": stop, "stop_sequence": null, "usage": usage,
        })
    };
    let blocks = blocks(turn, n);
    let mut events = vec![event("message_start", json!({"message": message(&[], Value::Null)}))];
    for (index, block) in blocks.iter().enumerate() {
        let (start, deltas) = stream_block(block);
        events.push(event("content_block_start", json!({"index": index, "content_block": start})));
        for delta in deltas {
            events.push(event("content_block_delta", json!({"index": index, "delta": delta})));
        }
        events.push(event("content_block_stop", json!({"index": index})));
    }
    let delta = json!({"stop_reason": stop, "stop_sequence": null});
    events.push(event("message_delta", json!({"delta": delta, "usage": usage})));
    events.push(event("message_stop", json!({})));
    Reply { events, whole: message(&blocks, stop.into()) }
}

fn blocks(turn: &Turn, n: u64) -> Vec<Value> {
    let mut blocks = Vec::new();
    if let Some(thinking) = &turn.thinking {
        blocks.push(json!({"type": "thinking", "thinking": thinking, "signature": "c2NyaXB0"}));
    }
    if !turn.text.is_empty() || turn.calls.is_empty() {
        blocks.push(json!({"type": "text", "text": turn.text}));
    }
    for (at, call) in turn.calls.iter().enumerate() {
        let id = format!("toolu_{n:04}_{at}");
        blocks.push(json!({"type": "tool_use", "id": id, "name": call.tool, "input": call.arguments}));
    }
    blocks
}

/// Initial state of a content block, and its deltas.
fn stream_block(block: &Value) -> (Value, Vec<Value>) {
    let text = |name: &str| block[name].as_str().unwrap_or_default();
    match text("type") {
        "text" => {
            let deltas = pieces(text("text")).into_iter();
            let deltas = deltas.map(|piece| json!({"type": "text_delta", "text": piece})).collect();
            (json!({"type": "text", "text": ""}), deltas)
        }
        "thinking" => {
            let pieces = pieces(text("thinking")).into_iter();
            let mut deltas: Vec<_> =
                pieces.map(|piece| json!({"type": "thinking_delta", "thinking": piece})).collect();
            deltas.push(json!({"type": "signature_delta", "signature": block["signature"]}));
            (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
        }
        _ => {
            let pieces = pieces(&block["input"].to_string()).into_iter();
            let deltas =
                pieces.map(|piece| json!({"type": "input_json_delta", "partial_json": piece})).collect();
            let start = json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}});
            (start, deltas)
        }
    }
}

fn event(name: &'static str, mut data: Value) -> Event {
    data["type"] = name.into();
    Event::new(Some(name), &data)
}

pub(super) fn error(error: &ScriptedError) -> Value {
    let kind = match error.status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": error.message}})
}
