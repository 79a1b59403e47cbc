//! `charrette status`: all runs here, newest first.

use crate::arguments::Global;
use crate::commands::why;
use crate::error::CommandError;
use crate::output;
use crate::site::Site;
use charrette_model::feature::name::FeaturePath;
use charrette_model::shown::shown;
use charrette_store::listing::Row;
use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// Show all runs in this repository, newest first
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Show what will happen to each step of this feature's run when it is resumed, and why
    #[arg(long, value_name = "FEATURE")]
    why: Option<String>,
}

pub(crate) fn status(global: &Global, args: &StatusArgs) -> Result<ExitCode, CommandError> {
    if let Some(feature) = &args.why {
        return why::why(global, feature);
    }
    let site = Site::open(global)?;
    let documents = site.documents();
    let head = documents.head();
    let rows = documents.list()?;
    let runs: Vec<Run<'_>> = rows.iter().map(|row| Run::of(row, head.as_deref(), site.now.at())).collect();
    if global.json {
        output::json(&Status { root: &site.root, head: head.as_deref(), runs })?;
    } else {
        output::line(&page(&site, &runs))?;
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Status<'a> {
    root: &'a Path,
    head: Option<&'a str>,
    runs: Vec<Run<'a>>,
}

#[derive(Serialize)]
struct Run<'a> {
    feature: Option<&'a str>,
    command: &'a str,
    /// The phase at work or next; none when the run is complete.
    phase: Option<&'a str>,
    state: State,
    updated_at: Option<&'a str>,
    age_seconds: Option<i64>,
    /// HEAD has moved since the run was saved.
    stale: bool,
    driver: Option<&'a charrette_store::Holder>,
    path: &'a Path,
    /// The gates that wait for a person.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    waiting: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum State {
    Open,
    Failed,
    Complete,
    Unreadable,
}

impl<'a> Run<'a> {
    fn of(row: &'a Row, head: Option<&str>, now: Timestamp) -> Run<'a> {
        let name = (row.name.feature().map(FeaturePath::as_str), row.name.command());
        let base = Run {
            feature: name.0,
            command: name.1,
            phase: None,
            state: State::Unreadable,
            updated_at: None,
            age_seconds: None,
            stale: false,
            driver: row.driver.as_ref(),
            path: &row.path,
            waiting: &[],
            problem: None,
        };
        match &row.glance {
            Err(error) => Run { problem: Some(error.to_string()), ..base },
            Ok(glance) => {
                let phase = glance.phase();
                let state = match phase {
                    _ if glance.completed_at.is_some() => State::Complete,
                    Some((_, true)) => State::Failed,
                    _ => State::Open,
                };
                let stale =
                    glance.head_commit.as_deref().zip(head).is_some_and(|(saved, head)| saved != head);
                let age =
                    glance.updated_at.as_ref().map(|updated| now.duration_since(updated.at()).as_secs());
                Run {
                    phase: phase.map(|(name, _)| name),
                    state,
                    updated_at: glance.updated_at.as_ref().map(charrette_model::stamp::Stamp::as_str),
                    age_seconds: age,
                    stale: stale && state != State::Complete,
                    waiting: if state == State::Complete { &[] } else { &glance.waiting },
                    ..base
                }
            }
        }
    }
}

/// The page for people: one line per run, then what needs attention.
fn page(site: &Site, runs: &[Run<'_>]) -> String {
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
    lines.join("\n")
}

const HEADINGS: [&str; 6] = ["FEATURE", "COMMAND", "PHASE", "AGE", "HEAD", "DRIVEN BY"];

fn columns(run: &Run<'_>) -> [String; 6] {
    let phase = match (run.state, run.phase) {
        (State::Unreadable, _) => "unreadable".to_owned(),
        (State::Complete, _) => "complete".to_owned(),
        (State::Failed, Some(phase)) => format!("{phase} (failed)"),
        (_, Some(phase)) if run.waiting.is_empty() => phase.to_owned(),
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
        .map_or("-".to_owned(), |driver| format!("process {} ({})", driver.pid, shown(&driver.command)));
    [run.feature.unwrap_or("-").to_owned(), run.command.to_owned(), phase, age, head, driver]
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
