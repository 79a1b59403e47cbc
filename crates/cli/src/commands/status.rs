//! `charrette status`: lists the runs of this repository, newest first.

use crate::commands::explain;
use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::status::{RunState, RunStatus, status as app_status};
use charrette_model::checkpoint::StopKind;
use charrette_model::escape::printable;
use clap::Args;
use jiff::SignedDuration;
use std::fmt::Write as _;
use std::process::ExitCode;

/// List the runs of this repository, newest first
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Show which steps of this feature's run would be reused or executed again on resume, and why
    #[arg(long, value_name = "FEATURE")]
    why: Option<String>,
}

pub(crate) fn status(invocation: &Invocation, args: &StatusArgs) -> Result<ExitCode, AppError> {
    if let Some(feature) = &args.why {
        return explain::explain_steps(invocation, feature);
    }
    let site = invocation.site()?;
    let status = app_status(&site)?;
    if invocation.json {
        output::print_json(&status)?;
    } else {
        output::print_line(&page(&site, &status.runs))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Human-readable listing: one line per run, then problems and failures.
fn page(site: &Site, runs: &[RunStatus]) -> String {
    let root = site.root.display();
    if runs.is_empty() {
        let note = if site.repository.is_none() { " (not a git repository)" } else { "" };
        return format!("No runs in {root}{note}.");
    }
    let table: Vec<[String; 6]> = runs.iter().map(columns).collect();
    let widths: Vec<usize> = (0..5)
        .map(|n| table.iter().map(|row| row[n].len()).max().unwrap_or(0).max(HEADINGS[n].len()))
        .collect();
    let mut lines = vec![padded(&HEADINGS.map(str::to_owned), &widths)];
    lines.extend(table.iter().map(|row| padded(row, &widths)));
    let problems = runs.iter().filter_map(|run| run.problem.as_deref());
    lines.extend(problems.map(|problem| format!("\n{problem}")));
    lines.extend(runs.iter().filter_map(stop_reason));
    lines.join("\n")
}

const HEADINGS: [&str; 6] = ["FEATURE", "COMMAND", "PHASE", "AGE", "HEAD", "DRIVEN BY"];

fn columns(run: &RunStatus) -> [String; 6] {
    let phase = match (run.state, run.phase.as_deref()) {
        (RunState::Unreadable, _) => "unreadable".to_owned(),
        (RunState::Complete, _) => "complete".to_owned(),
        (RunState::Failed, Some(phase)) => format!("{phase} (failed)"),
        (_, Some(phase)) if run.waiting.is_empty() => match &run.stopped {
            Some(stopped) if stopped.kind == StopKind::Interrupted => format!("{phase} (interrupted)"),
            Some(stopped) if stopped.kind == StopKind::Refused => format!("{phase} (refused)"),
            _ => phase.to_owned(),
        },
        (_, Some(phase)) => {
            let gates: Vec<String> = run.waiting.iter().map(|gate| printable(gate).to_string()).collect();
            format!("{phase} (waiting at {})", gates.join(", "))
        }
        (_, None) => "-".to_owned(),
    };
    let age = run.age_seconds.map_or("-".to_owned(), age);
    let head = if run.stale { "moved" } else { "-" }.to_owned();
    let driver = run
        .driver
        .as_ref()
        .map_or("-".to_owned(), |driver| format!("process {} ({})", driver.pid, printable(&driver.command)));
    [run.feature.clone().unwrap_or_else(|| "-".to_owned()), run.command.clone(), phase, age, head, driver]
}

/// Pads the cells; names, phases and ages are always ASCII, so their length is their width.
fn padded(row: &[String; 6], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, width) in row.iter().zip(widths) {
        let _ = write!(line, "{cell:<width$}  ");
    }
    line + &row[5]
}

fn age(seconds: i64) -> String {
    let age = SignedDuration::from_secs(seconds.max(0));
    match (age.as_secs(), age.as_mins(), age.as_hours()) {
        (seconds, 0, _) => format!("{seconds}s"),
        (_, minutes, 0) => format!("{minutes}m"),
        (_, _, hours) if hours < 48 => format!("{hours}h"),
        (_, _, hours) => format!("{}d", hours / 24),
    }
}

/// First line of the error of a failed or refused run.
fn stop_reason(run: &RunStatus) -> Option<String> {
    let stopped = run.stopped.as_ref().filter(|_| run.driver.is_none())?;
    let feature = run.feature.as_deref().unwrap_or(&run.command);
    match stopped.kind {
        StopKind::Failed | StopKind::Refused => {
            let first = stopped.message.lines().next().unwrap_or_default();
            Some(format!("\n{feature}: {}", printable(first)))
        }
        StopKind::Waiting | StopKind::Interrupted => None,
    }
}
