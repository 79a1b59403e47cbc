//! Chat completions API of `OpenAI`, which many others offer too.

use super::route::{Event, ModelRequest, Reply, items, pieces, text_in};
use crate::mock_model::script::{ScriptedError, Turn};
use serde_json::{Value, json};

pub(super) fn read(body: &Value) -> ModelRequest {
    let name = |tool: &Value| tool["function"]["name"].as_str().map(str::to_owned);
    let mut model_request = ModelRequest {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        stream: body["stream"] == true,
        tools: items(&body["tools"]).iter().filter_map(name).collect(),
        ..ModelRequest::default()
    };
    for message in items(&body["messages"]) {
        match message["role"].as_str() {
            Some("assistant") => model_request.history += 1,
            Some("system" | "developer") => {}
            _ => model_request.add_message(text_in(&message["content"])),
        }
    }
    model_request
}

pub(super) fn reply(turn: &Turn, model: &str, n: u64) -> Reply {
    let id = format!("chatcmpl-{n:04}");
    let calls: Vec<Value> = turn
        .calls
        .iter()
        .enumerate()
        .map(|(at, call)| {
            let function = json!({"name": call.tool, "arguments": call.arguments.to_string()});
            json!({"id": format!("call_{n:04}_{at}"), "type": "function", "function": function})
        })
        .collect();
    let stop = if calls.is_empty() { "stop" } else { "tool_calls" };
    let usage = json!({
        "prompt_tokens": turn.usage.input,
        "completion_tokens": turn.usage.output,
        "total_tokens": turn.usage.input + turn.usage.output,
        "prompt_tokens_details": {"cached_tokens": turn.usage.cached},
    });
    let piece = |delta: Value, finish: Option<&str>| {
        json!({
            "id": id, "object": "chat.completion.chunk", "created": 0, "model": model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        })
    };
    let mut chunks = vec![piece(json!({"role": "assistant", "content": ""}), None)];
    chunks.extend(pieces(&turn.text).into_iter().map(|text| piece(json!({"content": text}), None)));
    for (index, call) in calls.iter().enumerate() {
        let mut call = call.clone();
        call["index"] = index.into();
        chunks.push(piece(json!({"tool_calls": [call]}), None));
    }
    chunks.push(piece(json!({}), Some(stop)));
    chunks.push(json!({
        "id": id, "object": "chat.completion.chunk", "created": 0, "model": model, "choices": [], "usage": usage,
    }));
    let mut events: Vec<Event> = chunks.iter().map(|chunk| Event::new(None, chunk)).collect();
    events.push(Event { name: None, data: "[DONE]".to_owned() });
    let mut message = json!({"role": "assistant", "content": turn.text});
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let whole = json!({
        "id": id, "object": "chat.completion", "created": 0, "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": stop}], "usage": usage,
    });
    Reply { events, whole }
}

pub(super) fn error(error: &ScriptedError) -> Value {
    let (kind, code) = match error.status {
        401 => ("invalid_request_error", "invalid_api_key"),
        429 => ("requests", "rate_limit_exceeded"),
        status if status < 500 => ("invalid_request_error", "invalid_request"),
        _ => ("server_error", "server_error"),
    };
    json!({"error": {"message": error.message, "type": kind, "code": code, "param": null}})
}
