//! The JSON that clients send, read into one form.

use serde_json::{Map, Value};
use std::io::{self, Read};
use std::path::PathBuf;

/// Longest input that is parsed, in bytes.
const MAX_BYTES: u64 = 8 << 20;

/// What a client is about to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Input {
    /// Folder of the session, or of the command.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) acts: Vec<Act>,
}

/// One thing that a tool does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    Shell(String),
    Patch(String),
    Write(String),
    Read(String),
}

/// Reads and parses standard input. An error is one line.
pub(crate) fn read_input(stdin: impl Read) -> Result<Input, String> {
    let mut bytes = Vec::new();
    let read = stdin.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error: io::Error| format!("its input cannot be read: {error}"))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("its input exceeds {} MB", MAX_BYTES >> 20));
    }
    let value: Value =
        serde_json::from_slice(&bytes).map_err(|error| format!("its input is not JSON: {error}"))?;
    let Value::Object(input) = value else { return Err("its input is not a JSON object".to_owned()) };
    Ok(parse(&input))
}

fn parse(input: &Map<String, Value>) -> Input {
    let arguments = ["tool_input", "toolInput", "args", "arguments", "parameters"]
        .iter()
        .find_map(|name| input.get(*name).and_then(Value::as_object));
    let name = ["tool_name", "toolName", "tool"].iter().find_map(|name| input.get(*name)?.as_str());
    let acts = match (name, arguments) {
        (Some(name), Some(arguments)) => acts(name, arguments),
        (Some(name), None) => acts(name, input),
        // Cursor's `beforeShellExecution` and `beforeReadFile` have the arguments at the top.
        (None, arguments) => acts("", arguments.unwrap_or(input)),
    };
    let folder = arguments.and_then(command_folder).or_else(|| text(input, &["cwd", "workdir", "directory"]));
    let folder = folder.or_else(|| {
        let roots = input.get("workspace_roots").or_else(|| input.get("workspaceRoots"))?;
        roots.as_array()?.first()?.as_str().map(str::to_owned)
    });
    let base = text(input, &["cwd"]).map(PathBuf::from);
    let folder = folder.map(PathBuf::from).map(|folder| match &base {
        Some(base) if folder.is_relative() => base.join(folder),
        _ => folder,
    });
    Input { folder: folder.filter(|folder| folder.is_absolute()), acts }
}

/// Folder of a single command, where the tool has one.
fn command_folder(arguments: &Map<String, Value>) -> Option<String> {
    text(arguments, &["workdir", "cwd", "working_directory", "dir_path", "directory"])
        .filter(|_| arguments.contains_key("command") || arguments.contains_key("cmd"))
}

/// The first of these members that is a text.
fn text(members: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| members.get(*name)?.as_str())
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

const PATHS: [&str; 9] = [
    "file_path",
    "filePath",
    "notebook_path",
    "notebookPath",
    "absolute_path",
    "target_file",
    "path",
    "filename",
    "file",
];
const CONTENTS: [&str; 12] = [
    "content",
    "contents",
    "new_string",
    "newString",
    "new_str",
    "new_source",
    "edits",
    "file_text",
    "insert_text",
    "code_edit",
    "old_string",
    "replacements",
];

fn acts(tool: &str, arguments: &Map<String, Value>) -> Vec<Act> {
    // `mcp__server__tool`: the tool counts.
    let own_name = tool.rsplit("__").next().unwrap_or(tool);
    let name: String = own_name.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = name.to_ascii_lowercase();
    if name.contains("applypatch") || name == "patch" {
        let patch = command_text(arguments, &["command", "input", "patch", "patchText", "diff"]);
        return vec![Act::Patch(patch.unwrap_or_default())];
    }
    let is_shell = ["bash", "shell", "exec", "terminal", "command", "zsh", "powershell"];
    if (is_shell.iter().any(|word| name.contains(word)) || tool.is_empty())
        && let Some(command) = command_text(arguments, &["command", "cmd", "script", "commandLine"])
    {
        return vec![Act::Shell(command)];
    }
    let paths = || paths(arguments).into_iter();
    let writes =
        ["write", "edit", "create", "replace", "delete", "remove", "insert", "rename", "move", "mkdir"];
    let has_content = CONTENTS.iter().any(|member| arguments.contains_key(*member));
    if writes.iter().any(|word| name.contains(word)) && name != "todowrite"
        || (has_content && !tool.is_empty())
    {
        return paths().map(Act::Write).collect();
    }
    paths().map(Act::Read).collect()
}

/// A command as text, or as a list of arguments.
fn command_text(arguments: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match arguments.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => Some(words.iter().map(quoted).collect::<Vec<_>>().join(" ")),
        _ => None,
    })
}

/// A word in quotes, as a shell reads it.
fn quoted(word: &Value) -> String {
    let text = word.as_str().map_or_else(|| word.to_string(), str::to_owned);
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn paths(arguments: &Map<String, Value>) -> Vec<String> {
    let mut paths: Vec<String> = PATHS.iter().filter_map(|name| text(arguments, &[name])).collect();
    for list in ["paths", "file_paths", "files", "include"] {
        let items = arguments.get(list).and_then(Value::as_array).into_iter().flatten();
        paths.extend(items.filter_map(Value::as_str).map(str::to_owned));
    }
    paths
}
