//! Runs one git process to its end and reports git's own error message if it fails.

use crate::clean_room::CleanRoom;
use crate::command::Purpose;
use crate::lock_files;
use crate::waiting::{Ended, Ending, IS_INTERRUPTED, Patience, wait_for};
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

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
        /// True if a signal ended git, so that it may have left something half done.
        is_killed: bool,
    },
    /// What git answered does not count: a file that decides which programs it starts was changed meanwhile.
    #[error(
        "git {command}: {} was changed while git was at work, and a program that it named may have run; the answer is \
         not used",
        .file.display()
    )]
    ConfigurationChanged { command: String, file: PathBuf },
    /// Git did not end, and was ended. It may have left something half done.
    #[error(
        "git {command} did not end within {} seconds and was ended; a pipe in the place of one of its files (.gitignore, \
         .gitattributes, ...) would do that",
        .time_limit.as_secs()
    )]
    TimedOut { command: String, time_limit: Duration },
    /// Charrette was asked to end, and git was ended with it. It may have left something half done.
    #[error("git {command} was interrupted")]
    Interrupted { command: String },
}

/// A git process that is ready to start.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) process: Command,
    /// The git subcommand.
    pub(crate) command: String,
    pub(crate) patience: Patience,
    purpose: Purpose,
    room: CleanRoom,
}

impl Call {
    pub(crate) fn new(process: Command, command: String, purpose: Purpose, room: CleanRoom) -> Call {
        Call { process, command, patience: Patience::of(purpose), purpose, room }
    }

    /// A call that starts no program, whatever the repository's configuration says.
    pub(crate) fn unguarded(process: Command, command: &str) -> Call {
        Call::new(process, command.to_owned(), Purpose::Reading, CleanRoom::default())
    }

    /// Checks that nothing has changed which decides about the programs that git starts.
    pub(crate) fn check(&self) -> Result<(), GitError> {
        let index = || match self.purpose {
            Purpose::Reading => self.room.changed_index(),
            Purpose::Editing | Purpose::OnBehalfOfUser => None,
        };
        match self.room.changed_file().or_else(index) {
            Some(file) => {
                Err(GitError::ConfigurationChanged { command: self.command.clone(), file: file.to_owned() })
            }
            None => Ok(()),
        }
    }

    /// Starts git and waits for its end, or for more than `most` bytes of its output.
    fn run(&mut self, input: &[u8], most: usize) -> Result<Ended, GitError> {
        if !input.is_empty() {
            self.process.stdin(Stdio::piped());
        }
        let child = self.process.stderr(Stdio::piped()).spawn();
        let ended =
            child.and_then(|mut child| wait_for(&mut child, input, most, self.patience, &IS_INTERRUPTED));
        ended.map_err(|error| GitError::not_run(&error))
    }

    fn failure(&self, ended: &Ended) -> GitError {
        let command = self.command.clone();
        match ended.ending {
            None => GitError::failed(command, &ended.stderr, ended.status),
            Some(Ending::TimeLimit) => GitError::TimedOut { command, time_limit: self.patience.time_limit },
            Some(Ending::Interrupt) => GitError::Interrupted { command },
        }
    }
}

impl GitError {
    /// Git's own error message, without the subcommand.
    pub fn reason(&self) -> String {
        match self {
            GitError::Failed { reason, .. } => reason.clone(),
            GitError::NotRun(_)
            | GitError::ConfigurationChanged { .. }
            | GitError::TimedOut { .. }
            | GitError::Interrupted { .. } => self.to_string(),
        }
    }

    /// True if a signal ended git, so that it may have left something half done.
    pub fn is_killed(&self) -> bool {
        match self {
            GitError::Failed { is_killed, .. } => *is_killed,
            GitError::TimedOut { .. } | GitError::Interrupted { .. } => true,
            GitError::NotRun(_) | GitError::ConfigurationChanged { .. } => false,
        }
    }

    /// True if git was ended because charrette was asked to end, so that the call is to be repeated when it goes on.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, GitError::Interrupted { .. })
    }

    fn failed(command: String, stderr: &[u8], status: ExitStatus) -> GitError {
        let is_killed = status.code().is_none();
        GitError::Failed { command, reason: failure_reason(stderr, status), is_killed }
    }

    pub(crate) fn not_run(error: &io::Error) -> GitError {
        GitError::NotRun(error.to_string())
    }

    /// A file that git reads before anything else cannot be read, so that nothing tells which programs git would start.
    pub(crate) fn unreadable(error: &io::Error) -> GitError {
        GitError::NotRun(format!("a file that decides which programs it starts cannot be read: {error}"))
    }
}

/// Runs git to its end with `input` on its standard input. Returns its standard output, if that is captured.
pub(crate) fn run(call: Call, input: &[u8]) -> Result<Vec<u8>, GitError> {
    run_accepting(call, input, &[0]).map(|(_, output)| output)
}

/// The same where several exit codes are answers; with the one that git gave.
pub(crate) fn run_accepting(
    mut call: Call,
    input: &[u8],
    accepted: &[i32],
) -> Result<(i32, Vec<u8>), GitError> {
    let ended = call.run(input, usize::MAX)?;
    let code = ended.status.code().filter(|code| accepted.contains(code));
    let code = code.ok_or_else(|| call.failure(&ended))?;
    call.check()?;
    Ok((code, ended.stdout))
}

/// Output of git up to a limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitedOutput {
    pub bytes: Vec<u8>,
    /// True if git printed more than the limit, and was ended.
    pub is_cut: bool,
}

/// Runs git with `input` on its standard input, and reads at most `limit` bytes of its output.
pub(crate) fn run_limited(mut call: Call, input: &[u8], limit: usize) -> Result<LimitedOutput, GitError> {
    let ended = call.run(input, limit)?;
    let is_cut = ended.stdout.len() > limit;
    if !is_cut && !ended.status.success() {
        return Err(call.failure(&ended));
    }
    call.check()?;
    let mut bytes = ended.stdout;
    bytes.truncate(limit);
    Ok(LimitedOutput { bytes, is_cut })
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
