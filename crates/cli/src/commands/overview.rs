//! `charrette` without a command: what to do next in this folder.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_app::missing_repository::no_repository;
use charrette_app::status::{RunState, RunStatus, status};
use std::process::ExitCode;

/// Maximum number of runs listed.
const MAX_RUNS: usize = 5;

pub(crate) fn overview(invocation: &Invocation) -> Result<ExitCode, AppError> {
    let site = invocation.silent_site()?;
    if invocation.json {
        output::print_json(&status(&site)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if site.repository.is_none() {
        let problem = no_repository(&site);
        output::print_line(&format!("{}.", problem.message))?;
        for line in problem.more.iter().chain(&problem.hints) {
            output::print_line(line)?;
        }
        return print_help_line();
    }
    let runs = status(&site)?.runs;
    let open: Vec<&RunStatus> = runs.iter().filter(|run| run.state != RunState::Complete).collect();
    for run in open.iter().take(MAX_RUNS) {
        output::print_line(&next_line(run))?;
    }
    if open.len() > MAX_RUNS {
        output::print_line(&format!("… and {} more: charrette status", open.len() - MAX_RUNS))?;
    }
    if !open.is_empty() {
        output::print_line("")?;
    }
    if let Some(notice) = site.trust.notice() {
        output::print_line(&notice)?;
    }
    for flow in site.registry.all() {
        let command = flow.command.as_str();
        output::print_line(&format!("Begin a {command}: charrette {command} \"{}\"", flow.example))?;
    }
    output::print_line("See the agents: charrette agents")?;
    print_help_line()
}

fn print_help_line() -> Result<ExitCode, AppError> {
    output::print_line("All commands: charrette help")?;
    Ok(ExitCode::SUCCESS)
}

/// Line about an open run, with its next command.
fn next_line(run: &RunStatus) -> String {
    let feature = run.feature.clone().unwrap_or_else(|| format!("--command {}", run.command));
    let command = &run.command;
    match (&run.driver, run.waiting.as_slice(), run.state) {
        (_, _, RunState::Unreadable) => {
            format!("{command} of {feature} cannot be read: charrette abandon {feature} --command {command}")
        }
        (Some(driver), _, _) => format!("{command} of {feature} is running (process {})", driver.pid),
        (None, [], RunState::Failed) => format!("{command} of {feature} failed: charrette resume {feature}"),
        (None, [], _) => format!("{command} of {feature} stopped: charrette resume {feature}"),
        (None, gates, _) => {
            let gates = gates.join(", ");
            format!("{command} of {feature} waits for you at {gates}: charrette resume {feature}")
        }
    }
}
