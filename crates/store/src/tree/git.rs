//! The git program, asked so that neither the repository's configuration nor odd names change the answer.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Why the work tree could not be looked at or put back.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// Git could not be run or did not succeed.
    #[error("git {what}: {reason}")]
    Git {
        /// What it was asked.
        what: String,
        /// In its own words.
        reason: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What git lists: one of its commands that end every name with NUL. None if git fails.
pub fn listed(root: &Path, args: &[&str]) -> Option<Vec<u8>> {
    ask(command(root, args), b"").ok()
}

/// Git at the top of a work tree.
///
/// It takes no locks it can do without, runs no hooks and no file system monitor, takes names literally and
/// asks nobody for a password.
pub(super) fn command(root: &Path, args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new("git");
    command
        .args(["--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .args(args)
        .current_dir(root)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C");
    command
}

/// What git answers, with `input` fed to it.
pub(super) fn ask(mut command: Command, input: &[u8]) -> Result<Vec<u8>, TreeError> {
    command.stdout(Stdio::piped());
    run(command, input)
}

/// Runs git with `input` fed to it; returns what it printed, if that was not sent elsewhere.
pub(super) fn run(mut command: Command, input: &[u8]) -> Result<Vec<u8>, TreeError> {
    let what = described(&command);
    let failed = |reason: String| TreeError::Git { what: what.clone(), reason };
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() }).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(format!("cannot be run: {error}")))?;
    // In a thread of its own: git may print before it has read everything.
    let feeder = child.stdin.take().map(|mut pipe| {
        let input = input.to_vec();
        std::thread::spawn(move || pipe.write_all(&input))
    });
    let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
    if let Some(feeder) = feeder {
        let _ = feeder.join();
    }
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    Err(failed(last.map_or_else(|| output.status.to_string(), str::to_owned)))
}

/// The command of git's that it is.
fn described(command: &Command) -> String {
    command.get_args().nth(5).unwrap_or_default().to_string_lossy().into_owned()
}
