//! Real clients as hosts of `charrette mcp`, each with a scripted model. Without a person: the model starts a design, waits,
//! answers its questions and is refused the approval; then the person answers at the command line, and the run ends. Clients
//! without forms start a run, wait for it and read its files.
//!
//! [`session`] prepares a client, [`interactive`] are sessions with a person at the terminal.

pub(super) mod interactive;
mod session;

use super::case_run::Programs;
use super::install::InstalledClients;
use super::processes;
use crate::TaskResult;
use serde_json::{Value, json};
use session::{FEATURE, REQUEST, Session};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Timeout of a session.
const TIMEOUT: Duration = Duration::from_mins(5);

/// A client as a host, without a person.
#[derive(Debug, Clone, Copy)]
pub(super) struct Host {
    pub(super) name: &'static str,
    client: &'static str,
    /// Arguments; `{config}` is the file with the server.
    arguments: &'static [&'static str],
    /// Name of a tool for its model, by the name of the tool.
    tool: fn(&str, Value) -> Value,
    walk: Walk,
}

/// What the model does.
#[derive(Debug, Clone, Copy)]
enum Walk {
    /// A design up to its approval; the answers are on record under this name of the client.
    Answers(&'static str),
    /// A research; its notes are read.
    Reads,
}

/// All hosts.
pub(super) const ALL: [Host; 4] = [
    Host {
        name: "host/gemini",
        client: "gemini",
        arguments: &["-m", "gemini-2.5-flash", "-p", "Research the greeting with charrette."],
        tool: |tool, arguments| json!({"tool": format!("mcp_charrette_{tool}"), "arguments": arguments}),
        walk: Walk::Reads,
    },
    Host {
        name: "host/opencode",
        client: "opencode",
        arguments: &["run", "Research the greeting with charrette."],
        tool: |tool, arguments| json!({"tool": format!("charrette_{tool}"), "arguments": arguments}),
        walk: Walk::Reads,
    },
    Host {
        name: "host/claude",
        client: "claude",
        arguments: &[
            "-p",
            "Design a greeting with charrette.",
            "--mcp-config",
            "{config}",
            "--strict-mcp-config",
            "--allowedTools",
            "mcp__charrette__*",
        ],
        tool: |tool, arguments| json!({"tool": format!("mcp__charrette__{tool}"), "arguments": arguments}),
        walk: Walk::Answers("claude-code"),
    },
    Host {
        name: "host/codex",
        client: "codex",
        arguments: &["exec", "--skip-git-repo-check", "Design a greeting with charrette."],
        tool: |tool, arguments| json!({"tool": tool, "namespace": "mcp__charrette", "arguments": arguments}),
        walk: Walk::Answers("codex-mcp-client"),
    },
];

impl Host {
    /// The model's turns.
    fn script(&self) -> Value {
        let tool = |name: &str, arguments: Value| json!({"calls": [(self.tool)(name, arguments)]});
        let wait = || tool("wait", json!({"feature": FEATURE, "seconds": 40}));
        let turns = match self.walk {
            Walk::Reads => {
                let order = json!({"command": "research", "request": REQUEST, "feature": FEATURE});
                vec![
                    tool("start", order),
                    wait(),
                    wait(),
                    tool("read", json!({"feature": FEATURE})),
                    tool("read", json!({"feature": FEATURE, "file": "research-notes.md"})),
                    json!({"text": "Read."}),
                ]
            }
            Walk::Answers(_) => answering_turns(&tool, &wait),
        };
        json!({"turns": turns, "side": {"text": "a title"}, "after": {"text": "nothing more"}})
    }
}

/// Start, wait, answer the first gate, wait, answer the questions of the second, try to approve.
fn answering_turns(tool: &dyn Fn(&str, Value) -> Value, wait: &dyn Fn() -> Value) -> Vec<Value> {
    let answer = |gate: &str, answers: Value| {
        tool("answer", json!({"feature": FEATURE, "gate": gate, "shown": "{mark}", "answers": answers}))
    };
    let pre_design = json!({
        "understanding": "yes", "approach": "yes", "assumptions": "yes", "trade_offs": "yes", "scope": "yes", "unknowns": "none",
    });
    let post_design = json!({
        "what_built": "yes", "decisions": "yes", "risks": "no additional", "omissions": "nothing missing", "confidence": "no concerns",
        "open_1": "leave open", "open_2": "leave open", "open_3": "leave open", "open_4": "leave open", "open_5": "leave open",
    });
    let start =
        json!({"command": "design", "request": REQUEST, "feature": FEATURE, "options": {"auto": true}});
    vec![
        tool("start", start),
        wait(),
        wait(),
        answer("pre-design", pre_design),
        wait(),
        wait(),
        wait(),
        answer("post-design", post_design),
        wait(),
        answer("post-design", json!({"approval": "yes"})),
        json!({"text": "The approval is yours."}),
    ]
}

/// Runs a session; the error is the first failed check.
pub(super) fn run(
    host: &Host,
    programs: &Programs,
    installed: &InstalledClients,
    runs: &Path,
) -> Result<(), String> {
    let session = Session::prepare(host.name, host.client, &host.script(), programs, runs)
        .map_err(|error| error.to_string())?;
    talk(host, &session, programs, installed).map_err(|error| error.to_string())?;
    match host.walk {
        Walk::Answers(recorded) => check_answers(&session, programs, recorded)?,
        Walk::Reads => check_reading(&session)?,
    }
    session.check_processes()
}

/// Lets the client talk with its model.
fn talk(host: &Host, session: &Session, programs: &Programs, installed: &InstalledClients) -> TaskResult {
    let mut command = session.command(programs, installed, host.arguments)?;
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let (stdout, stderr, _) = processes::run(command, TIMEOUT)?;
    fs_err::write(session.folder.join("stdout"), stdout)?;
    fs_err::write(session.folder.join("stderr"), stderr)?;
    Ok(())
}

/// Checks what the model was told, what is on record, and that the person ends the run.
fn check_answers(session: &Session, programs: &Programs, recorded: &str) -> Result<(), String> {
    let told = session.told();
    let is_told = |text: &str| told.iter().any(|told| told.contains(text));
    for text in ["only a person answers it", &format!("charrette resume {FEATURE}"), "Gate pre-design asks"] {
        if !is_told(text) && !is_told(&text.replace("Gate pre-design asks", "\"gate\":\"pre-design\"")) {
            return Err(format!("the model was not told: {text}"));
        }
    }
    let gates = session.document("design")?["gates"].clone();
    let (before, after) = (&gates["pre-design"], &gates["post-design"]);
    if before["by"] != "agent" || before["via"]["scope"]["client"] != recorded {
        return Err(format!("the answers are not on record as the model's: {before}"));
    }
    if after["state"] != "pending" {
        return Err(format!("the model moved the approval: {after}"));
    }
    session.person(programs, &["answer", FEATURE, "--file", "-"], "post-design:\n  approval: yes\n")?;
    session.person(programs, &["resume", FEATURE], "")?;
    session.check_files()
}

/// Checks that the run is complete and that the model got its notes.
fn check_reading(session: &Session) -> Result<(), String> {
    let document = session.document("research")?;
    let workspace = document["run"]["workspace"].as_str().unwrap_or_default();
    let notes = session.repository().join(workspace).join("research-notes.md");
    let notes = fs_err::read_to_string(notes).map_err(|error| error.to_string())?;
    let line = notes.lines().find(|line| line.len() > 20).ok_or("the notes are empty")?;
    let told = session.told();
    if !told.iter().any(|told| told.contains("complete")) {
        return Err(format!("the model was not told that the run is complete: {told:?}"));
    }
    if !told.iter().any(|told| told.contains(line)) {
        return Err(format!("the model did not get the notes, such as {line:?}"));
    }
    Ok(())
}
