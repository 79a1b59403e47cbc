//! `charrette config`: prints, validates and initialises the configuration.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::enclosure::refuse_inside_agent;
use charrette_app::{AppError, Site};
use charrette_model::config::integrations::{self, Integrations};
use charrette_model::config::keys::KEYS;
use charrette_model::config::repository_rules::restricted;
use charrette_store::integrations::{INTEGRATIONS, integrations_text};
use charrette_store::layout::check_folder;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Show, check or initialise the configuration
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print every setting with its value and origin, and the integrations
    Show,
    /// Print {valid, errors, warnings}; exit 0 if valid, 1 if not
    Check,
    /// Create charrette.toml and .claude/config/integrations.json if they do not exist
    Init,
}

pub(crate) fn config(invocation: &Invocation, args: &ConfigArgs) -> Result<ExitCode, AppError> {
    let site = invocation.silent_site()?;
    match args.command {
        ConfigCommand::Show => show(&site),
        ConfigCommand::Check => check(&site),
        ConfigCommand::Init => init(&site),
    }
}

fn show(site: &Site) -> Result<ExitCode, AppError> {
    let layers: Vec<Value> = site
        .layers
        .iter()
        .map(|file| json!({"layer": file.layer, "path": file.path, "present": file.present}))
        .collect();
    let text = integrations_text(&site.root).map_err(AppError::failed)?;
    let integrations = match integrations::read(text.as_deref()) {
        Ok((integrations, _)) => json!(integrations),
        Err(problem) => json!({"error": problem.to_string()}),
    };
    output::print_json(&json!({
        "layers": layers,
        "values": site.settings.all(),
        "integrations": integrations,
        "repository": repository(site),
    }))?;
    Ok(ExitCode::SUCCESS)
}

/// Settings of the repository that do not count, the limits of all that it cannot set freely, and the trust in it.
fn repository(site: &Site) -> Value {
    let limits: serde_json::Map<String, Value> = restricted()
        .filter_map(|(key, rule)| Some((key.name.to_owned(), Value::from(rule.describe()?))))
        .collect();
    let digest = Some(site.trust.manifest.digest()).filter(|digest| !digest.is_empty());
    json!({
        "digest": digest,
        "trusted": digest.map(|_| site.trust.is_trusted()),
        "ignored": site.ignored,
        "limits": limits,
    })
}

fn check(site: &Site) -> Result<ExitCode, AppError> {
    let (errors, warnings): (Vec<_>, Vec<_>) = site.problems.iter().partition(|problem| problem.is_error());
    let messages = |problems: Vec<&charrette_model::config::ConfigProblem>| -> Vec<String> {
        problems.into_iter().map(|problem| problem.message().to_owned()).collect()
    };
    let (mut errors, mut warnings) = (messages(errors), messages(warnings));
    warnings.extend(site.trust.notice());
    match integrations::read(integrations_text(&site.root).map_err(AppError::failed)?.as_deref()) {
        Ok((_, unknown)) => {
            warnings.extend(unknown.iter().map(|unknown| format!("{INTEGRATIONS}: {unknown}")));
        }
        Err(problem) => errors.push(problem.to_string()),
    }
    let valid = errors.is_empty();
    output::print_json(&json!({"valid": valid, "errors": errors, "warnings": warnings}))?;
    Ok(if valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Creates the configuration files; existing ones are kept.
fn init(site: &Site) -> Result<ExitCode, AppError> {
    refuse_inside_agent(site, "write settings")?;
    let disabled = serde_json::to_string_pretty(&Integrations::default()).map_err(AppError::failed)?;
    let files = [("charrette.toml", default_config()), (INTEGRATIONS, disabled + "\n")];
    for (name, _) in &files {
        // A link of the repository must not lead a file elsewhere.
        check_folder(&site.root, site.root.join(name).parent().unwrap_or(&site.root))?;
    }
    let (mut created, mut kept) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let path = site.root.join(name);
        if write_new(&path, &content).map_err(AppError::failed)? {
            created.push(path);
        } else {
            kept.push(path);
        }
    }
    output::print_json(&json!({"created": created, "kept": kept}))?;
    Ok(ExitCode::SUCCESS)
}

/// Example of agents and seats, commented out.
const AGENTS_EXAMPLE: &str = "
## Agents. Installed clients (claude, codex, cursor, gemini, opencode) need no entry; `charrette agents` lists them.
## An entry changes one, or adds another:
# [agents.codex]
# effort = \"high\"
# [agents.local]
# kind = \"openai\"
# url = \"http://127.0.0.1:8080/v1\"
## Chains of agents, by seat or group:
# [seats]
# planner = [\"claude\", \"codex\"]
";

/// Content of a new charrette.toml: every setting with its default, commented out.
fn default_config() -> String {
    let mut text =
        String::from("# Settings of charrette for this repository. All are optional; defaults are shown.\n");
    let mut section = "";
    for key in KEYS.iter().filter(|key| !key.name.contains('*')) {
        let (table, name) = key.name.split_once('.').unwrap_or(("", key.name));
        if table != section {
            let _ = write!(text, "\n[{table}]\n");
            section = table;
        }
        let value = key.default.unwrap_or("…");
        let _ = writeln!(text, "# {name} = {value}  # {}", key.purpose);
    }
    text.push_str(AGENTS_EXAMPLE);
    text
}

/// Creates a file; returns false if the path already exists.
fn write_new(path: &PathBuf, content: &str) -> io::Result<bool> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    fs_err::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let mut file = match fs_err::OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        other => other?,
    };
    io::Write::write_all(&mut file, content.as_bytes())?;
    Ok(true)
}
