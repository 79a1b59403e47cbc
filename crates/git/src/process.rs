//! Runs one git process to its end and reports git's own error message if it fails.

use crate::lock_files;
use std::io::{self, Read as _, Write as _};
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
pub(crate) fn run(command: Command, subcommand: String, input: &[u8]) -> Result<Vec<u8>, GitError> {
    run_accepting(command, subcommand, input, &[0]).map(|(_, output)| output)
}

/// The same where several exit codes are answers; with the one that git gave.
pub(crate) fn run_accepting(
    mut command: Command,
    subcommand: String,
    input: &[u8],
    accepted: &[i32],
) -> Result<(i32, Vec<u8>), GitError> {
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
    if let Some(code) = output.status.code().filter(|code| accepted.contains(code)) {
        return Ok((code, output.stdout));
    }
    Err(GitError::Failed { command: subcommand, reason: failure_reason(&output.stderr, output.status) })
}

/// Output of git up to a limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitedOutput {
    pub bytes: Vec<u8>,
    /// True if git printed more than the limit, and was ended.
    pub is_cut: bool,
}

/// Runs git with `input` on its standard input, and reads at most `limit` bytes of its output.
pub(crate) fn run_limited(
    mut command: Command,
    subcommand: String,
    input: &[u8],
    limit: usize,
) -> Result<LimitedOutput, GitError> {
    let not_run = |error: io::Error| GitError::not_run(&error);
    if !input.is_empty() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.stderr(Stdio::piped()).spawn().map_err(not_run)?;
    let (mut bytes, mut message) = (Vec::new(), Vec::new());
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let kept = &mut message;
    let read = thread::scope(|scope| {
        if let Some(mut stdin) = stdin {
            scope.spawn(move || stdin.write_all(input));
        }
        if let Some(mut stderr) = stderr {
            scope.spawn(move || stderr.read_to_end(kept));
        }
        let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        let read = stdout.map_or(Ok(0), |stdout| stdout.take(most).read_to_end(&mut bytes));
        if bytes.len() > limit {
            // It may have ended by itself.
            let _ = child.kill();
        }
        read
    });
    let status = child.wait().map_err(not_run)?;
    read.map_err(not_run)?;
    let is_cut = bytes.len() > limit;
    bytes.truncate(limit);
    if is_cut || status.success() {
        return Ok(LimitedOutput { bytes, is_cut });
    }
    Err(GitError::Failed { command: subcommand, reason: failure_reason(&message, status) })
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
