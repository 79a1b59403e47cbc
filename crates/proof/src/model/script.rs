//! The script: tool calls per thread of the client, chosen by the number of turns in the request.

use serde_json::Value;
use std::collections::BTreeMap;

/// Mark in the prompt of the main thread.
pub(crate) const MAIN_MARK: &str = "charrette-proof-main";
/// Mark in the prompt of the subagent.
pub(crate) const SUBAGENT_MARK: &str = "charrette-proof-subagent";

/// A thread of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lane {
    Main,
    Subagent,
}

/// A tool call of the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    /// Its name; several with `|` between them where versions differ.
    pub(crate) tool: String,
    /// An object; a text for a tool that takes free text.
    pub(crate) arguments: Value,
    /// Beginning of the namespace of the tool; the whole name once it is chosen.
    pub(crate) namespace: Option<String>,
}

/// The calls of both threads, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    pub(crate) main: Vec<ToolCall>,
    pub(crate) subagent: Vec<ToolCall>,
}

/// A request, the same for both APIs.
#[derive(Debug, Default)]
pub(crate) struct ModelRequest {
    pub(crate) model: String,
    pub(crate) tools: Vec<String>,
    /// Number of turns of the model so far.
    pub(crate) turns: usize,
    /// First text of the user that has a mark.
    pub(crate) lane: Option<Lane>,
    /// Text of the newest tool result.
    pub(crate) last_result: String,
    /// The whole request, as text.
    pub(crate) text: String,
}

/// Everything that clients told the model.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScriptLog {
    /// Results of the calls, by thread and number.
    pub(crate) results: BTreeMap<(Lane, usize), String>,
    /// First request of the main thread.
    pub(crate) first_request: String,
    /// Tools that were offered to the main thread.
    pub(crate) tools: Vec<String>,
    /// Other places that the client wanted to reach; none was.
    pub(crate) refused: Vec<String>,
}

impl Script {
    /// The next call for a request; none for the closing text.
    pub(crate) fn next(&self, request: &ModelRequest, log: &mut ScriptLog) -> Option<ToolCall> {
        let lane = request.lane?;
        let calls = match lane {
            Lane::Main => &self.main,
            Lane::Subagent => &self.subagent,
        };
        if lane == Lane::Main && log.first_request.is_empty() {
            log.first_request.clone_from(&request.text);
            log.tools.clone_from(&request.tools);
        }
        if let Some(last) = request.turns.checked_sub(1) {
            log.results.entry((lane, last)).or_insert_with(|| request.last_result.clone());
        }
        // Side requests, such as that for a title, have no tools.
        let call = calls.get(request.turns).filter(|_| !request.tools.is_empty())?;
        let offers = |name: &str| request.tools.iter().any(|tool| tool == name);
        let names = || call.tool.split('|');
        let offered = names().find(|name| offers(name));
        let name = offered.or_else(|| names().next()).unwrap_or_default().to_owned();
        let in_namespace =
            |start: &String| request.tools.iter().find(|tool| tool.starts_with(start)).cloned();
        let namespace = call.namespace.as_ref().filter(|_| offered.is_none()).and_then(in_namespace);
        let arguments = fill_agent(&call.arguments, &request.last_result);
        Some(ToolCall { tool: name, arguments, namespace })
    }
}

/// Placeholder for the id of the subagent, which the newest result tells.
pub(crate) const AGENT_ID: &str = "{agent}";

fn fill_agent(arguments: &Value, result: &str) -> Value {
    let text = arguments.to_string();
    if !text.contains(AGENT_ID) {
        return arguments.clone();
    }
    let told: Value = serde_json::from_str(result).unwrap_or_default();
    let id = told["agent_id"].as_str().unwrap_or_default();
    serde_json::from_str(&text.replace(AGENT_ID, id)).unwrap_or_default()
}

/// The thread of a text of the user.
pub(crate) fn lane_of(text: &str) -> Option<Lane> {
    if text.contains(SUBAGENT_MARK) {
        return Some(Lane::Subagent);
    }
    text.contains(MAIN_MARK).then_some(Lane::Main)
}

/// All text in a value, at any depth.
pub(crate) fn text_in(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text_in).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => {
            let members =
                ["text", "content", "output", "input_text"].iter().filter_map(|name| members.get(*name));
            members.map(text_in).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
