//! A server below an agent of charrette's own: Codex in a seat that may write starts `charrette mcp` with its shell, once as it
//! is and once with an emptied environment. The server looks and reads; it starts, resumes, stops and answers nothing.

use super::case_run::{PORT, Programs};
use super::clients;
use super::install::InstalledClients;
use super::{hostile, namespace, processes};
use crate::TaskResult;
use crate::programs::create_repository;
use serde_json::{Value, json};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

pub(super) const NAME: &str = "host/codex-seat";
/// Timeout of the whole case.
const TIMEOUT: Duration = Duration::from_mins(3);
/// Run that is there before.
const FEATURE: &str = "known";
/// Files with the answers of the servers, in the repository: a seat writes nowhere else.
const OUTPUTS: [&str; 2] = ["replies", "replies-emptied"];

/// Runs the case; the error is the first failed check.
pub(super) fn run(programs: &Programs, installed: &InstalledClients, runs: &Path) -> Result<(), String> {
    let seat = Seat { folder: runs.join(NAME.replace('/', "-")) };
    seat.prepare(programs).map_err(|error| error.to_string())?;
    let before = seat.state();
    seat.ask(programs, installed).map_err(|error| error.to_string())?;
    for output in OUTPUTS {
        check(&seat.replies(output)?).map_err(|problem| format!("{output}: {problem}"))?;
    }
    if seat.state() != before {
        return Err(format!("the seat changed the runs: {:?}", seat.state()));
    }
    let left = processes::kill_processes_of(&seat.folder.join("home"));
    if left.is_empty() { Ok(()) } else { Err(format!("processes are left: {left:?}")) }
}

struct Seat {
    folder: PathBuf,
}

impl Seat {
    fn repository(&self) -> PathBuf {
        self.folder.join("repo")
    }

    /// Writes a repository with a finished run, and the shell script that starts the servers.
    fn prepare(&self, programs: &Programs) -> TaskResult {
        let (repository, home) = (self.repository(), self.folder.join("home"));
        for inside in [&repository.join("src"), &home, &self.folder.join("tmp")] {
            fs_err::create_dir_all(inside)?;
        }
        fs_err::write(repository.join("src/users.py"), "def greet(user):\n    return 'hi ' + user\n")?;
        create_repository(&repository)?;
        let mut research = self.command(&programs.charrette);
        research.args(["research", "how users are greeted", "--name", FEATURE, "--yes", "--quiet"]);
        let output = research.output()?;
        if !output.status.success() {
            return Err(format!("no run: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        hostile::write_home(&home, &repository, &format!("http://127.0.0.1:{PORT}"), true)?;
        fs_err::write(self.folder.join("conversation"), conversation())?;
        let program = programs.charrette.display();
        let servers = ["", "env -i "].iter().zip(OUTPUTS);
        // The input stays open until everything is answered.
        let lines = servers.map(|(prefix, output)| {
            format!("(cat ../conversation; sleep 4) | {prefix}{program} mcp > {output} 2> {output}.err\n")
        });
        fs_err::write(self.folder.join("servers.sh"), lines.collect::<String>())?;
        let call = json!({"tool": "exec_command", "arguments": {"cmd": "sh ../servers.sh", "yield_time_ms": 30_000}});
        let script = json!({"order": "history", "turns": [{"calls": [call]}, {"text": "Tried."}], "side": {"text": "a title"}});
        fs_err::write(self.folder.join("script.json"), script.to_string())?;
        fs_err::write(self.folder.join("prompt.md"), "Try it.\n")?;
        Ok(())
    }

    fn command(&self, program: &Path) -> Command {
        self.set_environment(Command::new(program))
    }

    fn set_environment(&self, mut command: Command) -> Command {
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.folder.join("home"))
            .env("TMPDIR", self.folder.join("tmp"))
            .env("LC_ALL", "C.UTF-8")
            .env("OPENAI_API_KEY", "dummy")
            .current_dir(self.repository())
            .stdin(Stdio::null());
        command
    }

    /// Asks Codex in a seat that may write.
    fn ask(&self, programs: &Programs, installed: &InstalledClients) -> TaskResult {
        let client = clients::all().into_iter().find(|client| client.name == "codex").ok_or("no Codex")?;
        let program = installed.program(&client).ok_or("Codex has no program")?;
        let settings = self.folder.join("home/.config/charrette");
        fs_err::create_dir_all(&settings)?;
        fs_err::write(
            settings.join("charrette.toml"),
            format!("[agents.codex]\ncommand = {}\n", json!(program)),
        )?;
        let mut command = namespace::in_namespace(&programs.mock_model);
        command
            .args(["--port", PORT])
            .arg(self.folder.join("script.json"))
            .arg(self.folder.join("log.jsonl"))
            .arg("--")
            .arg(&programs.charrette)
            .args(["ask", "--json", "--timeout", "150", "--agent", "codex", "--write"])
            .args(["--prompt-file", "../prompt.md", "--output", "../answer.md"]);
        let mut command = self.set_environment(command);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let (stdout, stderr, code) = processes::run(command, TIMEOUT)?;
        if code == Some(0) { Ok(()) } else { Err(format!("charrette ask: {code:?} {stdout}{stderr}").into()) }
    }

    fn replies(&self, output: &str) -> Result<Vec<Value>, String> {
        let text = fs_err::read_to_string(self.repository().join(output));
        let text = text.map_err(|error| format!("no server ran in the seat: {error}"))?;
        text.lines().map(|line| serde_json::from_str(line).map_err(|error| error.to_string())).collect()
    }

    /// Names of the state documents.
    fn state(&self) -> Vec<String> {
        let entries =
            fs_err::read_dir(self.repository().join(".claude/state")).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".json")).collect();
        names.sort();
        names
    }
}

/// Messages of a session with one call of each tool: the first four would change something.
fn conversation() -> String {
    let call = |id: u64, tool: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
    let client = json!({"name": "seat", "version": "1"});
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": greeting}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(1, "start", json!({"command": "research", "request": "how to take over"})),
        call(2, "resume", json!({"feature": FEATURE})),
        call(3, "stop", json!({"feature": FEATURE})),
        call(
            4,
            "answer",
            json!({"feature": FEATURE, "gate": "x", "shown": "1-x", "answers": {"scope": "x"}}),
        ),
        call(5, "wait", json!({"feature": FEATURE, "seconds": 0})),
        call(6, "read", json!({"feature": FEATURE})),
    ];
    messages.map(|message| format!("{message}\n")).concat()
}

fn check(replies: &[Value]) -> Result<(), String> {
    let result = |id: u64| {
        let found = replies.iter().find(|reply| reply["id"] == id);
        found.map(|reply| reply["result"].clone()).ok_or_else(|| format!("no reply {id}: {replies:?}"))
    };
    for id in 1..=4 {
        let result = result(id)?;
        let said = result["content"][0]["text"].as_str().unwrap_or_default();
        let is_refused = said.contains("an agent cannot") || said.contains("it may work for an agent");
        if result["isError"] != true || !is_refused {
            return Err(format!("call {id} was not refused: {result}"));
        }
    }
    if result(5)?["structuredContent"]["run"]["state"] != "complete" {
        return Err(format!("it does not look: {}", result(5)?));
    }
    if result(6)?["structuredContent"]["files"].as_array().is_none_or(Vec::is_empty) {
        return Err(format!("it does not read: {}", result(6)?));
    }
    Ok(())
}
