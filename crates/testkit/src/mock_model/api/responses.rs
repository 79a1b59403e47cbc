//! The responses API of `OpenAI`.

use super::route::{Event, ModelRequest, Reply, items, pieces, text_in};
use crate::mock_model::script::Turn;
use serde_json::{Value, json};

pub(super) fn read(body: &Value) -> ModelRequest {
    let name = |tool: &Value| tool["name"].as_str().or(tool["type"].as_str()).map(str::to_owned);
    let mut model_request = ModelRequest {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        stream: body["stream"] == true,
        tools: items(&body["tools"]).iter().filter_map(name).collect(),
        ..ModelRequest::default()
    };
    if let Some(input) = body["input"].as_str() {
        model_request.add_message(input.to_owned());
    }
    // One assistant turn may be several items.
    let mut speaking = false;
    for item in items(&body["input"]) {
        let is_model = match item["type"].as_str() {
            Some("function_call" | "custom_tool_call" | "local_shell_call" | "reasoning") => true,
            _ => item["role"] == "assistant",
        };
        if is_model && !speaking {
            model_request.history += 1;
        }
        speaking = is_model;
        if !is_model {
            model_request.add_message(text_in(item));
        }
    }
    model_request
}

pub(super) fn reply(turn: &Turn, model: &str, n: u64) -> Reply {
    let outputs = outputs(turn, n);
    let response = |status: &str, output: &[Value], usage: Value| {
        json!({
            "id": format!("resp_{n:04}"), "object": "response", "created_at": 0, "status": status, "model": model,
            "output": output, "usage": usage, "error": null, "incomplete_details": null,
        })
    };
    let usage = json!({
        "input_tokens": turn.usage.input,
        "input_tokens_details": {"cached_tokens": turn.usage.cached},
        "output_tokens": turn.usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": turn.usage.input + turn.usage.output,
    });
    let whole = response("completed", &outputs, usage);
    let mut events =
        vec![("response.created", json!({"response": response("in_progress", &[], Value::Null)}))];
    for (index, output) in outputs.iter().enumerate() {
        let mut begun = output.clone();
        if output["type"] == "message" {
            begun["content"] = json!([]);
        }
        events.push(("response.output_item.added", json!({"output_index": index, "item": begun})));
        for piece in pieces(output["content"][0]["text"].as_str().unwrap_or_default()) {
            let delta =
                json!({"item_id": output["id"], "output_index": index, "content_index": 0, "delta": piece});
            events.push(("response.output_text.delta", delta));
        }
        events.push(("response.output_item.done", json!({"output_index": index, "item": output})));
    }
    events.push(("response.completed", json!({"response": whole})));
    let numbered = |(at, (name, mut data)): (usize, (&'static str, Value))| {
        data["type"] = name.into();
        data["sequence_number"] = at.into();
        Event::new(Some(name), &data)
    };
    Reply { events: events.into_iter().enumerate().map(numbered).collect(), whole }
}

fn outputs(turn: &Turn, n: u64) -> Vec<Value> {
    let mut outputs = Vec::new();
    if let Some(thinking) = &turn.thinking {
        let summary = json!([{"type": "summary_text", "text": thinking}]);
        outputs.push(json!({"type": "reasoning", "id": format!("rs_{n:04}"), "summary": summary}));
    }
    if !turn.text.is_empty() || turn.calls.is_empty() {
        let content = json!([{"type": "output_text", "text": turn.text, "annotations": []}]);
        outputs.push(json!({
            "type": "message", "id": format!("msg_{n:04}"), "role": "assistant", "status": "completed", "content": content,
        }));
    }
    for (at, call) in turn.calls.iter().enumerate() {
        let ids = (format!("fc_{n:04}_{at}"), format!("call_{n:04}_{at}"));
        // A free-form tool takes a text, not arguments.
        let mut output = match &call.arguments {
            Value::String(text) => json!({"type": "custom_tool_call", "input": text}),
            arguments => json!({"type": "function_call", "arguments": arguments.to_string()}),
        };
        output["id"] = ids.0.into();
        output["call_id"] = ids.1.into();
        output["name"] = call.tool.clone().into();
        output["status"] = "completed".into();
        if let Some(namespace) = &call.namespace {
            output["namespace"] = namespace.clone().into();
        }
        outputs.push(output);
    }
    outputs
}
