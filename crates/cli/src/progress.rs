//! What a person, or a program, sees of a run while it goes on: plain lines, or events as JSON.

use crate::output;
use charrette_engine::{Event, EventKind};
use charrette_model::shown::shown;
use std::sync::Arc;

/// Where the events of a run are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    json: bool,
    quiet: bool,
}

impl Screen {
    pub(crate) fn new(json: bool, quiet: bool) -> Screen {
        Screen { json, quiet }
    }

    /// Shows every event as it happens. A screen that is gone does not stop a run.
    pub(crate) fn watcher(self) -> Arc<dyn Fn(&Event) + Send + Sync> {
        Arc::new(move |event| {
            if event.kind.is_for_people_only() {
                return;
            }
            if self.json {
                let _ = output::line(&serde_json::to_string(event).unwrap_or_default());
            } else if !self.quiet
                && let Some(line) = line(&event.kind)
            {
                let _ = output::line(&line);
            }
        })
    }
}

fn line(event: &EventKind) -> Option<String> {
    Some(match event {
        EventKind::RunStarted { command, feature, resumed } => {
            let verb = if *resumed { "resuming" } else { "starting" };
            format!("{verb} {command} {}", feature.as_deref().unwrap_or_default())
        }
        EventKind::PhaseStarted { phase } => phase.clone(),
        EventKind::PhaseFinished { phase } => format!("{phase}: complete"),
        EventKind::StepStarted { step, attempt, why, .. } => match attempt {
            1 => format!("  {step}"),
            _ => format!("  {step} (attempt {attempt}: {})", shown(why)),
        },
        EventKind::StepFailed { step, error, .. } => format!("  {step}: failed: {}", shown(error)),
        EventKind::AgentFinished { step, agent, status, seconds, .. } if status != "ok" => {
            format!("  {step}: {agent} gave no answer after {seconds:.0}s: {}", shown(status))
        }
        EventKind::GateAnswered { gate, state } => format!("{gate}: {state}"),
        EventKind::Warning { message } => format!("Warning: {}", shown(message)),
        EventKind::RunFinished { status, files } => format!("{status}; everything is in {}", files.display()),
        EventKind::StepReused { .. }
        | EventKind::StepFinished { .. }
        | EventKind::AgentStarted { .. }
        | EventKind::AgentFinished { .. }
        | EventKind::GateWaiting { .. }
        | EventKind::VoteTallied { .. }
        | EventKind::StageBegan { .. }
        | EventKind::StageEnded { .. }
        | EventKind::Lanes { .. }
        | EventKind::Line { .. }
        | EventKind::Document { .. } => return None,
    })
}
