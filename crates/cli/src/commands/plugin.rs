//! `charrette plugin`: the plug-in for hosts, as this program carries it.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::{AppError, agent_pool, plugin as app_plugin};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print or check the plug-in for Claude Code, Codex and Gemini
#[derive(Debug, Args)]
pub(crate) struct PluginArgs {
    #[command(subcommand)]
    command: PluginCommand,
}

#[derive(Debug, Subcommand)]
enum PluginCommand {
    /// Write the plug-in of this version into the user's state folder, and print its path
    Dir,
    /// Check a plug-in folder; that of this program, if none is named
    Validate {
        /// Folder of the plug-in
        folder: Option<PathBuf>,
    },
    /// Tell a new session if this program is older than the plug-in
    Session {
        /// Version of the plug-in
        #[arg(long, value_name = "VERSION")]
        plugin: String,
    },
}

pub(crate) fn plugin(invocation: &Invocation, args: &PluginArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        PluginCommand::Dir => {
            output::print_line(&install(invocation)?.display().to_string())?;
            Ok(ExitCode::SUCCESS)
        }
        PluginCommand::Validate { folder } => {
            let folder = folder.clone().map_or_else(|| install(invocation), Ok)?;
            let problems = app_plugin::check(&folder);
            if invocation.json {
                output::print_json(&json!({"folder": folder, "problems": problems}))?;
            } else if problems.is_empty() {
                output::print_line(&format!("{}: no problems", folder.display()))?;
            } else {
                output::print_line(&problems.join("\n"))?;
            }
            Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        PluginCommand::Session { plugin } => {
            if is_older(app_plugin::VERSION, plugin) {
                let text = format!(
                    "The charrette plugin is of version {plugin}, the program charrette of version {}: update the program.",
                    app_plugin::VERSION
                );
                let context = json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}});
                output::print_line(&context.to_string())?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn install(invocation: &Invocation) -> Result<PathBuf, AppError> {
    let site = invocation.silent_site()?;
    app_plugin::install(&agent_pool::state_folder(&site)).map_err(AppError::failed)
}

/// True if a version is older than another; versions that are no numbers are the same.
fn is_older(version: &str, other: &str) -> bool {
    let numbers =
        |text: &str| text.split('.').map(|part| part.parse::<u32>().ok()).collect::<Option<Vec<u32>>>();
    matches!((numbers(version), numbers(other)), (Some(version), Some(other)) if version < other)
}

#[cfg(test)]
mod tests {
    use super::is_older;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, other, older) in [
            ("0.2.0", "0.10.0", true),
            ("0.2.0", "0.2.0", false),
            ("1.0.0", "0.9.9", false),
            ("0.2.0", "next", false),
        ] {
            assert_eq!(is_older(version, other), older, "{version} {other}");
        }
    }
}
