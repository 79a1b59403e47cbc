//! Runs one command to its end or to a limit, and ends everything it started.

use super::excerpt::Excerpt;
use crate::orphans::{Ending, LANE_VARIABLE, LaneProcesses};
use crate::process_group::ProcessGroup;
use crate::supervisor::{ActivityMonitor, CallTimeouts};
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::process::{ChildStdout, Command};
use tokio::time::Instant;

/// Maximum time for reading the output of a command that has ended: what it started may keep it open.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// A command to be run.
pub(super) struct CommandProcess {
    /// Program and arguments.
    pub(super) command: Vec<OsString>,
    /// Its whole environment.
    pub(super) environment: BTreeMap<OsString, OsString>,
    pub(super) folder: PathBuf,
    /// Value of [`LANE_VARIABLE`], by which its orphans are found.
    pub(super) token: String,
    /// True if it makes itself the leader of a session and so of a process group.
    pub(super) leads_session: bool,
    pub(super) timeouts: CallTimeouts,
    /// Bytes of output beyond which it is ended.
    pub(super) output_limit: u64,
}

/// Reason that a command is no longer waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopReason {
    Exited,
    TimedOut,
    Flooded,
    /// The run was cancelled.
    Interrupted,
}

/// End of a command.
#[derive(Debug)]
pub(super) struct CommandEnd {
    pub(super) stop: StopReason,
    pub(super) status: Option<ExitStatus>,
    pub(super) elapsed: Duration,
    pub(super) output: String,
    pub(super) output_bytes: u64,
    /// Processes that the command left, ended or not.
    pub(super) orphans: Ending,
}

impl CommandProcess {
    /// Runs it and ends what it left; an error if it cannot be started.
    pub(super) async fn run(self, output: Excerpt, cancel: &Cancel) -> io::Result<CommandEnd> {
        let lane = LaneProcesses::begin(self.token.clone(), self.leads_session);
        let grace = self.timeouts.grace;
        let end = self.run_group(output, cancel).await;
        let orphans = lane.end(grace).await;
        Ok(CommandEnd { orphans, ..end? })
    }

    /// Runs it and ends its group.
    async fn run_group(self, mut output: Excerpt, cancel: &Cancel) -> io::Result<CommandEnd> {
        let (mut group, pipe) = self.start()?;
        let mut pipe = Some(pipe);
        let activity = ActivityMonitor::start();
        let (stop, exited) = self.wait(&mut group, &mut pipe, &mut output, &activity, cancel).await;
        let status = match exited {
            Some(status) => Some(status),
            None => end_group(&mut group, &mut pipe, &mut output, self.timeouts.grace, cancel).await,
        };
        let elapsed = activity.elapsed();
        let output_bytes = output.total_bytes();
        let orphans = Ending::default();
        Ok(CommandEnd { stop, status, elapsed, output: output.finish(), output_bytes, orphans })
    }

    /// Starts it with one pipe for both outputs, so that they come in order.
    fn start(&self) -> io::Result<(ProcessGroup, ChildStdout)> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no program to start"));
        };
        let (reader, writer) = io::pipe()?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(&self.environment)
            .env(LANE_VARIABLE, &self.token)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer);
        if !self.leads_session {
            command.process_group(0);
        }
        let group = ProcessGroup::spawn(&mut command)?;
        let reader = std::process::ChildStdout::from(OwnedFd::from(reader));
        Ok((group, ChildStdout::from_std(reader)?))
    }

    /// Reads the output until it has ended or must be ended.
    async fn wait(
        &self,
        group: &mut ProcessGroup,
        pipe: &mut Option<ChildStdout>,
        output: &mut Excerpt,
        activity: &ActivityMonitor,
        cancel: &Cancel,
    ) -> (StopReason, Option<ExitStatus>) {
        let mut exited: Option<ExitStatus> = None;
        let mut drain_deadline = Instant::now();
        let mut buffer = vec![0; 64 << 10];
        loop {
            if exited.is_some() && pipe.is_none() {
                return (StopReason::Exited, exited);
            }
            tokio::select! {
                read = read_pipe(pipe, &mut buffer), if pipe.is_some() => {
                    output.receive(&buffer[..read]);
                    if output.total_bytes() > self.output_limit {
                        return (StopReason::Flooded, exited);
                    }
                }
                status = group.child().wait(), if exited.is_none() => match status {
                    Ok(status) => {
                        exited = Some(status);
                        drain_deadline = Instant::now() + DRAIN_TIMEOUT;
                    }
                    Err(_) => return (StopReason::Exited, None),
                },
                () = tokio::time::sleep_until(drain_deadline), if exited.is_some() => {
                    return (StopReason::Exited, exited);
                }
                _ = activity.timed_out(&self.timeouts), if exited.is_none() => {
                    return (StopReason::TimedOut, None);
                }
                () = cancel.wait_for(Urgency::Soon) => return (StopReason::Interrupted, exited),
            }
        }
    }
}

/// Ends a group, and reads what it prints on its way out.
async fn end_group(
    group: &mut ProcessGroup,
    pipe: &mut Option<ChildStdout>,
    output: &mut Excerpt,
    grace: Duration,
    cancel: &Cancel,
) -> Option<ExitStatus> {
    let mut buffer = vec![0; 64 << 10];
    let end = group.end(grace, cancel);
    tokio::pin!(end);
    loop {
        tokio::select! {
            status = &mut end => return status,
            read = read_pipe(pipe, &mut buffer), if pipe.is_some() => output.receive(&buffer[..read]),
        }
    }
}

/// Reads from a pipe. 0 bytes mean that it was closed; it is dropped then.
async fn read_pipe(pipe: &mut Option<ChildStdout>, buffer: &mut [u8]) -> usize {
    let Some(open) = pipe else { return 0 };
    let read = open.read(buffer).await.unwrap_or(0);
    if read == 0 {
        *pipe = None;
    }
    read
}
