//! The tool calls of a proof: those that must be blocked, and those that must pass.

use crate::model::{AGENT_ID, Lane, SUBAGENT_MARK, Script, ToolCall};
use crate::stage::{SECRET, Stage};
use charrette_hosts::Client;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Event of the hook that judges tools.
pub(crate) fn tool_event(client: Client) -> &'static str {
    if client == Client::Gemini { "BeforeTool" } else { "PreToolUse" }
}

/// A call and what must come of it.
#[derive(Debug, Clone)]
pub(crate) struct ProofCall {
    /// Description for people.
    pub(crate) name: String,
    pub(crate) lane: Lane,
    /// Number of the call in its thread.
    pub(crate) number: usize,
    pub(crate) must_pass: bool,
    pub(crate) trace: Trace,
}

/// The trace that a call leaves if it ran.
#[derive(Debug, Clone)]
pub(crate) enum Trace {
    File(PathBuf),
    /// The main branch is checked out.
    MainBranch,
    /// This text in the result.
    Result(&'static str),
}

/// The calls of both threads, and the script that makes them.
pub(crate) fn proof_calls(client: Client, stage: &Stage) -> (Vec<ProofCall>, Script) {
    let mut builder = Builder { client, stage, calls: Vec::new(), script: Script::default() };
    builder.thread(Lane::Main);
    // Gemini CLI offers no tool that starts a subagent of any kind.
    if client != Client::Gemini {
        builder.thread(Lane::Subagent);
        builder.start_subagent();
    }
    (builder.calls, builder.script)
}

struct Builder<'a> {
    client: Client,
    stage: &'a Stage,
    calls: Vec<ProofCall>,
    script: Script,
}

impl Builder<'_> {
    fn thread(&mut self, lane: Lane) {
        let root = self.stage.repository();
        let name = match lane {
            Lane::Main => "main",
            Lane::Subagent => "subagent",
        };
        let state = root.join(".claude/state");
        self.shell(lane, "git switch main", false, Trace::MainBranch);
        let file = state.join(format!("{name}-shell.json"));
        self.shell(lane, &format!("echo x > .claude/state/{name}-shell.json"), false, Trace::File(file));
        let file = root.join(format!("{name}-shell.txt"));
        self.shell(lane, &format!("echo x > {name}-shell.txt"), true, Trace::File(file));
        if self.client == Client::Claude {
            let path = root.join(".env");
            let call = tool("Read", json!({"file_path": path}));
            self.add(lane, format!("Read {}", shown(&path)), call, false, Trace::Result(SECRET));
        }
        if self.client == Client::Codex {
            let file = state.join(format!("{name}-patch.json"));
            let patch =
                format!("*** Begin Patch\n*** Add File: .claude/state/{name}-patch.json\n+x\n*** End Patch");
            let call = tool("exec_command", json!({"cmd": format!("apply_patch <<'EOF'\n{patch}\nEOF\n")}));
            self.add(lane, format!("apply_patch to {}", shown(&file)), call, false, Trace::File(file));
            self.shell(lane, "cat README.md", true, Trace::Result("throw-away"));
        } else {
            self.write(lane, state.join(format!("{name}.json")), false);
            self.write(lane, root.join(format!("{name}.txt")), true);
        }
    }

    fn shell(&mut self, lane: Lane, command: &str, must_pass: bool, trace: Trace) {
        let call = match self.client {
            Client::Codex => tool("exec_command", json!({"cmd": command})),
            Client::Gemini => tool("run_shell_command", json!({"command": command})),
            _ => tool("Bash", json!({"command": command, "description": "proof"})),
        };
        self.add(lane, format!("`{command}`"), call, must_pass, trace);
    }

    fn write(&mut self, lane: Lane, path: PathBuf, must_pass: bool) {
        let call = tool("Write|write_file", json!({"file_path": path, "content": "x"}));
        self.add(lane, format!("Write {}", shown(&path)), call, must_pass, Trace::File(path));
    }

    fn add(&mut self, lane: Lane, name: String, call: ToolCall, must_pass: bool, trace: Trace) {
        let calls = match lane {
            Lane::Main => &mut self.script.main,
            Lane::Subagent => &mut self.script.subagent,
        };
        self.calls.push(ProofCall { name, lane, number: calls.len(), must_pass, trace });
        calls.push(call);
    }

    /// The main thread starts the subagent last.
    fn start_subagent(&mut self) {
        let prompt = format!("{SUBAGENT_MARK}: make the calls of the script.");
        if self.client == Client::Codex {
            let namespace = Some("multi_agent".to_owned());
            let spawn = tool("spawn_agent", json!({"message": prompt}));
            let wait = tool("wait_agent", json!({"targets": [AGENT_ID], "timeout_ms": 60000}));
            self.script
                .main
                .extend([spawn, wait].map(|call| ToolCall { namespace: namespace.clone(), ..call }));
            return;
        }
        let spawn = json!({"description": "proof", "prompt": prompt, "subagent_type": "general-purpose",
                           "run_in_background": false});
        self.script.main.push(tool("Agent|Task", spawn));
    }
}

/// A call; `|` separates the names that a tool has in different versions.
fn tool(names: &str, arguments: Value) -> ToolCall {
    ToolCall { tool: names.to_owned(), arguments, namespace: None }
}

/// The end of a path, for people.
fn shown(path: &std::path::Path) -> String {
    let parts: Vec<_> = path.iter().collect();
    let at = parts.iter().position(|part| *part == "repository").map_or(0, |at| at + 1);
    parts[at..].iter().collect::<PathBuf>().display().to_string()
}
