//! The responses API of `OpenAI`, streamed.

use super::script::{ModelRequest, ToolCall, lane_of, text_in};
use serde_json::{Value, json};

pub(super) fn read(body: &Value) -> ModelRequest {
    let items = body["input"].as_array().cloned().unwrap_or_default();
    let is_model = |item: &Value| {
        matches!(item["type"].as_str(), Some("function_call" | "custom_tool_call" | "reasoning"))
            || item["role"] == "assistant"
    };
    let is_result = |item: &&Value| {
        matches!(item["type"].as_str(), Some("function_call_output" | "custom_tool_call_output"))
    };
    let tools = body["tools"].as_array().into_iter().flatten();
    let name = |tool: &Value| tool["name"].as_str().or(tool["type"].as_str()).map(str::to_owned);
    ModelRequest {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        tools: tools.filter_map(name).collect(),
        // Every turn of the script is one item.
        turns: items.iter().filter(|item| is_model(item)).count(),
        lane: items
            .iter()
            .filter(|item| item["role"] == "user")
            .filter_map(|item| lane_of(&text_in(item)))
            .next_back(),
        last_result: items.iter().rfind(is_result).map(text_in).unwrap_or_default(),
        text: body.to_string(),
    }
}

/// The events of one turn.
pub(super) fn reply(call: Option<&ToolCall>, request: &ModelRequest) -> Vec<(&'static str, Value)> {
    let n = request.turns;
    let item = match call {
        Some(ToolCall { tool, arguments: Value::String(text), .. }) => {
            json!({"type": "custom_tool_call", "id": format!("ctc_{n}"), "call_id": format!("call_{n}"), "name": tool,
                   "input": text, "status": "completed"})
        }
        Some(call) => {
            let mut item = json!({"type": "function_call", "id": format!("fc_{n}"), "call_id": format!("call_{n}"),
                   "name": call.tool, "arguments": call.arguments.to_string(), "status": "completed"});
            if let Some(namespace) = &call.namespace {
                item["namespace"] = namespace.clone().into();
            }
            item
        }
        None => {
            json!({"type": "message", "id": format!("msg_{n}"), "role": "assistant", "status": "completed",
                       "content": [{"type": "output_text", "text": "done", "annotations": []}]})
        }
    };
    let usage = json!({"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
                       "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2});
    let response = |status: &str, output: Value, usage: Value| {
        json!({"id": format!("resp_{n}"), "object": "response", "created_at": 0, "status": status,
               "model": request.model, "output": output, "usage": usage, "error": null, "incomplete_details": null})
    };
    let created = response("in_progress", json!([]), Value::Null);
    let completed = response("completed", json!([item]), usage);
    vec![
        ("response.created", json!({"type": "response.created", "response": created})),
        (
            "response.output_item.added",
            json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        ),
        (
            "response.output_item.done",
            json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        ),
        ("response.completed", json!({"type": "response.completed", "response": completed})),
    ]
}
