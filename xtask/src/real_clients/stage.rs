//! One run: a folder with a hostile repository, a home, a script; charrette in a namespace; what came of it.

use super::cases::Case;
use super::clients::Client;
use super::install::Installed;
use super::{connections, hostile, namespace, processes};
use crate::Outcome;
use crate::programs;
use serde_json::Value;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// Port of the model. In a namespace every port is free.
pub(super) const PORT: &str = "4173";

/// No case takes longer; if one does, something did not end what it should have.
const PATIENCE: Duration = Duration::from_secs(150);

/// Programs of ours that take part.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    pub(super) charrette: PathBuf,
    pub(super) mock_model: PathBuf,
}

/// Environment of a case.
#[derive(Debug)]
pub(super) struct Stage {
    folder: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    prompt: String,
    /// True if connections are logged.
    traced: bool,
}

/// Result of a run.
#[derive(Debug)]
pub(super) struct CaseResult {
    /// The exit code; none if it had to be killed.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Processes that were left, by their command lines. They have been ended.
    pub(super) left: Vec<String>,
}

impl Stage {
    /// Builds the scene.
    pub(super) fn set(client: &Client, case: Case, installed: &Installed, folder: &Path) -> Outcome<Stage> {
        let (repository, home, sprung) = (folder.join("repo"), folder.join("home"), folder.join("sprung"));
        for inside in [&repository, &home, &sprung, &folder.join("tmp")] {
            fs_err::create_dir_all(inside)?;
        }
        let model = format!("http://127.0.0.1:{PORT}");
        hostile::repository(&repository, &sprung)?;
        hostile::home(&home, &repository, &model, client.lenient_user)?;
        programs::repository(&repository)?;
        let program = installed.program(client).unwrap_or_default();
        let settings =
            client.settings.replace("{program}", &program.to_string_lossy()).replace("{model}", &model);
        let settings = format!("[agents.{}]\n{settings}\n{}", client.name, case.settings());
        fs_err::create_dir_all(home.join(".config").join("charrette"))?;
        fs_err::write(home.join(".config").join("charrette").join("charrette.toml"), settings)?;
        fs_err::write(
            folder.join("script.json"),
            case.script(client, &repository.to_string_lossy()).to_string(),
        )?;
        let prompt = prompt(case, &home);
        fs_err::write(folder.join("prompt.md"), &prompt)?;
        let variables = client.environment.iter();
        let environment =
            variables.map(|(name, value)| ((*name).to_owned(), value.replace("{model}", &model))).collect();
        Ok(Stage {
            folder: folder.to_owned(),
            arguments: case.arguments(client),
            environment,
            prompt,
            traced: case == Case::Answer,
        })
    }

    /// Plays it.
    pub(super) fn play(&self, programs: &Programs) -> Outcome<CaseResult> {
        let mut command = namespace::in_namespace(&programs.mock_model);
        command.args(["--port", PORT]).arg(self.folder.join("script.json")).arg(self.log()).arg("--");
        if self.traced {
            command.args(connections::traced_to(&self.connections()));
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
        let (stdout, stderr, code) = processes::run(command, PATIENCE)?;
        fs_err::write(self.folder.join("stdout"), &stdout)?;
        fs_err::write(self.folder.join("stderr"), &stderr)?;
        Ok(CaseResult { code, stdout, stderr, left: processes::end_processes_of(&self.home()) })
    }

    /// The answer that charrette put into its file.
    pub(super) fn answer(&self) -> Option<String> {
        fs_err::read_to_string(self.folder.join("answer.md")).ok()
    }

    /// Prompt for the client.
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
    pub(super) fn asked(&self) -> Vec<(Value, String)> {
        let log = fs_err::read_to_string(self.log()).unwrap_or_default();
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let asked = lines.filter(|line| line["turn"].is_number() || line["turn"] == "after");
        let bodies = self.folder.join("log.jsonl.bodies");
        asked
            .map(|line| {
                let body = bodies.join(line["body"].as_str().unwrap_or_default());
                (line, fs_err::read_to_string(body).unwrap_or_default())
            })
            .collect()
    }

    /// Addresses connected to beyond loopback.
    pub(super) fn connected_beyond(&self) -> Vec<String> {
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

/// A long one with everything a command line would trip over, where the prompt is what matters.
fn prompt(case: Case, home: &Path) -> String {
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
