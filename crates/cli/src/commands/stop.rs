//! `charrette stop`: end the process that drives a run. What it has done is kept.

use crate::commands::checkpoint::CommandName;
use crate::here::Here;
use crate::output;
use charrette_app::AppError;
use charrette_app::stop::{PATIENCE, StopOutcome, stop as stop_run};
use charrette_app::which::{self, shown_feature};
use clap::Args;
use serde_json::json;
use std::process::ExitCode;

/// Stop a run that a process is driving; it can be resumed
///
/// The process is asked to end, ends its agents, and is waited for. Agents that have answered are not asked again.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// The feature
    feature: String,
    /// The run of this command, if the feature has several
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
}

pub(crate) fn stop(here: &Here, args: &StopArgs) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let name = which::run(&site, Some(&args.feature), args.command.map(|command| command.0))?;
    let feature = shown_feature(&name);
    let outcome = stop_run(&site, &name, PATIENCE)?;
    if here.json {
        let pid = match &outcome {
            StopOutcome::Stopped(holder) => Some(holder.pid),
            StopOutcome::NotDriven => None,
        };
        output::json(&json!({"feature": feature, "command": name.command(), "stopped": pid}))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(&match outcome {
        StopOutcome::Stopped(holder) => {
            format!(
                "Stopped process {}; what was done is kept. To go on: charrette resume {feature}",
                holder.pid
            )
        }
        StopOutcome::NotDriven => format!("No process is driving {feature}."),
    })?;
    Ok(ExitCode::SUCCESS)
}
