//! Runs a process that reads its prompt from standard input and prints its answer.

use super::lines::Piece;
use super::process_spec::StdinInput;
use super::supervise::{CallReport, OutputStreams, code_and_signal, output_limit_message};
use super::timeouts::{ActivityMonitor, CallTimeouts};
use crate::outcome::{Failure, FailureKind, TimeoutKind};
use crate::process_group::ProcessGroup;
use crate::stream::{OutputReader, ProcessEnd};
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::ChildStdin;
use tokio::time::Instant;

/// Maximum time for reading the pipes of a process that has ended: its children may keep them open.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// Note about a client that answered and had to be ended.
const DID_NOT_EXIT: &str = "answered but did not exit; it was ended";

/// Reason a process is no longer read.
enum StopReason {
    Exited,
    /// The client has answered and did not exit.
    DidNotExit,
    Timeout(TimeoutKind),
    /// A stream exceeds its output limit.
    OutputLimit,
    /// A failure that the reader found in the output.
    Failure(FailureKind),
    /// The run was cancelled.
    Interrupted,
}

/// A running process, with the reader of its output.
pub(super) struct StdioProcess {
    group: ProcessGroup,
    output: OutputStreams,
    reader: Box<dyn OutputReader>,
    timeouts: CallTimeouts,
    ends_on_rate_limit: bool,
    activity: ActivityMonitor,
    status: Option<ExitStatus>,
}

impl StdioProcess {
    pub(super) fn new(
        group: ProcessGroup,
        output: OutputStreams,
        reader: Box<dyn OutputReader>,
        timeouts: CallTimeouts,
        ends_on_rate_limit: bool,
    ) -> StdioProcess {
        let activity = ActivityMonitor::start();
        StdioProcess { group, output, reader, timeouts, ends_on_rate_limit, activity, status: None }
    }

    /// Runs the process to its answer or its end, and ends it.
    pub(super) async fn run(mut self, input: StdinInput, cancel: &Cancel) -> CallReport {
        let stop = self.read_output(input, cancel).await;
        let status = match (&stop, self.status) {
            (StopReason::Exited, Some(status)) => Some(status),
            _ => self.group.end(self.timeouts.grace, cancel).await,
        };
        self.report(&stop, status)
    }

