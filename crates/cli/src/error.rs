//! The one error of the binary: what happened, what was kept, what to type next.

use charrette_store::StoreError;
use std::fmt;
use std::process::ExitCode;

/// A command that did not succeed.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    /// More lines of the same.
    pub(crate) more: Vec<String>,
    /// What to type next, or what was kept.
    pub(crate) hints: Vec<String>,
}

/// What kind of failure it is, which decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// It failed; state is kept.
    Failed,
    /// What was typed makes no sense.
    Usage,
    /// A guard refuses it.
    Refused,
}

impl CommandError {
    pub(crate) fn new(kind: ErrorKind, message: impl fmt::Display) -> CommandError {
        CommandError { kind, message: message.to_string(), more: Vec::new(), hints: Vec::new() }
    }

    pub(crate) fn failed(message: impl fmt::Display) -> CommandError {
        CommandError::new(ErrorKind::Failed, message)
    }

    pub(crate) fn usage(message: impl fmt::Display) -> CommandError {
        CommandError::new(ErrorKind::Usage, message)
    }

    /// Another line of the message.
    pub(crate) fn more(mut self, line: impl fmt::Display) -> CommandError {
        self.more.push(line.to_string());
        self
    }

    pub(crate) fn hint(mut self, hint: impl fmt::Display) -> CommandError {
        self.hints.push(hint.to_string());
        self
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self.kind {
            ErrorKind::Failed => ExitCode::from(1),
            ErrorKind::Usage => ExitCode::from(2),
            ErrorKind::Refused => ExitCode::from(4),
        }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> CommandError {
        let hint = way_out(&error);
        let kind =
            if matches!(error, StoreError::Locked { .. }) { ErrorKind::Refused } else { ErrorKind::Failed };
        CommandError { kind, message: error.to_string(), more: Vec::new(), hints: hint.into_iter().collect() }
    }
}

/// The one thing to do about a document that cannot be worked with.
pub(crate) fn way_out(error: &StoreError) -> Option<String> {
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
