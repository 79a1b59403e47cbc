//! Calls to remotes, which may take any time: with a limit, and ended when the caller is asked to end.

use crate::environment::Purpose;
use crate::process::complaint;
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

/// How long git may take to remove its lock files after it was asked to end.
const GRACE: Duration = Duration::from_secs(2);
/// How much of git's standard error is kept.
const COMPLAINT: u64 = 64 << 10;
/// How often cancellation and the time limit are looked at.
const INTERVAL: Duration = Duration::from_millis(20);
/// The ssh that is used where the user has chosen none: it must not ask for a password.
const SSH: &str = "ssh -o BatchMode=yes -o ConnectTimeout=20";

/// What a call to a remote is held to.
#[derive(Clone, Copy)]
pub struct CallLimits<'a> {
    /// How long it may take.
    pub timeout: Duration,
    /// Whether the environment (`GIT_SSH_COMMAND`, `GIT_SSH`) or the configuration (`core.sshCommand`) names the
    /// program that reaches remotes; otherwise it is an ssh that asks nobody for a password.
    pub ssh_is_chosen: bool,
    /// Whether the call shall end; asked every few milliseconds.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

impl fmt::Debug for CallLimits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallLimits")
            .field("timeout", &self.timeout)
            .field("ssh_is_chosen", &self.ssh_is_chosen)
            .finish_non_exhaustive()
    }
}

/// Why a remote was not reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// It did not work; in git's own words.
    #[error("{0}")]
    Failed(String),
    /// It took longer than the limit, which is this.
    #[error("no answer within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl Git<'_> {
    /// Talks to a remote. Git and the programs it starts are ended when the limit is reached or the call is
    /// cancelled.
    pub fn call<S: AsRef<OsStr>>(self, args: &[S], limits: CallLimits<'_>) -> Result<(), CallError> {
        let mut command = self.command(Purpose::OnBehalfOfUser, args);
        if !limits.ssh_is_chosen {
            command.env("GIT_SSH_COMMAND", SSH);
        }
        // A process group of its own, so that the programs it starts end with it.
        command.stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let mut child =
            command.spawn().map_err(|error| CallError::Failed(format!("cannot run git: {error}")))?;
        let stderr = child.stderr.take().map(listen);
        let deadline = Instant::now() + limits.timeout;
        let status = loop {
            match wait_until(&mut child, Instant::now() + INTERVAL) {
                Some(status) => break status,
                None if (limits.is_cancelled)() => {
                    end(&mut child);
                    return Err(CallError::Cancelled);
                }
                None if Instant::now() >= deadline => {
                    end(&mut child);
                    return Err(CallError::TimedOut(limits.timeout));
                }
                None => {}
            }
        };
        if status.success() {
            return Ok(());
        }
        // A program that outlived git may still hold the pipe.
        let said = stderr.and_then(|stderr| stderr.recv_timeout(GRACE).ok()).unwrap_or_default();
        Err(CallError::Failed(complaint(&said, status)))
    }
}

/// Reads the beginning of a pipe on a thread of its own.
fn listen(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut said = Vec::new();
        let _ = pipe.by_ref().take(COMPLAINT).read_to_end(&mut said);
        let _ = sender.send(said);
        // The rest is read too, so that nobody blocks on a full pipe.
        let _ = io::copy(&mut pipe, &mut io::sink());
    });
    receiver
}

/// How a child ended, if it does so before the deadline.
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

/// Ends a child and its process group. It is asked first, so that it removes its lock files.
fn end(child: &mut Child) {
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
