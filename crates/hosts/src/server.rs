//! The MCP server in the configuration of each client: its entry, and whose entry is there.

use crate::edit::{Difference, EditProblem, Edited};
use crate::json_file::{Parsed, input_value, split_mark, wrong_type};
use crate::toml_text;
use serde_json::{Map, Value, json};

/// Name of the server in every client.
pub const SERVER: &str = "charrette";

/// Program of the server, found on `PATH`.
pub const SERVER_PROGRAM: &str = "charrette";

/// Opened by editors; opencode adds it to a file without it.
const OPENCODE_SCHEMA: &str = "https://opencode.ai/config.json";

/// Layout of servers in a client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerLayout {
    Claude,
    /// Sections of TOML.
    Codex,
    /// Gemini CLI and Cursor.
    Plain,
    Opencode,
}

/// The entry of the server in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ServerState {
    Absent,
    /// It runs `charrette mcp`.
    Own {
        /// True if it is exactly as `init` writes it.
        is_plain: bool,
    },
    /// An entry of this name that runs something else.
    Foreign,
}

impl ServerLayout {
    /// The member that holds all servers.
    pub fn member(self) -> &'static str {
        match self {
            ServerLayout::Claude | ServerLayout::Plain => "mcpServers",
            ServerLayout::Codex => "mcp_servers",
            ServerLayout::Opencode => "mcp",
        }
    }

    /// The entry, as `init` writes it.
    pub fn entry(self) -> Value {
        match self {
            ServerLayout::Claude => json!({"type": "stdio", "command": SERVER_PROGRAM, "args": ["mcp"]}),
            ServerLayout::Codex | ServerLayout::Plain => json!({"command": SERVER_PROGRAM, "args": ["mcp"]}),
            ServerLayout::Opencode => {
                json!({"type": "local", "command": [SERVER_PROGRAM, "mcp"], "enabled": true})
            }
        }
    }

    fn judge(self, entry: Option<&Value>) -> ServerState {
        let Some(entry) = entry else { return ServerState::Absent };
        let words: Vec<&str> = match &entry["command"] {
            Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
            command => {
                let args = entry["args"].as_array().into_iter().flatten();
                command.as_str().into_iter().chain(args.filter_map(Value::as_str)).collect()
            }
        };
        match words.as_slice() {
            [SERVER_PROGRAM, "mcp", ..] => ServerState::Own { is_plain: *entry == self.entry() },
            _ => ServerState::Foreign,
        }
    }

    /// Whose entry is in a text.
    pub(crate) fn state(self, text: &str) -> Result<ServerState, EditProblem> {
        let (_, body) = split_mark(text);
        if body.trim().is_empty() {
            return Ok(ServerState::Absent);
        }
        let file = match self {
            ServerLayout::Codex => toml_text::read(body)?,
            _ => Parsed::parse(body)?.root.to_serde_value().unwrap_or_default(),
        };
        Ok(self.judge(file.get(self.member()).and_then(|servers| servers.get(SERVER))))
    }

    /// Adds the entry. A text that has one of this name is returned as it is, whatever it runs.
    pub(crate) fn install(self, text: &str) -> Result<Edited, EditProblem> {
        let (mark, body) = split_mark(text);
        if self.state(text)? != ServerState::Absent {
            return Ok(Edited::unchanged(text));
        }
        let body = match self {
            ServerLayout::Codex => self.add_section(body)?,
            _ if body.trim().is_empty() => self.fresh_file(),
            _ => self.add_member(body)?,
        };
        Ok(Edited { text: format!("{mark}{body}"), differences: vec![Difference::MissingServer] })
    }

    /// Takes the entry out, and what then is empty around it.
    pub(crate) fn uninstall(self, text: &str) -> Result<Edited, EditProblem> {
        let (mark, body) = split_mark(text);
        if !matches!(self.state(text)?, ServerState::Own { .. }) {
            return Ok(Edited::unchanged(text));
        }
        let rest = match self {
            ServerLayout::Codex => toml_text::remove_section(body, &[self.member(), SERVER])?,
            _ => Some(self.remove_member(body)?),
        };
        let Some(rest) = rest else { return Ok(Edited::unchanged(text)) };
        Ok(Edited { text: format!("{mark}{rest}"), differences: vec![Difference::SurplusServer] })
    }

    fn fresh_file(self) -> String {
        let mut file = Map::new();
        if self == ServerLayout::Opencode {
            file.insert("$schema".to_owned(), OPENCODE_SCHEMA.into());
        }
        let mut servers = Map::new();
        servers.insert(SERVER.to_owned(), self.entry());
        file.insert(self.member().to_owned(), Value::Object(servers));
        format!("{:#}\n", Value::Object(file))
    }

    fn add_member(self, body: &str) -> Result<String, EditProblem> {
        let file = Parsed::parse(body)?;
        let servers = match file.object.get(self.member()) {
            Some(member) => member.object_value().ok_or_else(|| wrong_type(self.member(), "an object"))?,
            None => file.object.object_value_or_set(self.member()),
        };
        servers.ensure_multiline();
        servers.append(SERVER, input_value(&self.entry()));
        Ok(file.root.to_string())
    }

    fn remove_member(self, body: &str) -> Result<String, EditProblem> {
        let file = Parsed::parse(body)?;
        let Some(member) = file.object.get(self.member()) else { return Ok(body.to_owned()) };
        let servers = member.object_value().ok_or_else(|| wrong_type(self.member(), "an object"))?;
        if let Some(entry) = servers.get(SERVER) {
            entry.remove();
        }
        if servers.properties().is_empty() {
            member.remove();
        }
        Ok(file.root.to_string())
    }

    fn add_section(self, body: &str) -> Result<String, EditProblem> {
        let entry = self.entry();
        let member = |name: &str| toml_text::Member {
            name: name.to_owned(),
            value: entry[name].to_string(),
            comment: None,
        };
        let members = [member("command"), member("args")];
        toml_text::add_section(body, &[self.member(), SERVER], &members)
    }

    /// True if a member is what `init` writes beside the entry into a new file.
    pub(crate) fn is_frame_member(self, name: &str, value: &Value) -> bool {
        let is_empty = name == self.member() && value.as_object().is_some_and(Map::is_empty);
        is_empty || (self == ServerLayout::Opencode && name == "$schema" && value == OPENCODE_SCHEMA)
    }
}
