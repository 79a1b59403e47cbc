//! `charrette status`: lists the runs of this repository, newest first.

use crate::commands::explain;
use crate::invocation::Invocation;
use crate::{output, progress};
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::status::{RunState, RunStatus, Status, status as app_status};
use charrette_model::checkpoint::{GateState, StopKind};
use charrette_model::escape::printable;
use clap::Args;
use jiff::SignedDuration;
use std::fmt::Write as _;
use std::iter;
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
        let width = if progress::is_terminal() { progress::style(invocation).width } else { usize::MAX };
        output::print_line(&page(&site, &status, width))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Human-readable listing of all runs, without a limit of its width.
pub(crate) fn status_page(site: &Site) -> Result<String, AppError> {
    Ok(page(site, &app_status(site)?, usize::MAX))
}

/// Human-readable listing: one line per run, then problems and failures.
fn page(site: &Site, status: &Status, width: usize) -> String {
    let (root, runs) = (site.root.display(), &status.runs);
    let deleted = status.deleted.iter().map(|run| {
        format!("\n{run}: its state document was deleted. Rebuild it: charrette resume {run} --rebuild")
    });
    if runs.is_empty() {
        let note = if site.repository.is_none() { " (not a git repository)" } else { "" };
        return iter::once(format!("No runs in {root}{note}.")).chain(deleted).collect::<Vec<_>>().join("\n");
    }
    let mut rows: Vec<Vec<String>> = vec![HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(runs.iter().map(|run| columns(run).to_vec()));
    // Columns that say nothing are left out.
    let said: Vec<usize> = (0..HEADINGS.len())
        .filter(|&n| n < ALWAYS_SHOWN || rows[1..].iter().any(|row| row[n] != "-"))
        .collect();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| said.iter().map(|&n| row[n].clone()).collect()).collect();
    let mut lines = fitted(&rows, width);
    let problems = runs.iter().filter_map(|run| run.problem.as_deref());
    lines.extend(problems.map(|problem| format!("\n{problem}")));
    lines.extend(runs.iter().filter_map(stop_reason));
    lines.extend(deleted);
    lines.join("\n")
}

const HEADINGS: [&str; 6] = ["FEATURE", "COMMAND", "PHASE", "AGE", "HEAD", "DRIVEN BY"];
/// Number of columns that are shown even if they are empty.
const ALWAYS_SHOWN: usize = 4;

/// Lines with aligned columns. What does not fit beside the others goes to a line of its own, indented.
fn fitted(rows: &[Vec<String>], width: usize) -> Vec<String> {
    let count = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        (0..count).map(|n| rows.iter().map(|row| row[n].chars().count()).max().unwrap_or_default()).collect();
    let total = widths.iter().sum::<usize>() + 2 * count.saturating_sub(1);
    let line = |cells: &[String], widths: &[usize]| {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        line.trim_end().to_owned()
    };
    if total <= width {
        return rows.iter().map(|row| line(row, &widths)).collect();
    }
    let mut lines = Vec::new();
    for row in rows {
        lines.push(row[0].clone());
        lines.push(format!("  {}", line(&row[1..], &widths[1..])));
    }
    lines
}

fn columns(run: &RunStatus) -> [String; 6] {
    let mut phase = match (run.state, run.phase.as_deref()) {
        (RunState::Unreadable, _) => "unreadable".to_owned(),
        (RunState::Complete, _) => match run.verdict {
            Some(GateState::Approved) => "complete, approved".to_owned(),
            _ => "complete".to_owned(),
        },
        (RunState::Failed, Some(phase)) => format!("{phase} (failed)"),
        (_, Some(phase)) if run.waiting.is_empty() => match &run.stopped {
            _ if run.verdict == Some(GateState::Rejected) => format!("{phase} (rejected)"),
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
    if run.without_model {
        phase.push_str(", no model");
    }
    let age = run.age_seconds.map_or("-".to_owned(), age);
    let head = if run.stale { "moved" } else { "-" }.to_owned();
    let driver = run
        .driver
        .as_ref()
        .map_or("-".to_owned(), |driver| format!("process {} ({})", driver.pid, printable(&driver.command)));
    [run.feature.clone().unwrap_or_else(|| "-".to_owned()), run.command.clone(), phase, age, head, driver]
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
