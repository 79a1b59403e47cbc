//! One git process from start to end, and git's own words if it does not succeed.

use std::io::{self, Write as _};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

/// Why git did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// The program could not be started or waited for.
    #[error("cannot run git: {0}")]
    NotRun(String),
    /// It ran and did not succeed.
    #[error("git {command}: {reason}")]
    Failed {
        /// Its subcommand.
        command: String,
        /// In git's own words.
        reason: String,
    },
}

impl GitError {
    /// Why, without the subcommand: git's own words, where there are any.
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

/// Runs git to its end with `input` on its standard input. Returns what it printed, if that was not sent elsewhere.
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
    Err(GitError::Failed { command: subcommand, reason: complaint(&output.stderr, output.status) })
}

/// The last line that says something: git puts its reason there.
pub(crate) fn complaint(stderr: &[u8], status: ExitStatus) -> String {
    let text = String::from_utf8_lossy(stderr);
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(|| format!("git failed ({status})"), str::to_owned)
}
