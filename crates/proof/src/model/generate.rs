//! Gemini's `generateContent`, streamed.

use super::script::{ModelRequest, ToolCall, lane_of};
use serde_json::{Value, json};

pub(super) fn read(route: &str, body: &Value) -> ModelRequest {
    let model = route.rsplit('/').next().and_then(|last| last.split(':').next()).unwrap_or_default();
    let contents = body["contents"].as_array().cloned().unwrap_or_default();
    let is_user = |content: &&Value| content["role"] == "user";
    let parts = |content: &Value| content["parts"].as_array().cloned().unwrap_or_default();
    let response = contents.iter().rfind(is_user).and_then(|content| {
        parts(content).iter().rev().find_map(|part| part.get("functionResponse").cloned())
    });
    let tools = body["tools"].as_array().into_iter().flatten();
    let declared = tools.filter_map(|tool| tool["functionDeclarations"].as_array()).flatten();
    ModelRequest {
        model: model.to_owned(),
        tools: declared.filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect(),
        turns: contents.iter().filter(|content| content["role"] == "model").count(),
        lane: contents.iter().filter(is_user).find_map(|content| lane_of(&content.to_string())),
        last_result: response.map(|response| response["response"].to_string()).unwrap_or_default(),
        text: body.to_string(),
    }
}

/// The one event of a turn.
pub(super) fn reply(call: Option<&ToolCall>) -> Value {
    let part = match call {
        Some(call) => json!({"functionCall": {"name": call.tool, "args": call.arguments}}),
        None => json!({"text": "done"}),
    };
    json!({
        "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    })
}
