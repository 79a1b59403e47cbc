//! Real clients as hosts of `charrette mcp`: a scripted model starts a design, waits, answers its questions and is refused the
//! approval; then the person answers at the command line, and the run ends.

use super::case_run::{PORT, Programs};
use super::clients::{self, Client};
use super::install::InstalledClients;
use super::{hostile, namespace, processes};
use crate::TaskResult;
use crate::programs;
use serde_json::{Value, json};
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Timeout of a session.
const TIMEOUT: Duration = Duration::from_mins(5);
const FEATURE: &str = "greeting";
const FILES: [&str; 6] = ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"];

/// A client as a host, without a person.
#[derive(Debug, Clone, Copy)]
pub(super) struct Host {
    pub(super) name: &'static str,
    client: &'static str,
    /// Arguments; `{config}` is the file with the server.
    arguments: &'static [&'static str],
    /// Name of a tool for its model, by the name of the tool.
    tool: fn(&str, Value) -> Value,
    /// Name of the client on record.
    recorded: &'static str,
}

/// All hosts.
pub(super) const ALL: [Host; 2] = [
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
        recorded: "claude-code",
    },
    Host {
        name: "host/codex",
        client: "codex",
        arguments: &["exec", "--skip-git-repo-check", "Design a greeting with charrette."],
        tool: |tool, arguments| json!({"tool": tool, "namespace": "mcp__charrette", "arguments": arguments}),
        recorded: "codex-mcp-client",
    },
];

/// The model's turns: start, wait, answer the first gate, wait, answer the questions of the second, try to approve.
fn script(host: &Host) -> Value {
    let tool = |name: &str, arguments: Value| json!({"calls": [(host.tool)(name, arguments)]});
    let wait = || tool("wait", json!({"feature": FEATURE, "seconds": 40}));
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
    let start = json!({
        "command": "design", "request": "add a greeting for new users", "feature": FEATURE, "options": {"auto": true},
    });
    let turns = [
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
    ];
    json!({"turns": turns, "side": {"text": "a title"}, "after": {"text": "nothing more"}})
}

/// Folder of a session.
struct Session<'a> {
    host: &'a Host,
    client: Client,
    folder: PathBuf,
}

/// Runs a session; the error is the first failed check.
pub(super) fn run(
    host: &Host,
    programs: &Programs,
    installed: &InstalledClients,
    runs: &Path,
) -> Result<(), String> {
    let client = clients::all().into_iter().find(|client| client.name == host.client);
    let client = client.ok_or_else(|| format!("no client {}", host.client))?;
    let session = Session { host, client, folder: runs.join(host.name.replace('/', "-")) };
    session.prepare(programs).map_err(|error| error.to_string())?;
    session.talk(programs, installed).map_err(|error| error.to_string())?;
    session.check(programs)
}

