//! The five calls that never fail: save, load, update-phase, complete, resume-point.
//!
//! Whatever goes wrong is logged as one line on standard error; the answer is then `false`, `null` or an
//! empty resume point, and the exit code is 0, so that a script goes on without its checkpoint.

use super::arguments::Which;
use crate::here::Here;
use crate::{input, output};
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::error::way_out;
use charrette_model::checkpoint::{
    Checkpoint, ResumePoint, TransitionError, phase_name, read, resume_point as point_of,
};
use charrette_store::documents::{Changed, Loaded};
use charrette_store::{Documents, StoreError};
use serde_json::Value;
use std::process::ExitCode;

pub(super) fn save(here: &Here, which: &Which) -> Result<ExitCode, AppError> {
    acknowledged(here, "Failed to save checkpoint", |site, documents| {
        let name = which.name().map_err(plain)?;
        let document = read(&input::bytes(None)?).map_err(TransitionError::from).map_err(plain)?;
        Ok(documents.save(&name, &document, site.now)?)
    })
}

pub(super) fn update_phase(here: &Here, which: &Which, phase: &str) -> Result<ExitCode, AppError> {
    acknowledged(here, "Failed to update phase", |site, documents| {
        let name = which.name().map_err(plain)?;
        phase_name(phase).map_err(plain)?;
        let data: Value = serde_json::from_slice(&input::bytes(None)?)
            .map_err(|error| plain(format!("Invalid data for phase \"{phase}\": not JSON ({error})")))?;
        Ok(documents.update_phase(&name, phase, &data, site.now)?)
    })
}

pub(super) fn complete(here: &Here, which: &Which) -> Result<ExitCode, AppError> {
    acknowledged(here, "Failed to complete checkpoint", |site, documents| {
        let name = which.name().map_err(plain)?;
        let open = documents.load(&name)?.map(|loaded| open_phases(&loaded.document)).unwrap_or_default();
        let changed = documents.complete(&name, site.now)?;
        if !open.is_empty() {
            output::note(here, &format!("Warning: completed with phases still open: {}", open.join(", ")));
        }
        Ok(changed)
    })
}

pub(super) fn load(here: &Here, which: &Which) -> Result<ExitCode, AppError> {
    let document = loaded(here, which).map(|loaded| loaded.document);
    output::json(&document)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn resume_point(here: &Here, which: &Which) -> Result<ExitCode, AppError> {
    let point = loaded(here, which).map_or_else(ResumePoint::default, |loaded| point_of(&loaded.document));
    output::json(&point)?;
    Ok(ExitCode::SUCCESS)
}

/// What a call says when it cannot do its work.
enum Failure {
    /// The whole message.
    Plain(String),
    /// A message to put behind the name of the operation.
    During(String),
}

#[expect(clippy::needless_pass_by_value, reason = "it stands in map_err, which gives values")]
fn plain(message: impl ToString) -> Failure {
    Failure::Plain(message.to_string())
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let hint = way_out(&error).map(|hint| format!(". {hint}")).unwrap_or_default();
        match error {
            StoreError::Transition(_) | StoreError::Corrupt { .. } | StoreError::Version { .. } => {
                Failure::Plain(format!("{error}{hint}"))
            }
            _ => Failure::During(format!("{error}{hint}")),
        }
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Failure {
        Failure::During(error.message)
    }
}

impl Failure {
    fn log(&self, operation: &str) {
        match self {
            Failure::Plain(message) => output::log(message),
            Failure::During(message) => output::log(&format!("{operation}: {message}")),
        }
    }
}

/// Makes a change and prints whether it is safe on disk.
fn acknowledged(
    here: &Here,
    operation: &str,
    change: impl FnOnce(&Site, &Documents) -> Result<Changed, Failure>,
) -> Result<ExitCode, AppError> {
    let changed = here.site().map_err(Failure::from).and_then(|site| {
        let changed = change(&site, &site.documents())?;
        if changed.created && site.repository.is_none() {
            let place = site.root.display();
            output::note(
                here,
                &format!("Not a git repository: state is kept in {place}, and commits cannot be compared"),
            );
        }
        Ok(changed)
    });
    match &changed {
        Ok(Changed { history_error: Some(error), .. }) => {
            output::note(here, &format!("Warning: saved, but the history could not be written: {error}"));
        }
        Ok(_) => {}
        Err(failure) => failure.log(operation),
    }
    output::line(if changed.is_ok() { "true" } else { "false" })?;
    Ok(ExitCode::SUCCESS)
}

fn loaded(here: &Here, which: &Which) -> Option<Loaded> {
    let found = here
        .site()
        .map_err(Failure::from)
        .and_then(|site| Ok(site.documents().load(&which.name().map_err(plain)?)?));
    match found {
        Ok(loaded) => {
            if let Some(stale) = loaded.as_ref().and_then(|loaded| loaded.stale.as_ref()) {
                output::note(here, &stale.to_string());
            }
            loaded
        }
        Err(failure) => {
            failure.log("Failed to load checkpoint");
            None
        }
    }
}

fn open_phases(document: &Checkpoint) -> Vec<String> {
    let state = &document.state;
    let current = state.current_phase.iter();
    let pending = state.pending_phases.iter().filter(|phase| state.current_phase.as_ref() != Some(phase));
    current.chain(pending).cloned().collect()
}
