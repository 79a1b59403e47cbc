//! `charrette stop`: terminates the process that drives a run. Completed steps are kept.

use crate::commands::checkpoint::CommandName;
use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_app::run_lookup::{self, feature_argument};
use charrette_app::stop::{STOP_TIMEOUT, StopOutcome, stop as stop_run};
use clap::Args;
use serde_json::json;
use std::process::ExitCode;

/// Stop the process that drives a run; the run can be resumed
///
/// Sends SIGTERM to the process, which terminates its agents, and waits for it to exit. When the run is resumed,
/// agent calls that succeeded are not repeated.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// Name of the feature
    feature: String,
    /// Command of the run, if the feature has several runs
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
}

pub(crate) fn stop(invocation: &Invocation, args: &StopArgs) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    let name = run_lookup::find_run(&site, Some(&args.feature), args.command.map(|command| command.0))?;
    let feature = feature_argument(&name);
    let outcome = stop_run(&site, &name, STOP_TIMEOUT)?;
    if invocation.json {
        let pid = match &outcome {
            StopOutcome::Stopped(holder) => Some(holder.pid),
            StopOutcome::NotDriven => None,
        };
        output::print_json(&json!({"feature": feature, "command": name.command(), "stopped": pid}))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::print_line(&match outcome {
        StopOutcome::Stopped(holder) => {
            format!(
                "Stopped process {}; finished steps are kept. Resume: charrette resume {feature}",
                holder.pid
            )
        }
        StopOutcome::NotDriven => format!("No process is driving {feature}."),
    })?;
    Ok(ExitCode::SUCCESS)
}