impl Session<'_> {
    fn repository(&self) -> PathBuf {
        self.folder.join("repo")
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    fn config(&self) -> PathBuf {
        self.folder.join("mcp.json")
    }

    /// Writes repository, home, the entry of the server and the script.
    fn prepare(&self, programs: &Programs) -> TaskResult {
        let (repository, home) = (self.repository(), self.home());
        for inside in [&repository.join("src"), &home, &self.folder.join("tmp")] {
            fs_err::create_dir_all(inside)?;
        }
        fs_err::write(repository.join("src/users.py"), "def greet(user):\n    return 'hi ' + user\n")?;
        programs::create_repository(&repository)?;
        hostile::write_home(&home, &repository, &format!("http://127.0.0.1:{PORT}"), true)?;
        let program = &programs.charrette;
        let entry =
            json!({"mcpServers": {"charrette": {"type": "stdio", "command": program, "args": ["mcp"]}}});
        fs_err::write(self.config(), entry.to_string())?;
        let mut codex = fs_err::OpenOptions::new().append(true).open(home.join(".codex/config.toml"))?;
        writeln!(codex, "[mcp_servers.charrette]\ncommand = {}\nargs = [\"mcp\"]", json!(program))?;
        fs_err::write(self.folder.join("script.json"), script(self.host).to_string())?;
        Ok(())
    }

    /// Lets the client talk with its model in a namespace.
    fn talk(&self, programs: &Programs, installed: &InstalledClients) -> TaskResult {
        let program = installed.program(&self.client).ok_or("the client has no program")?;
        let mut command = namespace::in_namespace(&programs.mock_model);
        command
            .args(["--port", PORT])
            .arg(self.folder.join("script.json"))
            .arg(self.log())
            .arg("--")
            .arg(program);
        let config = self.config().display().to_string();
        command.args(self.host.arguments.iter().map(|argument| argument.replace("{config}", &config)));
        let model = format!("http://127.0.0.1:{PORT}");
        let variables = self.client.environment.iter();
        command.envs(variables.map(|(name, value)| (*name, value.replace("{model}", &model))));
        self.set_environment(&mut command);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let (stdout, stderr, _) = processes::run(command, TIMEOUT)?;
        fs_err::write(self.folder.join("stdout"), stdout)?;
        fs_err::write(self.folder.join("stderr"), stderr)?;
        Ok(())
    }

    fn set_environment(&self, command: &mut Command) {
        command
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.home())
            .env("TMPDIR", self.folder.join("tmp"))
            .env("LC_ALL", "C.UTF-8")
            .current_dir(self.repository())
            .stdin(Stdio::null());
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log.jsonl")
    }

    /// Checks what the model was told, what is on record, and that the person ends the run.
    fn check(&self, programs: &Programs) -> Result<(), String> {
        let told = self.told();
        let is_told = |text: &str| told.iter().any(|told| told.contains(text));
        for text in
            ["only a person answers it", &format!("charrette resume {FEATURE}"), "Gate pre-design asks"]
        {
            if !is_told(text) && !is_told(&text.replace("Gate pre-design asks", "\"gate\":\"pre-design\"")) {
                return Err(format!("the model was not told: {text}"));
            }
        }
        let gates = self.document()?["gates"].clone();
        let (before, after) = (&gates["pre-design"], &gates["post-design"]);
        if before["by"] != "agent" || before["via"]["scope"]["client"] != self.host.recorded {
            return Err(format!("the answers are not on record as the model's: {before}"));
        }
        if after["state"] != "pending" {
            return Err(format!("the model moved the approval: {after}"));
        }
        self.person(programs, &["answer", FEATURE, "--file", "-"], "post-design:\n  approval: yes\n")?;
        self.person(programs, &["resume", FEATURE], "")?;
        let missing =
            FILES.iter().find(|file| !self.repository().join("specs").join(FEATURE).join(file).is_file());
        if let Some(file) = missing {
            return Err(format!("{file} is missing"));
        }
        let left = processes::kill_processes_of(&self.home());
        if left.is_empty() { Ok(()) } else { Err(format!("processes are left: {left:?}")) }
    }

    /// Texts that the model got, by request.
    fn told(&self) -> Vec<String> {
        let log = fs_err::read_to_string(self.log()).unwrap_or_default();
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter_map(|line| Some(line["last"].as_str()?.replace("\\\"", "\""))).collect()
    }

    fn document(&self) -> Result<Value, String> {
        let path = self.repository().join(format!(".claude/state/design-{FEATURE}.json"));
        let text = fs_err::read_to_string(path).map_err(|error| format!("no run was started: {error}"))?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    /// Runs charrette as the person at the command line.
    fn person(&self, programs: &Programs, arguments: &[&str], input: &str) -> Result<(), String> {
        let mut command = Command::new(&programs.charrette);
        command.args(arguments);
        self.set_environment(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input.as_bytes()).map_err(|error| error.to_string())?;
        }
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("charrette {arguments:?}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}
