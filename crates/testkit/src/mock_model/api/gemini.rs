//! Gemini's `generateContent`.

use super::route::{Event, ModelRequest, Reply, items, pieces, text_in};
use crate::mock_model::script::{ScriptedError, Turn};
use serde_json::{Value, json};

pub(super) fn read(route: &str, body: &Value) -> ModelRequest {
    let (model, verb) = route.rsplit('/').next().and_then(|last| last.split_once(':')).unwrap_or_default();
    let declared = items(&body["tools"]).iter().flat_map(|tool| items(&tool["functionDeclarations"]));
    let mut model_request = ModelRequest {
        model: model.to_owned(),
        stream: verb.starts_with("stream"),
        tools: declared.filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect(),
        ..ModelRequest::default()
    };
    for content in items(&body["contents"]) {
        match content["role"].as_str() {
            Some("model") => model_request.history += 1,
            _ => model_request.add_message(text_in(&content["parts"])),
        }
    }
    model_request
}

pub(super) fn reply(turn: &Turn, model: &str, n: u64) -> Reply {
    let mut parts = Vec::new();
    if let Some(thinking) = &turn.thinking {
        parts.push(json!({"text": thinking, "thought": true}));
    }
    parts.extend(pieces(&turn.text).into_iter().map(|piece| json!({"text": piece})));
    for (at, call) in turn.calls.iter().enumerate() {
        let id = format!("call-{n:04}-{at}");
        parts.push(json!({"functionCall": {"id": id, "name": call.tool, "args": call.arguments}}));
    }
    if parts.is_empty() {
        parts.push(json!({"text": ""}));
    }
    let usage = json!({
        "promptTokenCount": turn.usage.input,
        "candidatesTokenCount": turn.usage.output,
        "cachedContentTokenCount": turn.usage.cached,
        "totalTokenCount": turn.usage.input + turn.usage.output,
    });
    let response = |parts: &[Value], finish: Option<&str>| {
        let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
        if let Some(finish) = finish {
            candidate["finishReason"] = finish.into();
        }
        json!({
            "candidates": [candidate], "usageMetadata": usage, "modelVersion": model,
            "responseId": format!("response-{n:04}"),
        })
    };
    let last = parts.len().saturating_sub(1);
    let events = parts
        .iter()
        .enumerate()
        .map(|(at, part)| {
            let finish = (at == last).then_some("STOP");
            Event::new(None, &response(std::slice::from_ref(part), finish))
        })
        .collect();
    Reply { events, whole: response(&parts, Some("STOP")) }
}

pub(super) fn error(error: &ScriptedError) -> Value {
    let status = match error.status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        _ => "INTERNAL",
    };
    json!({"error": {"code": error.status, "message": error.message, "status": status}})
}
