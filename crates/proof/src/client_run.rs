//! One run of a real client on the stage.

use crate::calls::proof_calls;
use crate::configuration::Configuration;
use crate::hook_check::check_hook;
use crate::model::{MAIN_MARK, ScriptLog, ScriptedModel};
use crate::process::{self, Output};
use crate::stage::Stage;
use crate::verdict::{Failure, Verdict, judge, short};
use charrette_hosts::Client;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Time limit of a client.
const CLIENT_LIMIT: Duration = Duration::from_mins(3);
/// Time limit of the hook on its own, and of a version.
pub(crate) const SHORT_LIMIT: Duration = Duration::from_secs(30);

/// An address of loopback at which nothing answers, for programs that need no model.
pub(crate) const NO_MODEL: &str = "http://127.0.0.1:9";

/// A client that is installed, and where it finds programs.
#[derive(Debug, Clone)]
pub struct ClientProgram {
    pub client: Client,
    pub program: PathBuf,
    /// `PATH` of the user.
    pub path: OsString,
    /// Program of the hook, as found on `PATH`.
    pub hook: Option<PathBuf>,
}

/// A proof that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error(
        "{0} cannot be proven: only Claude Code, Codex and Gemini CLI can be pointed at a scripted model"
    )]
    Unsupported(&'static str),
    #[error("{client} did not reach the scripted model: {detail}")]
    NoContact { client: &'static str, detail: String },
}

/// Proves the hooks of a configuration, in a throw-away folder below `scratch`.
pub fn prove(
    program: &ClientProgram,
    configuration: &Configuration,
    scratch: &Path,
) -> Result<Verdict, ProofError> {
    if !matches!(program.client, Client::Claude | Client::Codex | Client::Gemini) {
        return Err(ProofError::Unsupported(program.client.label()));
    }
    let stage = Stage::set_up(scratch, configuration)?;
    let mut found: Vec<Failure> = Vec::new();
    for event in configuration.missing_events() {
        found.push(Failure::new(event, "the hook is not installed"));
    }
    found.extend(check_hook(program, &stage));
    let (calls, script) = proof_calls(program.client, &stage);
    let model = ScriptedModel::start(script)?;
    let command = match program.client {
        Client::Codex => codex(program, &stage, &model.url())?,
        Client::Gemini => gemini(program, &stage, &model.url())?,
        _ => claude(program, &stage, &model.url())?,
    };
    let output = process::run(command, b"", CLIENT_LIMIT, &stage.output())?;
    let log = model.log();
    if log.first_request.is_empty() {
        return Err(ProofError::NoContact { client: program.client.label(), detail: detail(&output, &log) });
    }
    let mut verdict = judge(program.client, &calls, &log, &stage);
    found.append(&mut verdict.failures);
    Ok(Verdict { failures: found, ..verdict })
}

/// Version of a client; none if it does not tell.
pub fn client_version(program: &ClientProgram, scratch: &Path) -> Option<String> {
    let empty = Configuration { client: program.client, layers: Vec::new() };
    let stage = Stage::set_up(scratch, &empty).ok()?;
    let mut command = base_command(program, &program.program, &stage, NO_MODEL);
    command.arg("--version");
    let output = process::run(command, b"", SHORT_LIMIT, &stage.output()).ok()?;
    let words = output.stdout.split(|c: char| c.is_whitespace() || "()".contains(c)).map(str::to_owned);
    words.into_iter().find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
}

/// A command with nothing of the user's in it but `PATH`. All traffic ends at the scripted model.
pub(crate) fn base_command(
    program: &ClientProgram,
    executable: &Path,
    stage: &Stage,
    model: &str,
) -> Command {
    let mut command = Command::new(executable);
    command.env_clear().current_dir(stage.repository());
    command.env("PATH", &program.path).env("HOME", stage.home()).env("TMPDIR", stage.temporary());
    command.env("LC_ALL", "C.UTF-8").env("TERM", "dumb").env("SHELL", "/bin/sh").env("NO_COLOR", "1");
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        command.env(name, model);
    }
    command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
    // No configuration of git but that of the throw-away repository.
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

fn claude(program: &ClientProgram, stage: &Stage, model: &str) -> io::Result<Command> {
    let trusted = json!({
        "hasCompletedOnboarding": true,
        "projects": {stage.repository().display().to_string(): {"hasTrustDialogAccepted": true}},
    });
    fs_err::write(stage.home().join(".claude.json"), trusted.to_string())?;
    let mut command = base_command(program, &program.program, stage, model);
    command.env("ANTHROPIC_BASE_URL", model).env("ANTHROPIC_API_KEY", "scripted");
    for name in [
        "DISABLE_TELEMETRY",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_AUTOUPDATER",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    ] {
        command.env(name, "1");
    }
    command.args(["-p", &prompt(), "--output-format", "json", "--permission-mode", "acceptEdits"]);
    command.args(["--allowedTools", "Bash,Read,Write,Agent,Task"]);
    Ok(command)
}

fn codex(program: &ClientProgram, stage: &Stage, model: &str) -> io::Result<Command> {
    let folder = stage.client_folder(Client::Codex);
    fs_err::create_dir_all(&folder)?;
    let path = folder.join("config.toml");
    let switches = fs_err::read_to_string(&path).unwrap_or_default();
    // Strings of JSON are strings of TOML.
    let text = |value: &str| json!(value).to_string();
    let settings = [
        "model = \"scripted\"".to_owned(),
        "model_provider = \"scripted\"".to_owned(),
        "[analytics]\nenabled = false".to_owned(),
        format!("[projects.{}]\ntrust_level = \"trusted\"", text(&stage.repository().display().to_string())),
        "[model_providers.scripted]\nname = \"scripted\"\nenv_key = \"SCRIPTED_KEY\"\nwire_api = \"responses\"".to_owned(),
        "request_max_retries = 1\nstream_max_retries = 1".to_owned(),
        format!("base_url = {}", text(&format!("{model}/v1"))),
    ]
    .join("\n");
    fs_err::write(&path, format!("{settings}\n{switches}"))?;
    let mut command = base_command(program, &program.program, stage, model);
    command.env("CODEX_HOME", &folder).env("SCRIPTED_KEY", "scripted");
    command.args(["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]);
    command.args(["-s", "danger-full-access", &prompt()]);
    Ok(command)
}

fn gemini(program: &ClientProgram, stage: &Stage, model: &str) -> io::Result<Command> {
    let folder = stage.client_folder(Client::Gemini);
    fs_err::create_dir_all(&folder)?;
    let path = folder.join("settings.json");
    let copied = fs_err::read_to_string(&path).unwrap_or_default();
    let mut settings: Value = serde_json::from_str(&copied).unwrap_or_else(|_| json!({}));
    settings["security"] = json!({"auth": {"selectedType": "gemini-api-key"}});
    settings["privacy"] = json!({"usageStatisticsEnabled": false});
    settings["general"] = json!({"maxAttempts": 2, "enableAutoUpdate": false});
    fs_err::write(&path, settings.to_string())?;
    let trusted = json!({stage.repository().display().to_string(): "TRUST_FOLDER"});
    fs_err::write(folder.join("trustedFolders.json"), trusted.to_string())?;
    let mut command = base_command(program, &program.program, stage, model);
    command.env("GEMINI_API_KEY", "scripted").env("GOOGLE_GEMINI_BASE_URL", model);
    command.args(["-p", &prompt(), "-o", "json", "-m", "gemini-2.5-flash", "--approval-mode", "yolo"]);
    Ok(command)
}

fn prompt() -> String {
    format!("{MAIN_MARK}: make the calls of the script.")
}

fn detail(output: &Output, log: &ScriptLog) -> String {
    let code = output.code.map_or_else(|| "it was ended".to_owned(), |code| format!("exit code {code}"));
    let said = if output.stderr.trim().is_empty() { &output.stdout } else { &output.stderr };
    let refused = if log.refused.is_empty() {
        String::new()
    } else {
        format!("; it wanted {}", log.refused.join(", "))
    };
    format!("{code}: {}{refused}", short(said))
}
