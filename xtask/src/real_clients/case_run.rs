//! Runs a case: writes a hostile repository, a home and a script, and starts charrette in a namespace.

use super::cases::{Case, ESCAPE_SCRIPT, WORKTREES, escape_script, worktree_script};
use super::clients::Client;
use super::install::InstalledClients;
use super::{connections, hostile, namespace, processes};
use crate::TaskResult;
use crate::programs;
use serde_json::Value;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Port of the model. In a namespace every port is free.
pub(super) const PORT: &str = "4173";

/// Timeout of a case, longer than any of its clocks.
const TIMEOUT: Duration = Duration::from_secs(150);

/// Programs under test.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    pub(super) charrette: PathBuf,
    pub(super) mock_model: PathBuf,
}

/// Folder, arguments and environment of a case.
#[derive(Debug)]
pub(super) struct CaseRun {
    folder: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    prompt: String,
    /// True if connections are logged.
    is_traced: bool,
}

/// Result of a run.
#[derive(Debug)]
pub(super) struct CaseResult {
    /// Exit code; none if it was killed after the timeout.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Command lines of orphaned processes, which have been killed.
    pub(super) orphans: Vec<String>,
}

impl CaseRun {
    /// Writes the files of the case.
    pub(super) fn prepare(
        client: &Client,
        case: Case,
        installed: &InstalledClients,
        folder: &Path,
    ) -> TaskResult<CaseRun> {
        let (repository, home, sprung) = (folder.join("repo"), folder.join("home"), folder.join("sprung"));
        for inside in [&repository, &home, &sprung, &folder.join("tmp")] {
            fs_err::create_dir_all(inside)?;
        }
        let model = format!("http://127.0.0.1:{PORT}");
        hostile::write_repository(&repository, &sprung)?;
        hostile::write_home(&home, &repository, &model, client.has_lenient_user)?;
        programs::create_repository(&repository)?;
        let program = installed.program(client).unwrap_or_default();
        let settings =
            client.settings.replace("{program}", &program.to_string_lossy()).replace("{model}", &model);
        let settings = format!("[agents.{}]\n{settings}\n{}", client.name, case.settings());
        fs_err::create_dir_all(home.join(".config").join("charrette"))?;
        fs_err::write(home.join(".config").join("charrette").join("charrette.toml"), settings)?;
        let mut workplace = repository.clone();
        if case == Case::Escape {
            fs_err::write(folder.join(ESCAPE_SCRIPT), escape_script())?;
        }
        if case == Case::Worktree {
            workplace = create_worktrees(&repository)?;
            let script = worktree_script(&repository.to_string_lossy());
            fs_err::write(workplace.join(ESCAPE_SCRIPT), script)?;
        }
        let script = case.script(client, &workplace.to_string_lossy());
        fs_err::write(folder.join("script.json"), script.to_string())?;
        let prompt = prepare_prompt(case, &home);
        fs_err::write(folder.join("prompt.md"), &prompt)?;
        let variables = client.environment.iter();
        let environment =
            variables.map(|(name, value)| ((*name).to_owned(), value.replace("{model}", &model))).collect();
        Ok(CaseRun {
            folder: folder.to_owned(),
            arguments: case.arguments(client),
            environment,
            prompt,
            is_traced: case == Case::Answer,
        })
    }

    pub(super) fn run(&self, programs: &Programs) -> TaskResult<CaseResult> {
        let mut command = namespace::in_namespace(&programs.mock_model);
        command.args(["--port", PORT]).arg(self.folder.join("script.json")).arg(self.log()).arg("--");
        if self.is_traced {
            command.args(connections::trace_connections(&self.connections()));
        }
        command.arg(&programs.charrette).args(&self.arguments);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("TMPDIR", self.folder.join("tmp"))
            .env("LC_ALL", "C.UTF-8")
            .envs(self.environment.iter().cloned())
            .current_dir(self.repository())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let (stdout, stderr, code) = processes::run(command, TIMEOUT)?;
        fs_err::write(self.folder.join("stdout"), &stdout)?;
        fs_err::write(self.folder.join("stderr"), &stderr)?;
        Ok(CaseResult { code, stdout, stderr, orphans: processes::kill_processes_of(&self.home()) })
    }

    /// The answer in the output file of charrette.
    pub(super) fn answer(&self) -> Option<String> {
        fs_err::read_to_string(self.folder.join("answer.md")).ok()
    }

    pub(super) fn prompt(&self) -> &str {
        &self.prompt
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.folder.join("repo")
    }

    /// Names of the sprung traps.
    pub(super) fn sprung_traps(&self) -> Vec<String> {
        let entries = fs_err::read_dir(self.folder.join("sprung")).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Requests to the model with their bodies, except requests for a title.
    pub(super) fn model_requests(&self) -> Vec<(Value, String)> {
        let log = fs_err::read_to_string(self.log()).unwrap_or_default();
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let requests = lines.filter(|line| line["turn"].is_number() || line["turn"] == "after");
        let bodies = self.folder.join("log.jsonl.bodies");
        requests
            .map(|line| {
                let body = bodies.join(line["body"].as_str().unwrap_or_default());
                (line, fs_err::read_to_string(body).unwrap_or_default())
            })
            .collect()
    }

    /// Addresses connected to beyond loopback.
    pub(super) fn external_connections(&self) -> Vec<String> {
        connections::external_addresses(&self.connections())
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log.jsonl")
    }

    fn connections(&self) -> PathBuf {
        self.folder.join("connections")
    }
}

/// Makes the worktrees of two tasks, and returns the first.
fn create_worktrees(repository: &Path) -> TaskResult<PathBuf> {
    for worktree in WORKTREES {
        let added = Command::new("git")
            .args(["worktree", "add", "--quiet", "--detach", worktree])
            .current_dir(repository)
            .status()?;
        if !added.success() {
            return Err(format!("git worktree add {worktree} failed").into());
        }
    }
    Ok(repository.join(WORKTREES[0]).canonicalize()?)
}

/// Prompt of a case. That of `Answer` is long, has characters that are special on a command line, and names a secret file,
/// which is written too.
fn prepare_prompt(case: Case, home: &Path) -> String {
    if case != Case::Answer {
        return "Do what you think is right.\n".to_owned();
    }
    let secret = home.join("secret.txt");
    let _ = fs_err::write(&secret, "TRAP-secret\n");
    let line = "A line with \"quotes\", a \\ and an umlaut: ü, $HOME, `id`.\n";
    format!(
        "--help\n-p x\n\n{}\nSee @{} as well.\nThe end of the prompt.",
        line.repeat(3600),
        secret.display()
    )
}
