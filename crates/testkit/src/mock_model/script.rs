//! The script of a mock model: JSON, checked strictly, because a misspelt member would be a test that
//! checks nothing.

use crate::fake_agent::{PromptAnswer, answer_prompt};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

/// A script and its progress.
#[derive(Debug)]
pub struct Script {
    by_history: bool,
    lanes: Vec<Lane>,
    panel: Option<PanelAnswers>,
    side: Option<Turn>,
    after: Turn,
    used: HashMap<usize, usize>,
}

#[derive(Debug)]
struct Lane {
    when: Option<String>,
    turns: Vec<Turn>,
}

/// Folder with an answer for every seat, and the token usage of each answer.
#[derive(Debug)]
struct PanelAnswers {
    folder: PathBuf,
    usage: Usage,
}

/// One turn of the model.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn {
    pub(super) text: String,
    pub(super) thinking: Option<String>,
    pub(super) calls: Vec<Call>,
    pub(super) usage: Usage,
    pub(super) error: Option<ScriptedError>,
    pub(super) delay: Duration,
    pub(super) hang: bool,
    pub(super) cut_after: Option<usize>,
}

/// A tool call.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) namespace: Option<String>,
    pub(super) arguments: Value,
}

/// Token usage.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cached: u64,
}

/// An error instead of an answer.
#[derive(Debug, Clone)]
pub(super) struct ScriptedError {
    pub(super) status: u16,
    pub(super) message: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<Value>,
}

/// The parts of a request that select a turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnQuery<'a> {
    pub(super) user_text: &'a str,
    /// The message that names a task; may be empty.
    pub(super) task_text: &'a str,
    pub(super) has_tools: bool,
    pub(super) history: usize,
}

/// The turn selected for a request.
#[derive(Debug, Clone)]
pub(super) struct ChosenTurn {
    pub(super) lane: usize,
    /// Its number, or `side`, `after` or `panel`.
    pub(super) name: Value,
    /// Step of a design, if a seat of the panel was asked.
    pub(super) step: Option<String>,
    pub(super) turn: Turn,
}

impl Script {
    /// Parses a script.
    pub fn parse(text: &str) -> Result<Script, String> {
        let value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Script::from_json(&value)
    }

    /// Parses a script from JSON.
    pub fn from_json(value: &Value) -> Result<Script, String> {
        let script = object(value, "the script", &["order", "lanes", "turns", "panel", "side", "after"])?;
        let by_history = match script.get("order").and_then(Value::as_str) {
            None if script.contains_key("order") => return Err("order is not a string".to_owned()),
            None | Some("arrival") => false,
            Some("history") => true,
            Some(other) => return Err(format!("order is {other:?}, not arrival or history")),
        };
        let mut lanes = Vec::new();
        for (at, lane) in list(script, "lanes")?.iter().enumerate() {
            let what = format!("lane {at}");
            let lane = object(lane, &what, &["when", "turns"])?;
            lanes.push(Lane { when: string(lane, "when")?, turns: turns(lane, &what)? });
        }
        if script.contains_key("turns") {
            lanes.push(Lane { when: None, turns: turns(script, "the script")? });
        }
        let extra = |name: &str| script.get(name).map(|value| Turn::from_json(value, name)).transpose();
        let silent = Turn { text: "The script has nothing more to say.".to_owned(), ..Turn::default() };
        let (side, after) = (extra("side")?, extra("after")?.unwrap_or(silent));
        let panel = script.get("panel").map(PanelAnswers::from_json).transpose()?;
        Ok(Script { by_history, lanes, panel, side, after, used: HashMap::new() })
    }

    /// Selects the turn for a request.
    pub(super) fn choose(&mut self, query: TurnQuery<'_>) -> ChosenTurn {
        let takes =
            |lane: &Lane| lane.when.as_ref().is_none_or(|when| query.user_text.contains(when.as_str()));
        let lane = self.lanes.iter().position(takes).unwrap_or(self.lanes.len());
        if let Some(side) = self.side.as_ref().filter(|_| !query.has_tools) {
            return ChosenTurn { lane, name: "side".into(), step: None, turn: side.clone() };
        }
        if let Some((step, turn)) = self.panel.as_ref().and_then(|panel| panel.turn(query.task_text)) {
            return ChosenTurn { lane, name: "panel".into(), step, turn };
        }
        let used = self.used.entry(lane).or_default();
        let at = if self.by_history { query.history } else { *used };
        *used += 1;
        match self.lanes.get(lane).and_then(|lane| lane.turns.get(at)) {
            Some(turn) => ChosenTurn { lane, name: at.into(), step: None, turn: turn.clone() },
            None => ChosenTurn { lane, name: "after".into(), step: None, turn: self.after.clone() },
        }
    }
}

