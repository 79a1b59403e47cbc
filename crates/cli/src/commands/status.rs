//! `charrette status`: all runs here, newest first.

use crate::commands::why;
use crate::here::Here;
use crate::output;
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::status::{RunState, RunStatus, status as app_status};
use charrette_model::checkpoint::StopKind;
use charrette_model::shown::shown;
use clap::Args;
use jiff::SignedDuration;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Show all runs in this repository, newest first
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Show what will happen to each step of this feature's run when it is resumed, and why
    #[arg(long, value_name = "FEATURE")]
    why: Option<String>,
}

pub(crate) fn status(here: &Here, args: &StatusArgs) -> Result<ExitCode, AppError> {
    if let Some(feature) = &args.why {
        return why::why(here, feature);
    }
    let site = here.site()?;
    let status = app_status(&site)?;
    if here.json {
        output::json(&status)?;
    } else {
        output::line(&page(&site, &status.runs))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The page for people: one line per run, then what needs attention.
fn page(site: &Site, runs: &[RunStatus]) -> String {
    let place = site.root.display();
    if runs.is_empty() {
        let outside = if site.repository.is_none() { " (not a git repository)" } else { "" };
        return format!("No runs in {place}{outside}.");
    }
    let table: Vec<[String; 6]> = runs.iter().map(columns).collect();
    let widths: Vec<usize> = (0..5)
        .map(|n| table.iter().map(|row| row[n].len()).max().unwrap_or(0).max(HEADINGS[n].len()))
        .collect();
    let mut lines = vec![padded(&HEADINGS.map(str::to_owned), &widths)];
    lines.extend(table.iter().map(|row| padded(row, &widths)));
    let problems = runs.iter().filter_map(|run| run.problem.as_deref());
    lines.extend(problems.map(|problem| format!("\n{problem}")));
    lines.extend(runs.iter().filter_map(why_stopped));
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
            let gates: Vec<String> = run.waiting.iter().map(|gate| shown(gate).to_string()).collect();
            format!("{phase} (waiting at {})", gates.join(", "))
        }
        (_, None) => "-".to_owned(),
    };
    let age = run.age_seconds.map_or("-".to_owned(), age);
    let head = if run.stale { "moved" } else { "-" }.to_owned();
    let driver = run
        .driver
        .as_ref()
        .map_or("-".to_owned(), |driver| format!("process {} ({})", driver.pid, shown(&driver.command)));
    [run.feature.clone().unwrap_or_else(|| "-".to_owned()), run.command.clone(), phase, age, head, driver]
}

/// Names, phases and ages are ASCII by their own rules, so their length is their width.
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

/// Why a run stopped, where that is more than a question to a person.
fn why_stopped(run: &RunStatus) -> Option<String> {
    let stopped = run.stopped.as_ref().filter(|_| run.driver.is_none())?;
    let feature = run.feature.as_deref().unwrap_or(&run.command);
    match stopped.kind {
        StopKind::Failed | StopKind::Refused => {
            let first = stopped.message.lines().next().unwrap_or_default();
            Some(format!("\n{feature}: {}", shown(first)))
        }
        StopKind::Waiting | StopKind::Interrupted => None,
    }
}
