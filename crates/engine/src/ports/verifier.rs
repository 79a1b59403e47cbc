//! Port: runs the user's verify commands and the proofs of tasks, in the sandbox.

use super::BoxFuture;
use super::checkout::PortError;
use serde::{Deserialize, Serialize};

/// Runs commands that prove something about a worktree. Called inside steps.
pub trait Verifier: Send + Sync {
    /// Runs a command to its end or to its limit. A command that fails is a report, not an error.
    fn run(&self, order: CommandOrder) -> BoxFuture<'static, Result<CommandReport, PortError>>;
}

/// A command to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOrder {
    /// Run id.
    pub run: String,
    /// Name of its lane, unique in the run while it is at work, such as `verify-T001-test`.
    pub lane: String,
    pub command: ProofCommand,
    /// Absolute path of the worktree it runs in, which it may write to.
    pub folder: String,
    /// Limit in seconds.
    pub timeout: u64,
    /// True if it may use the network.
    pub network: bool,
}

/// A command as it is executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProofCommand {
    /// Program and arguments.
    Argv(Vec<String>),
    /// A line that a person wrote, run by `sh -c`.
    Line(String),
}

impl ProofCommand {
    /// The command as a person would type it.
    pub fn shown(&self) -> String {
        match self {
            ProofCommand::Line(line) => line.clone(),
            ProofCommand::Argv(argv) => argv.join(" "),
        }
    }
}

/// What a command did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CommandReport {
    /// The command as a person would type it.
    pub command: String,
    /// Exit code; none if it did not start, was ended by a signal or at its limit.
    pub exit: Option<i32>,
    pub ending: CommandEnding,
    pub seconds: f64,
    /// Standard output and error as they came, cleaned, with the middle left out if they were long.
    pub output: String,
    /// Bytes of output in all.
    pub output_bytes: u64,
}

/// How a command ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommandEnding {
    #[default]
    Exited,
    /// Ended by a signal of its own.
    Signalled(i32),
    /// Ended because it reached its time limit.
    TimedOut,
    /// Ended because its output exceeded the limit.
    Flooded,
    /// The program could not be started: the reason.
    NotStarted(String),
}

impl CommandReport {
    /// True if it ended by itself with exit code 0.
    pub fn is_green(&self) -> bool {
        self.ending == CommandEnding::Exited && self.exit == Some(0)
    }
}
