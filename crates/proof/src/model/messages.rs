//! Anthropic's messages API, streamed.

use super::script::{ModelRequest, ToolCall, lane_of, text_in};
use serde_json::{Value, json};

pub(super) fn read(body: &Value) -> ModelRequest {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let is_user = |message: &&Value| message["role"] == "user";
    let last = messages.iter().rfind(is_user);
    let mut results = last.and_then(|message| message["content"].as_array()).into_iter().flatten();
    let result = results.rfind(|block| block["type"] == "tool_result");
    let tools = body["tools"].as_array().into_iter().flatten();
    ModelRequest {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        tools: tools.filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect(),
        turns: messages.iter().filter(|message| message["role"] == "assistant").count(),
        lane: messages.iter().find(is_user).and_then(|message| lane_of(&text_in(message))),
        last_result: result.map(text_in).unwrap_or_default(),
        text: body.to_string(),
    }
}

/// The events of one turn.
pub(super) fn reply(call: Option<&ToolCall>, request: &ModelRequest) -> Vec<(&'static str, Value)> {
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let message = json!({
        "id": format!("msg_{}", request.turns), "type": "message", "role": "assistant", "model": request.model,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    let (block, delta, stop) = match call {
        Some(call) => (
            json!({"type": "tool_use", "id": format!("toolu_proof_{}", request.turns), "name": call.tool, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": call.arguments.to_string()}),
            "tool_use",
        ),
        None => {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": "done"}), "end_turn")
        }
    };
    vec![
        ("message_start", json!({"type": "message_start", "message": message})),
        ("content_block_start", json!({"type": "content_block_start", "index": 0, "content_block": block})),
        ("content_block_delta", json!({"type": "content_block_delta", "index": 0, "delta": delta})),
        ("content_block_stop", json!({"type": "content_block_stop", "index": 0})),
        (
            "message_delta",
            json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": usage}),
        ),
        ("message_stop", json!({"type": "message_stop"})),
    ]
}