impl PanelAnswers {
    fn from_json(value: &Value) -> Result<PanelAnswers, String> {
        let panel = object(value, "the panel", &["folder", "usage"])?;
        let folder = string(panel, "folder")?.ok_or("the panel has no folder")?;
        let usage = panel.get("usage").map(|usage| Usage::from_json(usage, "the panel")).transpose()?;
        Ok(PanelAnswers { folder: folder.into(), usage: usage.unwrap_or_default() })
    }

    /// Turn and step of the seat named in the prompt; none if no seat is. APIs do not say which agent asks.
    fn turn(&self, task_text: &str) -> Option<(Option<String>, Turn)> {
        match answer_prompt(&self.folder, "*", task_text)? {
            Ok(PromptAnswer { step, part, text }) => {
                let delay = Duration::from_millis(part["sleep_ms"].as_u64().unwrap_or(0));
                let hang = part["hang"] == true;
                Some((Some(step), Turn { text, usage: self.usage, delay, hang, ..Turn::default() }))
            }
            Err(message) => {
                let error = ScriptedError { status: 400, message, headers: Vec::new(), body: None };
                Some((None, Turn { error: Some(error), ..Turn::default() }))
            }
        }
    }
}

impl Turn {
    fn from_json(value: &Value, what: &str) -> Result<Turn, String> {
        const MEMBERS: &[&str] = &[
            "text",
            "thinking",
            "calls",
            "usage",
            "status",
            "message",
            "headers",
            "body",
            "delay_ms",
            "hang",
            "cut_after",
        ];
        let turn = object(value, what, MEMBERS)?;
        let calls =
            list(turn, "calls")?.iter().map(|call| Call::from_json(call, what)).collect::<Result<_, _>>()?;
        let cut_after = number(turn, "cut_after")?.map(usize::try_from).transpose();
        Ok(Turn {
            text: string(turn, "text")?.unwrap_or_default(),
            thinking: string(turn, "thinking")?,
            calls,
            usage: turn
                .get("usage")
                .map(|usage| Usage::from_json(usage, what))
                .transpose()?
                .unwrap_or_default(),
            error: ScriptedError::from_json(turn, what)?,
            delay: Duration::from_millis(number(turn, "delay_ms")?.unwrap_or(0)),
            hang: turn.get("hang").is_some_and(|hang| hang == true),
            cut_after: cut_after.map_err(|error| format!("{what}: cut_after: {error}"))?,
        })
    }
}

impl Call {
    fn from_json(value: &Value, what: &str) -> Result<Call, String> {
        let call = object(value, what, &["tool", "namespace", "arguments"])?;
        let tool = string(call, "tool")?.ok_or_else(|| format!("{what}: a call without a tool"))?;
        let arguments = call.get("arguments").cloned().unwrap_or_else(|| Value::Object(Map::new()));
        Ok(Call { tool, namespace: string(call, "namespace")?, arguments })
    }
}

impl Usage {
    fn from_json(value: &Value, what: &str) -> Result<Usage, String> {
        let usage = object(value, what, &["input", "output", "cached"])?;
        let count = |name| Ok::<_, String>(number(usage, name)?.unwrap_or(0));
        Ok(Usage { input: count("input")?, output: count("output")?, cached: count("cached")? })
    }
}

impl ScriptedError {
    fn from_json(turn: &Map<String, Value>, what: &str) -> Result<Option<ScriptedError>, String> {
        let Some(status) = number(turn, "status")? else { return Ok(None) };
        let status = u16::try_from(status).map_err(|_| format!("{what}: {status} is not an HTTP status"))?;
        let mut headers = Vec::new();
        for (name, value) in turn.get("headers").and_then(Value::as_object).into_iter().flatten() {
            let value = value.as_str().ok_or_else(|| format!("{what}: header {name} is not a string"))?;
            headers.push((name.clone(), value.to_owned()));
        }
        let message = string(turn, "message")?.unwrap_or_else(|| format!("status {status}, as scripted"));
        Ok(Some(ScriptedError { status, message, headers, body: turn.get("body").cloned() }))
    }
}

fn turns(from: &Map<String, Value>, what: &str) -> Result<Vec<Turn>, String> {
    let each = |(at, turn): (usize, &Value)| Turn::from_json(turn, &format!("turn {at} of {what}"));
    list(from, "turns")?.iter().enumerate().map(each).collect()
}

fn object<'a>(value: &'a Value, what: &str, members: &[&str]) -> Result<&'a Map<String, Value>, String> {
    let object = value.as_object().ok_or_else(|| format!("{what} is not an object"))?;
    match object.keys().find(|key| !members.contains(&key.as_str())) {
        Some(key) => Err(format!("{what} has no member {key:?}")),
        None => Ok(object),
    }
}

