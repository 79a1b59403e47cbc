//! Runs one process: starts it, waits for its answer or its end, and ends everything it started.

use super::acp;
use super::output_stream::OutputStream;
use super::process_spec::{ProcessProtocol, ProcessSpec, StdinInput};
use super::stdio::StdioProcess;
use crate::orphans::{Ending, LANE_VARIABLE, LaneProcesses, lane_mark};
use crate::outcome::{Failure, FailureKind, Outcome, output_exceeded};
use crate::process_group::ProcessGroup;
use crate::sandbox::{CallSandbox, SettingsWatch};
use charrette_engine::Cancel;
use std::fmt;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::process::Command;

/// A process is ended when its output exceeds the captured size this many times.
const OUTPUT_LIMIT_FACTOR: u64 = 32;

/// Outcome of a call, with facts about its process.
#[derive(Debug, Clone, PartialEq)]
pub struct CallReport {
    pub outcome: Outcome,
    /// Exit code of the process, if it had one.
    pub code: Option<i32>,
    /// Signal that ended the process, ours included.
    pub signal: Option<i32>,
    pub elapsed: Duration,
    /// Size of its standard output.
    pub bytes: u64,
    /// End of its standard output, without secrets.
    pub stdout_tail: String,
    /// End of its standard error, without secrets.
    pub stderr_tail: String,
    /// Number of orphaned processes that were ended.
    pub orphans: usize,
    /// Ids of processes that it left and that could not be ended, as far as they are known; none if nothing is left.
    pub survivors: Option<Vec<i32>>,
}

impl CallReport {
    /// Report of a call without a process.
    pub fn without_process(outcome: Outcome) -> CallReport {
        CallReport {
            outcome,
            code: None,
            signal: None,
            elapsed: Duration::ZERO,
            bytes: 0,
            stdout_tail: String::new(),
            stderr_tail: String::new(),
            orphans: 0,
            survivors: None,
        }
    }

    /// Note on orphaned processes, as a predicate of the agent's name; none if there were none.
    pub fn orphans_message(&self) -> Option<String> {
        match (&self.survivors, self.orphans) {
            (Some(survivors), _) => Some(survivors_message(survivors)),
            (None, 0) => None,
            (None, 1) => Some("left 1 orphaned process; it was ended".to_owned()),
            (None, count) => Some(format!("left {count} orphaned processes; they were ended")),
        }
    }
}

/// Message about processes that could not be ended, as a predicate of the agent's name.
pub(crate) fn survivors_message(pids: &[i32]) -> String {
    let names: Vec<String> = pids.iter().map(i32::to_string).collect();
    let processes =
        if names.is_empty() { "unknown ids".to_owned() } else { format!("pid {}", names.join(", ")) };
    format!("left processes that could not be ended ({processes}); end them before you go on")
}

/// Called as soon as the agent has ended, before anything else is done about the call.
#[derive(Clone, Copy)]
pub struct EndHook<'a>(pub &'a (dyn Fn(&CallReport) + Send + Sync));

impl EndHook<'_> {
    /// Does nothing.
    pub const NONE: EndHook<'static> = EndHook(&|_| {});
}

impl fmt::Debug for EndHook<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EndHook")
    }
}

/// Output of a process.
pub(super) struct OutputStreams {
    pub(super) stdout: OutputStream,
    pub(super) stderr: OutputStream,
    /// Output limit of each stream in bytes; the process is ended beyond it.
    pub(super) limit: u64,
}

/// Runs a process to its answer or its end, and ends everything it started.
pub async fn supervise(spec: ProcessSpec, cancel: &Cancel, on_end: EndHook<'_>) -> CallReport {
    if cancel.is_requested() {
        return CallReport::without_process(Outcome::failed(FailureKind::Interrupted, "interrupted"));
    }
    let lane = LaneProcesses::begin(spec.token.clone(), spec.sandbox.is_some());
    let grace = spec.timeouts.grace;
    let mut report = run(spec, cancel, on_end).await;
    let Ending { ended, survivors } = lane.end(grace).await;
    if let Some(survivors) = &survivors {
        // They could go on and act for the user: the caller must not go on as if nothing was left.
        report.outcome.answer =
            Err(Failure { kind: FailureKind::NoAnswer, message: survivors_message(survivors) });
    }
    (report.orphans, report.survivors) = (ended.len(), survivors);
    report
}

