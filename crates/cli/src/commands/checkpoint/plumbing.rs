//! Plumbing calls that never fail: save, load, update-phase, complete, resume-point.
//!
//! An error is logged as one line on standard error; the output is then `false`, `null` or an empty resume point, and
//! the exit code is 0, so that a script continues without its checkpoint.

use super::arguments::DocumentArgs;
use crate::invocation::Invocation;
use crate::{input, output};
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::enclosure::refuse_inside_agent;
use charrette_app::error::recovery_hint;
use charrette_model::checkpoint::{
    Checkpoint, DocumentName, ResumePoint, TransitionError, phase_name, read, resume_point as point_of,
};
use charrette_store::documents::{LoadedDocument, TransitionResult};
use charrette_store::{Documents, StoreError};
use serde_json::Value;
use std::process::ExitCode;

pub(super) fn save(invocation: &Invocation, args: &DocumentArgs) -> Result<ExitCode, AppError> {
    print_change(invocation, "Failed to save checkpoint", |site, documents| {
        let name = changeable(site, documents, args)?;
        let document =
            read(&input::read_bytes(None)?).map_err(TransitionError::from).map_err(plain_failure)?;
        Ok(documents.save(&name, &document, site.now)?)
    })
}

pub(super) fn update_phase(
    invocation: &Invocation,
    args: &DocumentArgs,
    phase: &str,
) -> Result<ExitCode, AppError> {
    print_change(invocation, "Failed to update phase", |site, documents| {
        let name = changeable(site, documents, args)?;
        phase_name(phase).map_err(plain_failure)?;
        let data: Value = serde_json::from_slice(&input::read_bytes(None)?).map_err(|error| {
            plain_failure(format!("Invalid data for phase \"{phase}\": not JSON ({error})"))
        })?;
        Ok(documents.update_phase(&name, phase, &data, site.now)?)
    })
}

pub(super) fn complete(invocation: &Invocation, args: &DocumentArgs) -> Result<ExitCode, AppError> {
    print_change(invocation, "Failed to complete checkpoint", |site, documents| {
        let name = changeable(site, documents, args)?;
        let open = documents.load(&name)?.map(|loaded| open_phases(&loaded.document)).unwrap_or_default();
        let changed = documents.complete(&name, site.now)?;
        if !open.is_empty() {
            output::note(invocation, &format!("Warning: completed with open phases: {}", open.join(", ")));
        }
        Ok(changed)
    })
}

pub(super) fn load(invocation: &Invocation, args: &DocumentArgs) -> Result<ExitCode, AppError> {
    let document = load_document(invocation, args).map(|loaded| loaded.document);
    output::print_json(&document)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn resume_point(invocation: &Invocation, args: &DocumentArgs) -> Result<ExitCode, AppError> {
    let point = load_document(invocation, args)
        .map_or_else(ResumePoint::default, |loaded| point_of(&loaded.document));
    output::print_json(&point)?;
    Ok(ExitCode::SUCCESS)
}

/// Logged error of a call.
enum Failure {
    /// Complete message.
    Plain(String),
    /// Message to be prefixed with the name of the operation.
    During(String),
}

#[expect(clippy::needless_pass_by_value, reason = "used in map_err, which passes values")]
fn plain_failure(message: impl ToString) -> Failure {
    Failure::Plain(message.to_string())
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let hint = recovery_hint(&error).map(|hint| format!(". {hint}")).unwrap_or_default();
        match error {
            StoreError::Transition(_)
            | StoreError::Corrupt { .. }
            | StoreError::Version { .. }
            | StoreError::Driven { .. } => Failure::Plain(format!("{error}{hint}")),
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

/// Name of a document that this process may change: none of a run that another process drives. Asked before standard input is
/// read; a driver that starts meanwhile is noticed under the document's lock.
fn changeable(site: &Site, documents: &Documents, args: &DocumentArgs) -> Result<DocumentName, Failure> {
    let name = args.name().map_err(plain_failure)?;
    refuse_inside_agent(site, "change a checkpoint")?;
    documents.refuse_driven(&name)?;
    Ok(name)
}

/// Applies a change and prints `true` once it is durable on disk, else `false`.
fn print_change(
    invocation: &Invocation,
    operation: &str,
    change: impl FnOnce(&Site, &Documents) -> Result<TransitionResult, Failure>,
) -> Result<ExitCode, AppError> {
    let changed = invocation.plumbing_site().map_err(Failure::from).and_then(|site| {
        let changed = change(&site, &site.documents().sparing_driven())?;
        if changed.created && site.repository.is_none() {
            let place = site.root.display();
            output::note(
                invocation,
                &format!(
                    "Not a git repository: state is stored in {place}; stale checkpoints cannot be detected"
                ),
            );
        }
        Ok(changed)
    });
    match &changed {
        Ok(TransitionResult { history_error: Some(error), .. }) => {
            output::note(invocation, &format!("Warning: saved, but cannot write the history: {error}"));
        }
        Ok(_) => {}
        Err(failure) => failure.log(operation),
    }
    output::print_line(if changed.is_ok() { "true" } else { "false" })?;
    Ok(ExitCode::SUCCESS)
}

fn load_document(invocation: &Invocation, args: &DocumentArgs) -> Option<LoadedDocument> {
    let result = invocation
        .site()
        .map_err(Failure::from)
        .and_then(|site| Ok(site.documents().load(&args.name().map_err(plain_failure)?)?));
    match result {
        Ok(loaded) => {
            if let Some(stale) = loaded.as_ref().and_then(|loaded| loaded.stale.as_ref()) {
                output::note(invocation, &stale.to_string());
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
