//! The plug-in in its hosts: it passes the host's own check, is installed from the marketplace of this repository, and its
//! hooks, server and skills run from there. Where the program is missing, nothing is blocked and the model is told what to
//! install.

use super::case_run::{PORT, Programs};
use super::clients::{self, Client};
use super::install::InstalledClients;
use super::{hostile, namespace, processes};
use crate::TaskResult;
use crate::programs::{create_repository, root};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Timeout of one command.
const TIMEOUT: Duration = Duration::from_mins(3);
/// What a new session is told if the program is missing.
const MISSING: &str = "cargo install --locked --path crates/cli";

/// A case for one host.
#[derive(Debug, Clone, Copy)]
pub(super) struct PluginCase {
    pub(super) name: &'static str,
    client: &'static str,
    /// Commands that check and install it; `{marketplace}` and `{plugin}` are folders.
    install: &'static [&'static [&'static str]],
    session: &'static [&'static str],
    /// Calls of the model: the tool, its namespace if the API has them, and its arguments.
    calls: &'static [(&'static str, Option<&'static str>, &'static str)],
    /// Texts that the model must have got.
    told: &'static [&'static str],
    /// Programs of the plug-in that must have run, with their first arguments.
    ran: &'static [&'static str],
    /// Files that the model writes.
    written: &'static [&'static str],
    has_program: bool,
}

const CLAUDE_INSTALL: &[&[&str]] = &[
    &["plugin", "validate", "--strict", "{plugin}"],
    &["plugin", "marketplace", "add", "{marketplace}", "--json"],
    &["plugin", "install", "charrette@charrette", "--json"],
];
const CODEX_INSTALL: &[&[&str]] = &[
    &["plugin", "marketplace", "add", "{marketplace}", "--json"],
    &["plugin", "add", "charrette@charrette", "--json"],
];
const CLAUDE_SESSION: &[&str] =
    &["-p", "Show the runs.", "--allowedTools", "mcp__plugin_charrette_charrette__*,Skill,Write,Bash"];