/// Runs a process to its answer or its end, and ends its group.
async fn run(spec: ProcessSpec, cancel: &Cancel, on_end: EndHook<'_>) -> CallReport {
    let failed = |message: String| CallReport::without_process(Outcome::failed(FailureKind::Start, message));
    let group = match start(&spec) {
        Ok(group) => group,
        Err(error) => return failed(format!("cannot be started: {error}")),
    };
    let ProcessSpec {
        protocol,
        timeouts,
        max_bytes,
        ends_on_rate_limit,
        stdout,
        stderr,
        sandbox,
        settings,
        ..
    } = spec;
    let stdout = OutputStream::new(stdout, max_bytes);
    let stderr = OutputStream::mostly_empty(stderr, max_bytes);
    let limit = max_bytes.saturating_mul(OUTPUT_LIMIT_FACTOR);
    let output = stdout.map(|stdout| OutputStreams { stdout, stderr, limit });
    let output = match output {
        Ok(output) => output,
        Err(error) => return failed(format!("its output cannot be captured: {error}")),
    };
    let mut report = match protocol {
        ProcessProtocol::Stdio { stdin, reader } => {
            let process = StdioProcess::new(group, output, reader, timeouts, ends_on_rate_limit);
            process.run(stdin, cancel).await
        }
        ProcessProtocol::Acp(request) => acp::run(group, output, &request, timeouts, cancel).await,
    };
    note_sandbox(&mut report, sandbox.as_ref());
    refuse_changed_settings(&mut report, &settings);
    (on_end.0)(&report);
    report
}

/// Tells failures of the sandbox from those of the client.
fn note_sandbox(report: &mut CallReport, sandbox: Option<&CallSandbox>) {
    let Some(sandbox) = sandbox else { return };
    if let Some(problem) = CallSandbox::launch_failure(report.code, &report.stderr_tail) {
        report.outcome = Outcome::failed(FailureKind::Start, problem);
        return;
    }
    let output = format!("{}\n{}", report.stderr_tail, report.stdout_tail);
    if let Err(failure) = &mut report.outcome.answer
        && let Some(hint) = sandbox.refusal_hint(&output)
    {
        failure.message = format!("{} ({hint})", failure.message);
    }
}

/// An agent that changed the settings of its client has no answer: they would run programs of its choice later.
fn refuse_changed_settings(report: &mut CallReport, settings: &SettingsWatch) {
    let changed: Vec<String> = settings.changed().iter().map(|path| path.display().to_string()).collect();
    if !changed.is_empty() {
        let message = format!(
            "settings of the client changed while it was at work, so its answer is not used: look at {}",
            changed.join(", ")
        );
        report.outcome.answer = Err(Failure { kind: FailureKind::NoAnswer, message });
    }
}

fn start(spec: &ProcessSpec) -> io::Result<ProcessGroup> {
    let wrapped = spec.sandbox.as_ref().map(|sandbox| sandbox.wrap(&spec.command, lane_mark(&spec.token)));
    let Some((program, arguments)) = wrapped.as_ref().unwrap_or(&spec.command).split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no program to start"));
    };
    let has_stdin = !matches!(spec.protocol, ProcessProtocol::Stdio { stdin: StdinInput::Closed, .. });
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(&spec.environment)
        .env(LANE_VARIABLE, &spec.token)
        .current_dir(&spec.folder)
        .stdin(if has_stdin { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if wrapped.is_none() {
        // Otherwise it makes itself the leader of a session, which a leader of a group could not.
        command.process_group(0);
    }
    ProcessGroup::spawn(&mut command)
}

/// Message for a stream that exceeds its output limit.
pub(super) fn output_limit_message(limit: u64) -> String {
    output_exceeded(limit, &format!("{OUTPUT_LIMIT_FACTOR} times limits.output_mb"))
}

/// Exit code and signal of a process.
pub(super) fn code_and_signal(status: Option<ExitStatus>) -> (Option<i32>, Option<i32>) {
    use std::os::unix::process::ExitStatusExt as _;
    (status.and_then(|status| status.code()), status.and_then(|status| status.signal()))
}
