//! Session of a client that uses `charrette mcp`: its folders, its configuration, its command, and what its model was told.

use super::super::case_run::{PORT, Programs};
use super::super::clients::{self, Client};
use super::super::install::InstalledClients;
use super::super::{hostile, namespace, processes};
use crate::TaskResult;
use crate::programs;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Name of the run.
pub(super) const FEATURE: &str = "greeting";
/// Request of the run.
pub(super) const REQUEST: &str = "add a greeting for new users";
const FILES: [&str; 6] = ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"];

/// A client with a repository, a home and a scripted model.
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) folder: PathBuf,
}

impl Session {
    /// Writes repository, home, the entry of the server in the configuration of every client, and the script of the model.
    pub(super) fn prepare(
        name: &str,
        client: &str,
        script: &Value,
        programs: &Programs,
        runs: &Path,
    ) -> TaskResult<Session> {
        let client = clients::all().into_iter().find(|known| known.name == client).ok_or("no such client")?;
        let session = Session { client, folder: runs.join(name.replace('/', "-")) };
        let (repository, home) = (session.repository(), session.home());
        for inside in [&repository.join("src"), &home, &session.folder.join("tmp")] {
            fs_err::create_dir_all(inside)?;
        }
        fs_err::write(repository.join("src/users.py"), "def greet(user):\n    return 'hi ' + user\n")?;
        programs::create_repository(&repository)?;
        hostile::write_home(&home, &repository, &format!("http://127.0.0.1:{PORT}"), true)?;
        session.write_servers(&programs.charrette)?;
        fs_err::write(session.folder.join("script.json"), script.to_string())?;
        Ok(session)
    }

    fn write_servers(&self, program: &Path) -> TaskResult {
        let home = self.home();
        let entry =
            json!({"mcpServers": {"charrette": {"type": "stdio", "command": program, "args": ["mcp"]}}});
        fs_err::write(self.config(), entry.to_string())?;
        let mut codex = fs_err::OpenOptions::new().append(true).open(home.join(".codex/config.toml"))?;
        writeln!(codex, "[mcp_servers.charrette]\ncommand = {}\nargs = [\"mcp\"]", json!(program))?;
        let gemini = json!({"charrette": {"command": program, "args": ["mcp"], "trust": true}});
        add_member(&home.join(".gemini/settings.json"), "mcpServers", gemini)?;
        let opencode = json!({"charrette": {"type": "local", "command": [program, "mcp"], "enabled": true}});
        add_member(&home.join(".config/opencode/opencode.json"), "mcp", opencode)
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.folder.join("repo")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// File with the entry of the server, for Claude Code.
    pub(super) fn config(&self) -> PathBuf {
        self.folder.join("mcp.json")
    }

    /// Command of the client beside its model, in a namespace.
    pub(super) fn command(
        &self,
        programs: &Programs,
        installed: &InstalledClients,
        arguments: &[&str],
    ) -> TaskResult<Command> {
        let program = installed.program(&self.client).ok_or("the client has no program")?;
        let mut command = namespace::in_namespace(&programs.mock_model);
        command
            .args(["--port", PORT])
            .arg(self.folder.join("script.json"))
            .arg(self.log())
            .arg("--")
            .arg(program);
        let config = self.config().display().to_string();
        command.args(arguments.iter().map(|argument| argument.replace("{config}", &config)));
        let model = format!("http://127.0.0.1:{PORT}");
        let variables = self.client.environment.iter();
        command.envs(variables.map(|(name, value)| (*name, value.replace("{model}", &model))));
        self.set_environment(&mut command);
        Ok(command)
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

    /// Texts that the model got, by request.
    pub(super) fn told(&self) -> Vec<String> {
        let log = fs_err::read_to_string(self.log()).unwrap_or_default();
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter_map(|line| Some(line["last"].as_str()?.replace("\\\"", "\""))).collect()
    }

    /// Document of the run of a command.
    pub(super) fn document(&self, command: &str) -> Result<Value, String> {
        let path = self.repository().join(format!(".claude/state/{command}-{FEATURE}.json"));
        let text = fs_err::read_to_string(path).map_err(|error| format!("no run was started: {error}"))?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    /// Runs charrette as the person at the command line.
    pub(super) fn person(
        &self,
        programs: &Programs,
        arguments: &[&str],
        input: &str,
    ) -> Result<String, String> {
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
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(format!("charrette {arguments:?}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Fails if a file of the specification is missing.
    pub(super) fn check_files(&self) -> Result<(), String> {
        let folder = self.repository().join("specs").join(FEATURE);
        match FILES.iter().find(|file| !folder.join(file).is_file()) {
            Some(file) => Err(format!("{file} is missing")),
            None => Ok(()),
        }
    }

    /// Fails if a process of the session is left.
    pub(super) fn check_processes(&self) -> Result<(), String> {
        let left = processes::kill_processes_of(&self.home());
        if left.is_empty() { Ok(()) } else { Err(format!("processes are left: {left:?}")) }
    }
}

/// Adds a member to a JSON file.
fn add_member(path: &Path, name: &str, value: Value) -> TaskResult {
    let mut file: Value = serde_json::from_str(&fs_err::read_to_string(path)?)?;
    file[name] = value;
    fs_err::write(path, file.to_string())?;
    Ok(())
}
