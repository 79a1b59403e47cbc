//! Description of one supervised process.

use super::timeouts::CallTimeouts;
use crate::acp::AcpRequest;
use crate::sandbox::{CallSandbox, SettingsWatch};
use crate::stream::OutputReader;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// A process to be supervised.
pub struct ProcessSpec {
    /// Program and arguments.
    pub command: Vec<OsString>,
    /// Launcher that puts it into its session and sandbox, if there is one.
    pub sandbox: Option<CallSandbox>,
    /// Settings of the client, which must not change.
    pub settings: SettingsWatch,
    /// Its whole environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// Working directory.
    pub folder: PathBuf,
    pub protocol: ProcessProtocol,
    pub timeouts: CallTimeouts,
    /// True to end it on a rate limit, instead of letting the client retry.
    pub ends_on_rate_limit: bool,
    pub stdout: CaptureTarget,
    pub stderr: CaptureTarget,
    /// Maximum size of each captured stream in bytes.
    pub max_bytes: u64,
    /// Value of [`crate::orphans::LANE_VARIABLE`] in its environment, by which its orphans are found.
    pub token: String,
}

/// Communication with a process.
pub enum ProcessProtocol {
    /// Prompt on standard input, answer on standard output.
    Stdio { stdin: StdinInput, reader: Box<dyn OutputReader> },
    /// Agent Client Protocol.
    Acp(AcpRequest),
}

/// Content of standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StdinInput {
    /// Closed at once.
    Closed,
    /// A text, then closed.
    Text(String),
}

/// File that captures an output stream.
#[derive(Debug)]
pub struct CaptureTarget {
    pub path: PathBuf,
    pub redactor: LineRedactor,
}

/// Removes secrets from lines before they are written.
pub struct LineRedactor(Box<RedactLine>);

type RedactLine = dyn FnMut(&[u8]) -> Cow<'_, [u8]> + Send;

impl LineRedactor {
    pub fn new(redact: impl FnMut(&[u8]) -> Cow<'_, [u8]> + Send + 'static) -> LineRedactor {
        LineRedactor(Box::new(redact))
    }

    pub(crate) fn redact<'a>(&mut self, line: &'a [u8]) -> Cow<'a, [u8]> {
        (self.0)(line)
    }
}

impl Default for LineRedactor {
    /// Removes nothing.
    fn default() -> LineRedactor {
        LineRedactor::new(pass_through)
    }
}

fn pass_through(line: &[u8]) -> Cow<'_, [u8]> {
    Cow::Borrowed(line)
}

impl fmt::Debug for ProcessSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its environment may hold secrets.
        f.debug_struct("ProcessSpec")
            .field("command", &self.command)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for LineRedactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LineRedactor")
    }
}
