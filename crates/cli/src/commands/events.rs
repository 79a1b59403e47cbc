//! `charrette events` and `charrette log`: what happened in a run, as it happens and afterwards.

use crate::commands::checkpoint::CommandName;
use crate::here::Here;
use crate::output;
use crate::progress::{self, Showing};
use charrette_app::events::{EventStream, events as read_events};
use charrette_app::{AppError, Site, read, which};
use charrette_engine::{Event, EventKind};
use charrette_model::checkpoint::DocumentName;
use charrette_model::shown::one_line;
use charrette_term::ArtifactReader;
use clap::Args;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// How often a run that is followed is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Print the events of a run, one per line
#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// The feature
    feature: String,
    /// The run of this command, if the feature has several
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
    /// Go on printing what happens, until the run stops
    #[arg(long)]
    follow: bool,
}

/// Show what happened in a run, as it looked
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// The feature
    feature: String,
    /// The run of this command, if the feature has several
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
}

pub(crate) fn events(here: &Here, args: &EventsArgs) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let name = which::run(&site, Some(&args.feature), args.command.map(|command| command.0))?;
    if !args.follow {
        let (events, unreadable) = read_events(&site, &name)?;
        for event in &events {
            print(here, event)?;
        }
        say_unreadable(here, unreadable);
        return Ok(ExitCode::SUCCESS);
    }
    let mut stream = EventStream::open(&site, &name)?;
    loop {
        let new = stream.next_events()?;
        for event in &new {
            print(here, event)?;
        }
        if new.is_empty() {
            if !is_driven(&site, &name)? {
                // What was written between the last look and the end of the driver.
                for event in &stream.next_events()? {
                    print(here, event)?;
                }
                return Ok(ExitCode::SUCCESS);
            }
            std::thread::sleep(LOOK);
        }
    }
}

fn is_driven(site: &Site, name: &DocumentName) -> Result<bool, AppError> {
    let lease = site.documents().folder().lease(name);
    Ok(charrette_store::Lease::holder(&lease).map_err(AppError::failed)?.is_some())
}

fn print(here: &Here, event: &Event) -> Result<(), AppError> {
    if here.json {
        return output::line(&serde_json::to_string(event).map_err(AppError::failed)?);
    }
    match described(&event.kind) {
        Some(what) => output::line(&format!("{} {}", event.at, one_line(&what))),
        None => Ok(()),
    }
}

/// An event in one line; nothing for those that only say how to show others.
fn described(event: &EventKind) -> Option<String> {
    Some(match event {
        EventKind::RunStarted { command, feature, resumed } => {
            let how = if *resumed { "resumed" } else { "started" };
            format!("{command} of {} {how}", feature.as_deref().unwrap_or("-"))
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
        EventKind::Warning { message } => format!("warning: {message}"),
        EventKind::VoteTallied { about, outcomes } => {
            let counts: Vec<String> = outcomes.iter().map(|(what, n)| format!("{n} {what}")).collect();
            format!("votes on {about}: {}", counts.join(", "))
        }
        EventKind::RunFinished { status, .. } => format!("run ended: {status}"),
        _ => return None,
    })
}

pub(crate) fn log(here: &Here, args: &LogArgs) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let name = which::run(&site, Some(&args.feature), args.command.map(|command| command.0))?;
    let (events, unreadable) = read_events(&site, &name)?;
    if events.is_empty() {
        output::note(here, "No event of this run was kept.");
        return Ok(ExitCode::SUCCESS);
    }
    let workspace = read::workspace(&site, &name)?;
    let reader: ArtifactReader = Arc::new(move |name| match workspace.read(name, None) {
        Ok(Some(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(None) => Err("it is not there any more".to_owned()),
        Err(error) => Err(error.to_string()),
    });
    // The story of every driver, one after the other, each as it looked when it ended.
    let mut view = progress::still_view(here, Showing::default(), reader.clone());
    for event in &events {
        if matches!(event.kind, EventKind::RunStarted { .. }) {
            view = progress::still_view(here, Showing::default(), reader.clone());
        }
        view.watcher()(event);
    }
    say_unreadable(here, unreadable);
    Ok(ExitCode::SUCCESS)
}

fn say_unreadable(here: &Here, lines: usize) {
    if lines > 0 {
        output::note(here, &format!("Warning: {lines} lines of the events cannot be read and were left out"));
    }
}
