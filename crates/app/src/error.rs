//! The one error that faces are given: what happened, what was kept, what to type next.

use charrette_store::StoreError;
use std::fmt;

/// A command that did not succeed.
#[derive(Debug)]
pub struct AppError {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// What happened.
    pub message: String,
    /// More lines of the same.
    pub more: Vec<String>,
    /// What to type next, or what was kept.
    pub hints: Vec<String>,
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// It failed; state is kept.
    Failed,
    /// What was typed makes no sense.
    Usage,
    /// A guard refuses it.
    Refused,
    /// There is nothing left to do.
    AlreadyComplete,
}

impl AppError {
    /// A failure of that kind.
    pub fn new(kind: ErrorKind, message: impl fmt::Display) -> AppError {
        AppError { kind, message: message.to_string(), more: Vec::new(), hints: Vec::new() }
    }

    /// Something failed; state is kept.
    pub fn failed(message: impl fmt::Display) -> AppError {
        AppError::new(ErrorKind::Failed, message)
    }

    /// What was asked for makes no sense.
    pub fn usage(message: impl fmt::Display) -> AppError {
        AppError::new(ErrorKind::Usage, message)
    }

    /// Another line of the message.
    #[must_use]
    pub fn more(mut self, line: impl fmt::Display) -> AppError {
        self.more.push(line.to_string());
        self
    }

    /// With something to type next.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> AppError {
        self.hints.push(hint.to_string());
        self
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> AppError {
        let hint = way_out(&error);
        let kind =
            if matches!(error, StoreError::Locked { .. }) { ErrorKind::Refused } else { ErrorKind::Failed };
        AppError { kind, message: error.to_string(), more: Vec::new(), hints: hint.into_iter().collect() }
    }
}

/// The one thing to do about a document that cannot be worked with.
pub fn way_out(error: &StoreError) -> Option<String> {
    match error {
        StoreError::Corrupt { path, .. }
        | StoreError::Version { path, .. }
        | StoreError::TooLarge { path, .. } => {
            let stem = path.file_stem()?.to_str()?;
            let name = charrette_model::checkpoint::DocumentName::from_stem(stem)?;
            let feature = name.feature().map(|feature| format!("{feature} ")).unwrap_or_default();
            Some(format!(
                "It was left as it is. To archive it and start anew: charrette abandon {feature}--command {}",
                name.command()
            ))
        }
        StoreError::Symlink(_) => {
            Some("Replace the link by a real file or folder, or set paths.state in charrette.toml".to_owned())
        }
        StoreError::NotAFile(_) | StoreError::NotAFolder(_) => Some("Move it out of the way".to_owned()),
        StoreError::Locked { .. } => Some("Wait for it to finish, or stop it".to_owned()),
        _ => None,
    }
}
