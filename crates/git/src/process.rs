//! Runs one git process to its end and reports git's own error message if it fails.

use crate::lock_files;
use std::io::{self, Write as _};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

/// Failed git call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// Git could not be started or waited for.
    #[error("cannot run git: {0}")]
    NotRun(String),
    #[error("git {command}: {reason}")]
    Failed {
        /// The git subcommand.
        command: String,
        /// Git's own error message.
        reason: String,
    },
}

impl GitError {
    /// Git's own error message, without the subcommand.
    pub fn reason(&self) -> String {
        match self {
            GitError::NotRun(_) => self.to_string(),
            GitError::Failed { reason, .. } => reason.clone(),
        }
    }

    pub(crate) fn not_run(error: &io::Error) -> GitError {
        GitError::NotRun(error.to_string())
    }
}

/// Runs git to its end with `input` on its standard input. Returns its standard output, if that is captured.
pub(crate) fn run(mut command: Command, subcommand: String, input: &[u8]) -> Result<Vec<u8>, GitError> {
    if !input.is_empty() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.stderr(Stdio::piped()).spawn().map_err(|error| GitError::not_run(&error))?;
    let pipe = child.stdin.take();
    let output = thread::scope(|scope| {
        // On a thread of its own: git may print before it has read everything.
        if let Some(mut pipe) = pipe {
            // If git ends without reading everything, its exit code says whether that was right.
            scope.spawn(move || pipe.write_all(input));
        }
        child.wait_with_output()
    });
    let output = output.map_err(|error| GitError::not_run(&error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(GitError::Failed { command: subcommand, reason: failure_reason(&output.stderr, output.status) })
}

/// Maximum length of git's message that is kept, in bytes.
const MAX_MESSAGE: usize = 4 << 10;

/// Git's message on standard error, without empty lines and advice.
pub(crate) fn failure_reason(stderr: &[u8], status: ExitStatus) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines =
        text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty() && !line.starts_with("hint:"));
    let mut message = lines.collect::<Vec<_>>().join("\n");
    if message.len() > MAX_MESSAGE {
        let end = (0..=MAX_MESSAGE).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
        message.truncate(end);
        message.push('…');
    }
    if message.is_empty() {
        return format!("git failed ({status})");
    }
    match lock_files::explain(&text) {
        Some(explanation) => format!("{message}\n{explanation}"),
        None => message,
    }
}