const CODEX_SESSION: &[&str] = &[
    "exec",
    "--skip-git-repo-check",
    "--dangerously-bypass-hook-trust",
    "-s",
    "workspace-write",
    "Use $charrette:status to show the runs.",
];
const CLAUDE_WRITES: &[(&str, Option<&str>, &str)] = &[
    ("Write", None, r#"{"file_path": "{repo}/written-0", "content": "x"}"#),
    ("Bash", None, r#"{"command": "echo x > written-1", "description": "write"}"#),
];

pub(super) const ALL: [PluginCase; 5] = [
    PluginCase {
        name: "plugin/gemini",
        client: "gemini",
        install: &[&["extensions", "validate", "{plugin}"], &["extensions", "link", "{plugin}", "--consent"]],
        session: &["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", "Show the runs."],
        calls: &[("mcp_charrette_wait", None, "{}")],
        told: &["There is no run in this repository."],
        ran: &["charrette mcp"],
        written: &[],
        has_program: true,
    },
    PluginCase {
        name: "plugin/claude",
        client: "claude",
        install: CLAUDE_INSTALL,
        session: CLAUDE_SESSION,
        calls: &[
            ("mcp__plugin_charrette_charrette__wait", None, "{}"),
            ("Skill", None, r#"{"skill": "charrette:status"}"#),
            CLAUDE_WRITES[0],
            CLAUDE_WRITES[1],
        ],
        told: &["There is no run in this repository.", "If a gate waits, show its page"],
        ran: &[
            "charrette mcp",
            "charrette plugin",
            "charrette-hook SessionStart",
            "charrette-hook PreToolUse",
        ],
        written: &["written-0", "written-1"],
        has_program: true,
    },
    PluginCase {
        name: "plugin/claude-missing",
        client: "claude",
        install: CLAUDE_INSTALL,
        session: CLAUDE_SESSION,
        calls: CLAUDE_WRITES,
        told: &[MISSING],
        ran: &[],
        written: &["written-0", "written-1"],
        has_program: false,
    },
    PluginCase {
        name: "plugin/codex",
        client: "codex",
        install: CODEX_INSTALL,
        session: CODEX_SESSION,
        calls: &[
            ("wait", Some("mcp__charrette"), "{}"),
            ("exec_command", None, r#"{"cmd": "echo x > written-0"}"#),
        ],
        told: &["There is no run in this repository.", "If a gate waits, show its page"],
        ran: &[
            "charrette mcp",
            "charrette plugin",
            "charrette-hook SessionStart",
            "charrette-hook PreToolUse",
        ],
        written: &["written-0"],
        has_program: true,
    },
    PluginCase {
        name: "plugin/codex-missing",
        client: "codex",
        install: CODEX_INSTALL,
        session: CODEX_SESSION,
        calls: &[("exec_command", None, r#"{"cmd": "echo x > written-0"}"#)],
        told: &[MISSING],
        ran: &[],
        written: &["written-0"],
        has_program: false,
    },
];

impl PluginCase {
    /// Runs the case; the error is the first failed check.
    pub(super) fn run(
        &self,
        programs: &Programs,
        installed: &InstalledClients,
        runs: &Path,
    ) -> Result<(), String> {
        let folder = runs.join(self.name.replace('/', "-"));
        let bench = Bench::prepare(self, programs, installed, folder).map_err(|error| error.to_string())?;
        for words in self.install {
            bench.run(&Command::new(&bench.program), words).map_err(|error| error.to_string())?;
        }
        let mut model = Command::new(&programs.mock_model);
        model.args(["--port", PORT]).arg(bench.folder.join("script.json")).arg(bench.log()).arg("--");
        model.arg(&bench.program);
        bench.run(&model, self.session).map_err(|error| error.to_string())?;
        bench.check(self)
    }

    fn script(&self, repository: &Path) -> Value {
        let repository = repository.to_string_lossy();
        let turns = self.calls.iter().map(|(tool, namespace, arguments)| {
            let mut call = clients::tool_call(tool, arguments, &repository);
            if let Some(namespace) = namespace {
                call["namespace"] = (*namespace).into();
            }
            json!({"calls": [call]})
        });
        let turns: Vec<Value> = turns.chain([json!({"text": "Done."})]).collect();
        json!({"order": "history", "turns": turns, "side": {"text": "a title"}})
    }
}

/// Folders of a case, and the program of the client.
struct Bench {
    folder: PathBuf,
    client: Client,
    program: PathBuf,
}

impl Bench {
    fn prepare(
        case: &PluginCase,
        programs: &Programs,
        installed: &InstalledClients,
        folder: PathBuf,
    ) -> TaskResult<Bench> {
        for inside in ["repo", "home", "tmp", "bin", "marketplace"] {
            fs_err::create_dir_all(folder.join(inside))?;
        }
        let client =
            clients::all().into_iter().find(|client| client.name == case.client).ok_or("no such client")?;
        let program = installed.program(&client).ok_or("the client has no program")?;
        let bench = Bench { folder, client, program };
        let repository = bench.folder.join("repo");
        create_repository(&repository)?;
        hostile::write_home(
            &bench.folder.join("home"),
            &repository,
            &format!("http://127.0.0.1:{PORT}"),
            true,
        )?;
        for part in [".claude-plugin", "plugin"] {
            copy(&root().join(part), &bench.folder.join("marketplace").join(part))?;
        }
        if case.has_program {
            bench.add_program("charrette", &programs.charrette)?;
            bench.add_program("charrette-hook", &programs.charrette.with_file_name("charrette-hook"))?;
        }
        fs_err::write(bench.folder.join("script.json"), case.script(&repository).to_string())?;
        Ok(bench)
    }

    /// Puts a program on the path that notes its arguments.
    fn add_program(&self, name: &str, program: &Path) -> TaskResult {
        let (ran, program) = (self.folder.join("ran"), program.display());
        let script =
            format!("#!/bin/sh\necho \"{name} $*\" >> '{}'\nexec '{program}' \"$@\"\n", ran.display());
        let path = self.folder.join("bin").join(name);
        fs_err::write(&path, script)?;
        Ok(fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755))?)
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log.jsonl")
    }

    /// Runs a command of the client in a namespace.
    fn run(&self, command: &Command, words: &[&str]) -> TaskResult {
        let marketplace = self.folder.join("marketplace");
        let (marketplace, plugin) =
            (marketplace.display().to_string(), marketplace.join("plugin").display().to_string());
        let words =
            words.iter().map(|word| word.replace("{marketplace}", &marketplace).replace("{plugin}", &plugin));
        let mut inside = namespace::in_namespace(Path::new(command.get_program()));
        let model = format!("http://127.0.0.1:{PORT}");
        let variables = self.client.environment.iter();
        inside
            .args(command.get_args())
            .args(words)
            .env_clear()
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.folder.join("bin").display()))
            .env("HOME", self.folder.join("home"))
            .env("TMPDIR", self.folder.join("tmp"))
            .env("LC_ALL", "C.UTF-8")
            .envs(variables.map(|(name, value)| (*name, value.replace("{model}", &model))))
            .current_dir(self.folder.join("repo"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let (stdout, stderr, code) = processes::run(inside, TIMEOUT)?;
        if code == Some(0) {
            return Ok(());
        }
        let arguments: Vec<_> = command.get_args().collect();
        Err(format!("{} {arguments:?}: {code:?}: {stdout}{stderr}", self.client.name).into())
    }

    fn check(&self, case: &PluginCase) -> Result<(), String> {
        let bodies = fs_err::read_dir(self.folder.join("log.jsonl.bodies")).into_iter().flatten().flatten();
        let bodies: Vec<String> =
            bodies.filter_map(|entry| fs_err::read_to_string(entry.path()).ok()).collect();
        if let Some(text) = case.told.iter().find(|text| !bodies.iter().any(|body| body.contains(**text))) {
            return Err(format!("the model was not told: {text}"));
        }
        let ran = fs_err::read_to_string(self.folder.join("ran")).unwrap_or_default();
        if let Some(start) = case.ran.iter().find(|start| !ran.lines().any(|line| line.starts_with(**start)))
        {
            return Err(format!("{start} did not run; these did: {ran:?}"));
        }
        let repository = self.folder.join("repo");
        if let Some(file) = case.written.iter().find(|file| !repository.join(file).is_file()) {
            return Err(format!("{file} was not written: something blocked it"));
        }
        let left = processes::kill_processes_of(&self.folder.join("home"));
        if left.is_empty() { Ok(()) } else { Err(format!("processes are left: {left:?}")) }
    }
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> TaskResult {
    fs_err::create_dir_all(to)?;
    for entry in fs_err::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs_err::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
