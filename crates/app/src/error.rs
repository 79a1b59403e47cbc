//! Error type of the application: a message with hints.

use crate::run_lookup::feature_argument;
use charrette_model::checkpoint::DocumentName;
use charrette_model::escape::shell_word;
use charrette_store::{Holder, StoreError};
use std::fmt;
use std::path::Path;

/// Failed command.
#[derive(Debug)]
pub struct AppError {
    pub kind: ErrorKind,
    pub message: String,
    /// Further lines of the message.
    pub more: Vec<String>,
    /// Next command to type, or a note on unchanged state.
    pub hints: Vec<String>,
    /// Lines for programs, printed first if nobody watches.
    pub machine: Vec<String>,
}

/// Kind of failure; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command failed; state is unchanged or resumable.
    Failed,
    /// Invalid arguments.
    Usage,
    /// Refused by a guard.
    Refused,
    /// There is nothing left to do.
    AlreadyComplete,
    /// A person pressed Ctrl-C at a question.
    Interrupted,
}

impl AppError {
    pub fn new(kind: ErrorKind, message: impl fmt::Display) -> AppError {
        AppError {
            kind,
            message: message.to_string(),
            more: Vec::new(),
            hints: Vec::new(),
            machine: Vec::new(),
        }
    }

    /// Error of kind [`ErrorKind::Failed`].
    pub fn failed(message: impl fmt::Display) -> AppError {
        AppError::new(ErrorKind::Failed, message)
    }

    /// Error of kind [`ErrorKind::Usage`].
    pub fn usage(message: impl fmt::Display) -> AppError {
        AppError::new(ErrorKind::Usage, message)
    }

    /// Adds a line to the message.
    #[must_use]
    pub fn more(mut self, line: impl fmt::Display) -> AppError {
        self.more.push(line.to_string());
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> AppError {
        self.hints.push(hint.to_string());
        self
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> AppError {
        let hint = recovery_hint(&error);
        let error = match &error {
            StoreError::Locked { path, holder } => {
                let by = Holder::describe(holder.as_ref());
                let run = run_of_lock(path).filter(|_| path.extension().is_some_and(|end| end == "lease"));
                let driven = run.map(|name| format!("{} is being driven{by}", name.stem()));
                AppError::new(ErrorKind::Refused, driven.unwrap_or_else(|| error.to_string()))
            }
            _ => AppError::failed(&error),
        };
        AppError { hints: hint.into_iter().collect(), ..error }
    }
}

/// The run that a lock or a lease belongs to; none for that of the checkout.
fn run_of_lock(path: &Path) -> Option<DocumentName> {
    DocumentName::from_stem(path.file_stem()?.to_str()?)
}

/// Hint for recovering from a document that cannot be used.
pub fn recovery_hint(error: &StoreError) -> Option<String> {
    match error {
        StoreError::Corrupt { path, .. }
        | StoreError::Version { path, .. }
        | StoreError::TooLarge { path, .. } => {
            let name = DocumentName::from_stem(path.file_stem()?.to_str()?)?;
            let feature = name.feature().map(|feature| format!("{feature} ")).unwrap_or_default();
            Some(format!(
                "It was left as it is. To archive it and start anew: charrette abandon {feature}--command {}",
                name.command()
            ))
        }
        StoreError::Symlink(path) => Some(format!(
            "Nothing was written through it. Remove the link, or put what it leads to in its place: rm {}",
            shell_word(&path.display().to_string())
        )),
        StoreError::NotAFile(path) | StoreError::NotAFolder(path) => {
            Some(format!("Move {} elsewhere", path.display()))
        }
        StoreError::Locked { path, .. } => {
            let wait = "Wait for it to stop";
            Some(run_of_lock(path).map_or_else(
                || wait.to_owned(),
                |name| format!("{wait}, or stop it: charrette stop {}", feature_argument(&name)),
            ))
        }
        _ => None,
    }
}