fn list<'a>(from: &'a Map<String, Value>, name: &str) -> Result<&'a [Value], String> {
    match from.get(name) {
        None => Ok(&[]),
        Some(value) => value.as_array().map(Vec::as_slice).ok_or_else(|| format!("{name} is not a list")),
    }
}

fn string(from: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    let Some(value) = from.get(name) else { return Ok(None) };
    value.as_str().map(|text| Some(text.to_owned())).ok_or_else(|| format!("{name} is not a string"))
}

fn number(from: &Map<String, Value>, name: &str) -> Result<Option<u64>, String> {
    let Some(value) = from.get(name) else { return Ok(None) };
    value.as_u64().map(Some).ok_or_else(|| format!("{name} is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texts(script: &mut Script, queries: &[(&str, bool, usize)]) -> Vec<String> {
        queries
            .iter()
            .map(|&(user_text, has_tools, history)| {
                script.choose(TurnQuery { user_text, task_text: user_text, has_tools, history }).turn.text
            })
            .collect()
    }

    #[test]
    fn turns_are_taken_by_arrival_or_by_history() {
        let turns = json!([{"text": "one"}, {"text": "two"}]);
        let after = json!({"text": "over"});
        let mut arrival = Script::from_json(&json!({"turns": turns, "after": after})).unwrap();
        assert_eq!(
            texts(&mut arrival, &[("", true, 0), ("", true, 0), ("", true, 0)]),
            ["one", "two", "over"]
        );
        let mut history =
            Script::from_json(&json!({"order": "history", "turns": turns, "after": after})).unwrap();
        assert_eq!(
            texts(&mut history, &[("", true, 0), ("", true, 0), ("", true, 7)]),
            ["one", "one", "over"]
        );
    }

    #[test]
    fn lanes_are_selected_by_user_text() {
        let mut script = Script::from_json(&json!({
            "lanes": [{"when": "B", "turns": [{"text": "b0"}, {"text": "b1"}]}, {"turns": [{"text": "a0"}]}],
            "side": {"text": "title"},
        }))
        .unwrap();
        let queries = [("seat B", true, 0), ("seat A", true, 0), ("seat B", false, 0), ("seat B", true, 0)];
        assert_eq!(texts(&mut script, &queries), ["b0", "a0", "title", "b1"]);
    }

    #[test]
    fn a_seat_of_the_panel_gets_its_own_answer_and_others_that_of_their_lane() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("sketch.cursor-arch.txt"), "arch of {task}").unwrap();
        let mut script = Script::from_json(&json!({
            "panel": {"folder": folder.path(), "usage": {"input": 7}}, "turns": [{"text": "OK"}], "side": {"text": "title"},
        }))
        .unwrap();
        let seat = "Context of a client.\n# Sketch\n- Task: `cursor-arch` (phase: write)\n";
        let queries = [(seat, true, 0), (seat, false, 0), ("Respond with OK", true, 0), (seat, true, 3)];
        assert_eq!(
            texts(&mut script, &queries),
            ["arch of cursor-arch", "title", "OK", "arch of cursor-arch"]
        );
        let chosen =
            script.choose(TurnQuery { user_text: seat, task_text: seat, has_tools: true, history: 0 });
        assert_eq!((chosen.step.as_deref(), chosen.turn.usage.input), (Some("sketch/cursor-arch"), 7));
        let unknown = script.choose(TurnQuery {
            user_text: "",
            task_text: "- Task: `writer` (phase: write)\n",
            has_tools: true,
            history: 0,
        });
        assert_eq!(unknown.turn.error.unwrap().message, "the script has no answer for writer");
    }

    #[test]
    fn a_misspelt_script_is_refused() {
        let cases = [
            (json!([]), "the script is not an object"),
            (json!({"turn": []}), "the script has no member \"turn\""),
            (json!({"order": "sideways"}), "order is \"sideways\", not arrival or history"),
            (json!({"turns": [{"txt": ""}]}), "turn 0 of the script has no member \"txt\""),
            (json!({"turns": [{"calls": [{}]}]}), "turn 0 of the script: a call without a tool"),
            (json!({"turns": [{"status": 70_000}]}), "turn 0 of the script: 70000 is not an HTTP status"),
            (json!({"lanes": [{"turns": 1}]}), "turns is not a list"),
            (json!({"after": {"text": 1}}), "text is not a string"),
            (json!({"panel": {"usage": {}}}), "the panel has no folder"),
        ];
        for (script, problem) in cases {
            assert_eq!(Script::from_json(&script).unwrap_err(), problem, "{script}");
        }
    }
}
