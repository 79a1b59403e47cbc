//! Calls to remotes, with a timeout and cancellation.

use crate::command::Purpose;
use crate::process::{GitError, failure_reason};
use crate::program::Git;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Grace period between SIGTERM and SIGKILL, in which git removes its lock files.
const GRACE: Duration = Duration::from_secs(2);
/// Maximum number of bytes kept of git's standard error.
const STDERR_LIMIT: u64 = 64 << 10;
/// Polling interval for cancellation and the timeout.
const INTERVAL: Duration = Duration::from_millis(20);
/// Default ssh command where the user configured none: it must not ask for a password.
pub(crate) const SSH: &str = "ssh -o BatchMode=yes -o ConnectTimeout=20";

/// Options of a call to a remote.
#[derive(Clone, Copy)]
pub struct RemoteCallOptions<'a> {
    pub timeout: Duration,
    /// True if the environment (`GIT_SSH_COMMAND`, `GIT_SSH`) or the configuration (`core.sshCommand`) names an ssh
    /// program; otherwise ssh runs in batch mode and never asks for a password.
    pub has_custom_ssh: bool,
    /// Cancellation check, polled every 20 ms.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

impl fmt::Debug for RemoteCallOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteCallOptions")
            .field("timeout", &self.timeout)
            .field("has_custom_ssh", &self.has_custom_ssh)
            .finish_non_exhaustive()
    }
}

/// Failed call to a remote.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Git's own error message.
    #[error("{0}")]
    Failed(String),
    /// The timeout that was exceeded.
    #[error("no answer within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    #[error("cancelled")]
    Cancelled,
}

impl Git<'_> {
    /// Calls a remote. Git and the programs it starts are terminated on timeout and cancellation.
    pub fn call<S: AsRef<OsStr>>(self, args: &[S], options: RemoteCallOptions<'_>) -> Result<(), CallError> {
        let unprepared = |error: GitError| {
            if error.is_interrupted() { CallError::Cancelled } else { CallError::Failed(error.to_string()) }
        };
        let mut call = self.prepare(Purpose::OnBehalfOfUser, args).map_err(unprepared)?;
        let command = &mut call.process;
        if !options.has_custom_ssh {
            command.env("GIT_SSH_COMMAND", SSH);
        }
        // A process group of its own, so that the programs it starts end with it.
        command.stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let mut child =
            command.spawn().map_err(|error| CallError::Failed(format!("cannot run git: {error}")))?;
        let stderr = child.stderr.take().map(read_stderr);
        let deadline = Instant::now() + options.timeout;
        let status = loop {
            match wait_until(&mut child, Instant::now() + INTERVAL) {
                Some(status) => break status,
                None if (options.is_cancelled)() => {
                    terminate(&mut child);
                    return Err(CallError::Cancelled);
                }
                None if Instant::now() >= deadline => {
                    terminate(&mut child);
                    return Err(CallError::TimedOut(options.timeout));
                }
                None => {}
            }
        };
        if status.success() {
            return call.check().map_err(|error| CallError::Failed(error.to_string()));
        }
        // A program that outlived git may still hold the pipe.
        let message = stderr.and_then(|stderr| stderr.recv_timeout(GRACE).ok()).unwrap_or_default();
        Err(CallError::Failed(failure_reason(&message, status).replace('\n', "; ")))
    }
}

/// Reads the first bytes of git's standard error on a thread of its own.
fn read_stderr(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut message = Vec::new();
        let _ = pipe.by_ref().take(STDERR_LIMIT).read_to_end(&mut message);
        let _ = sender.send(message);
        // The rest is drained, so that no writer blocks on a full pipe.
        let _ = io::copy(&mut pipe, &mut io::sink());
    });
    receiver
}

/// Waits for a child until the deadline; none if it still runs.
fn wait_until(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            return None;
        }
        thread::sleep(pause);
        pause *= 2;
    }
}

/// Terminates a child and its process group: SIGTERM, then SIGKILL after the grace period.
fn terminate(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let signal = |signal| {
        if let Some(group) = group {
            // The group may be gone already.
            let _ = kill_process_group(group, signal);
        }
    };
    signal(Signal::TERM);
    let _ = wait_until(child, Instant::now() + GRACE);
    signal(Signal::KILL);
    let _ = child.wait();
}
