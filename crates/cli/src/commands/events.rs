//! `charrette events` and `charrette log`: event stream and replayed progress of a run.

use crate::commands::checkpoint::CommandName;
use crate::invocation::Invocation;
use crate::output;
use crate::progress::{self, DisplayOptions};
use charrette_app::events::{EventStream, events as read_events};
use charrette_app::{AppError, Site, read, run_lookup};
use charrette_engine::{Event, EventKind};
use charrette_model::checkpoint::DocumentName;
use charrette_model::escape::one_line;
use charrette_term::ArtifactReader;
use clap::Args;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Polling interval of `--follow`.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Print the events of a run, one per line
#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Name of the feature
    feature: String,
    /// Command of the run, if the feature has several runs
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
    /// Print new events as they happen, until the run stops
    #[arg(long)]
    follow: bool,
}

/// Replay the recorded progress of a run
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Name of the feature
    feature: String,
    /// Command of the run, if the feature has several runs
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
}

pub(crate) fn events(invocation: &Invocation, args: &EventsArgs) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    let name = run_lookup::find_run(&site, Some(&args.feature), args.command.map(|command| command.0))?;
    if !args.follow {
        let (events, unreadable) = read_events(&site, &name)?;
        for event in &events {
            print(invocation, event)?;
        }
        warn_unreadable(invocation, unreadable);
        return Ok(ExitCode::SUCCESS);
    }
    let mut stream = EventStream::open(&site, &name)?;
    loop {
        let new = stream.next_events()?;
        for event in &new {
            print(invocation, event)?;
        }
        if new.is_empty() {
            if !has_driver(&site, &name)? {
                // Events written between the last poll and the exit of the driver.
                for event in &stream.next_events()? {
                    print(invocation, event)?;
                }
                return Ok(ExitCode::SUCCESS);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

/// True if a process holds the lease of the run.
fn has_driver(site: &Site, name: &DocumentName) -> Result<bool, AppError> {
    let lease = site.documents().folder().lease(name);
    Ok(charrette_store::Lease::holder(&lease).map_err(AppError::failed)?.is_some())
}

fn print(invocation: &Invocation, event: &Event) -> Result<(), AppError> {
    if invocation.json {
        return output::print_line(&serde_json::to_string(event).map_err(AppError::failed)?);
    }
    match describe(&event.kind) {
        Some(text) => output::print_line(&format!("{} {}", event.at, one_line(&text))),
        None => Ok(()),
    }
}

/// Describes an event in one line; none for display-only events.
fn describe(event: &EventKind) -> Option<String> {
    Some(match event {
        EventKind::RunStarted { command, feature, resumed } => {
            let verb = if *resumed { "resumed" } else { "started" };
            format!("{command} of {} {verb}", feature.as_deref().unwrap_or("-"))
        }
        EventKind::PhaseStarted { phase } => format!("phase {phase} started"),
        EventKind::PhaseFinished { phase } => format!("phase {phase} finished"),
        EventKind::StepStarted { step, attempt, why, .. } => {
            format!("{step} started (attempt {attempt}: {why})")
        }
        EventKind::StepReused { step, .. } => format!("{step} reused"),
        EventKind::StepFinished { step, outputs, .. } if outputs.is_empty() => format!("{step} finished"),
        EventKind::StepFinished { step, outputs, .. } => format!("{step} finished: {}", outputs.join(", ")),
        EventKind::StepFailed { step, error, .. } => format!("{step} failed: {error}"),
        EventKind::AgentStarted { step, agent } => format!("{step}: {agent} started"),
        EventKind::AgentFinished { step, agent, status, seconds, .. } => {
            format!("{step}: {agent} ended after {seconds:.0} s: {status}")
        }
        EventKind::GateWaiting { gate, questions } => {
            let keys: Vec<&str> = questions.iter().map(|question| question.key.as_str()).collect();
            format!("waiting at {gate}: {}", keys.join(", "))
        }
        EventKind::GateAnswered { gate, state } => format!("{gate}: {state}"),
        EventKind::Warning { message, .. } => format!("warning: {message}"),
        EventKind::VoteTallied { about, outcomes } => {
            let counts: Vec<String> = outcomes.iter().map(|(outcome, n)| format!("{n} {outcome}")).collect();
            format!("votes on {about}: {}", counts.join(", "))
        }
        EventKind::RunFinished { status, .. } => format!("run ended: {status}"),
        _ => return None,
    })
}

pub(crate) fn log(invocation: &Invocation, args: &LogArgs) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    let name = run_lookup::find_run(&site, Some(&args.feature), args.command.map(|command| command.0))?;
    let (events, unreadable) = read_events(&site, &name)?;
    if events.is_empty() {
        output::note(invocation, "No events recorded for this run.");
        return Ok(ExitCode::SUCCESS);
    }
    let workspace = read::workspace(&site, &name)?;
    let reader: ArtifactReader = Arc::new(move |name| match workspace.read(name, None) {
        Ok(Some(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(None) => Err("file no longer exists".to_owned()),
        Err(error) => Err(error.to_string()),
    });
    // One view per driver process, in order.
    let mut view = progress::static_view(invocation, DisplayOptions::default(), reader.clone());
    for event in &events {
        if matches!(event.kind, EventKind::RunStarted { .. }) {
            view = progress::static_view(invocation, DisplayOptions::default(), reader.clone());
        }
        view.watcher()(event);
    }
    warn_unreadable(invocation, unreadable);
    Ok(ExitCode::SUCCESS)
}

fn warn_unreadable(invocation: &Invocation, lines: usize) {
    if lines > 0 {
        output::note(invocation, &format!("Warning: skipped unreadable lines of the event log: {lines}"));
    }
}