    /// Writes the input and reads the output until the process has ended or must be ended.
    async fn read_output(&mut self, input: StdinInput, cancel: &Cancel) -> StopReason {
        let child = self.group.child();
        let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
        let mut writing = Box::pin(write_input(child.stdin.take(), input));
        let (mut is_written, mut out_buffer, mut error_buffer) = (false, vec![0; 64 << 10], vec![0; 8 << 10]);
        let mut exit_deadline: Option<Instant> = None;
        let mut drain_deadline: Option<Instant> = None;
        loop {
            if self.status.is_some() && stdout.is_none() && stderr.is_none() {
                return StopReason::Exited;
            }
            self.activity.tick();
            let (deadline, timeout) = self.activity.next_deadline(&self.timeouts);
            let deadline = drain_deadline.or(exit_deadline).unwrap_or(deadline).min(deadline);
            let until = ActivityMonitor::next_tick(deadline);
            tokio::select! {
                read = read_pipe(&mut stdout, &mut out_buffer), if stdout.is_some() => {
                    if read == 0 {
                        // Nothing more can follow; the client may take its time to exit.
                        exit_deadline.get_or_insert(Instant::now() + 2 * self.timeouts.grace);
                        continue;
                    }
                    self.activity.record_activity();
                    let bytes = &out_buffer[..read];
                    self.output.stdout.receive(bytes, |piece| read_piece(&mut *self.reader, piece));
                    if let Some(reason) = self.stop_reason(true) {
                        return reason;
                    }
                    // The client may go on working after an answer; then a later answer counts.
                    exit_deadline =
                        self.reader.is_complete().then(|| Instant::now() + 2 * self.timeouts.grace);
                }
                read = read_pipe(&mut stderr, &mut error_buffer), if stderr.is_some() => {
                    let bytes = &error_buffer[..read];
                    self.output.stderr.receive(bytes, |piece| read_stderr_piece(&mut *self.reader, piece));
                    if let Some(reason) = self.stop_reason(stdout.is_some()) {
                        return reason;
                    }
                }
                () = &mut writing, if !is_written => is_written = true,
                status = self.group.child().wait(), if self.status.is_none() => {
                    self.status = status.ok();
                    drain_deadline = Some(Instant::now() + DRAIN_TIMEOUT);
                    if self.status.is_none() {
                        return StopReason::Exited;
                    }
                }
                () = tokio::time::sleep_until(until) => {
                    if until < deadline {
                        continue;
                    }
                    return if self.status.is_some() {
                        StopReason::Exited
                    } else if exit_deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                        StopReason::DidNotExit
                    } else {
                        StopReason::Timeout(timeout)
                    };
                }
                () = cancel.wait_for(Urgency::Soon) => return StopReason::Interrupted,
            }
        }
    }

    /// Reason to end the process because of its output. What follows the end of the process, or of its standard output, cannot take
    /// the answer back.
    fn stop_reason(&self, stdout_is_open: bool) -> Option<StopReason> {
        let (stdout, stderr) = (self.output.stdout.total_bytes(), self.output.stderr.total_bytes());
        if stdout.max(stderr) > self.output.limit {
            return Some(match self.status {
                Some(_) => StopReason::Exited,
                None if !stdout_is_open && stdout > 0 && stdout <= self.output.limit => {
                    StopReason::DidNotExit
                }
                None => StopReason::OutputLimit,
            });
        }
        match self.reader.pending_failure()? {
            FailureKind::RateLimit { .. } if !self.ends_on_rate_limit => None,
            failure => Some(StopReason::Failure(failure)),
        }
    }

    fn report(self, stop: &StopReason, status: Option<ExitStatus>) -> CallReport {
        let StdioProcess { mut reader, output, timeouts, activity, .. } = self;
        let elapsed = activity.elapsed();
        let (bytes, limit) = (output.stdout.total_bytes(), output.limit);
        let (stdout_tail, capture_error) = output.stdout.finish(|piece| read_piece(&mut *reader, piece));
        let (stderr_tail, _) = output.stderr.finish(|piece| read_stderr_piece(&mut *reader, piece));
        let (code, signal) = code_and_signal(status);
        // A client that had answered and was ended because it did not exit has not failed.
        let end = match stop {
            StopReason::DidNotExit => ProcessEnd { code: Some(0), signal: None, stderr: &stderr_tail },
            _ => ProcessEnd { code, signal, stderr: &stderr_tail },
        };
        let mut outcome = reader.outcome(&end);
        let fail = |kind, message: String| Err(Failure { kind, message });
        match stop {
            StopReason::Interrupted => {
                outcome.answer = fail(FailureKind::Interrupted, "interrupted".to_owned());
            }
            StopReason::DidNotExit => outcome.notes.push(DID_NOT_EXIT.to_owned()),
            // The reader has an answer of a client that was ended only if it was complete.
            StopReason::Timeout(_) if outcome.answer.is_ok() => outcome.notes.push(DID_NOT_EXIT.to_owned()),
            StopReason::Timeout(timeout) => {
                outcome.answer = fail(FailureKind::Timeout(*timeout), timeouts.message(*timeout, elapsed));
            }
            StopReason::OutputLimit => {
                outcome.answer = fail(FailureKind::OutputLimit, output_limit_message(limit));
            }
            StopReason::Failure(kind @ FailureKind::RateLimit { retry_after }) => {
                let wait =
                    retry_after.map_or_else(String::new, |wait| format!(": retry after {}s", wait.as_secs()));
                outcome.answer = fail(*kind, format!("rate limited by its vendor{wait}"));
            }
            StopReason::Failure(kind) => {
                let last = stderr_tail.lines().rev().find(|line| !line.trim().is_empty());
                outcome.answer = match outcome.answer {
                    Ok(_) => {
                        fail(*kind, format!("could not continue: {}", last.unwrap_or("it gave no reason")))
                    }
                    Err(failure) => Err(Failure { kind: *kind, ..failure }),
                };
            }
            StopReason::Exited => {}
        }
        if let Some(error) = capture_error {
            outcome.notes.push(format!("its output could not be captured completely: {error}"));
        }
        let report = CallReport::without_process(outcome);
        CallReport { code, signal, elapsed, bytes, stdout_tail, stderr_tail, ..report }
    }
}

fn read_piece(reader: &mut dyn OutputReader, piece: Piece<'_>) {
    match piece {
        Piece::Line(line) => reader.read_line(line),
        Piece::Part(part, ends) => reader.read_part(part, ends),
    }
}

fn read_stderr_piece(reader: &mut dyn OutputReader, piece: Piece<'_>) {
    if let Piece::Line(line) = piece {
        reader.read_stderr_line(line);
    }
}

/// Reads from a pipe. 0 bytes mean that it was closed; it is dropped then.
async fn read_pipe(pipe: &mut Option<impl AsyncRead + Unpin>, buffer: &mut [u8]) -> usize {
    let Some(open) = pipe else { return 0 };
    let read = open.read(buffer).await.unwrap_or(0);
    if read == 0 {
        *pipe = None;
    }
    read
}

async fn write_input(pipe: Option<ChildStdin>, input: StdinInput) {
    if let (Some(mut pipe), StdinInput::Text(text)) = (pipe, input) {
        // The process may answer without reading all of it.
        let _ = pipe.write_all(text.as_bytes()).await;
        let _ = pipe.shutdown().await;
    }
}
