//! Runs a process that reads its prompt from standard input and prints its answer.

use super::lines::Piece;
use super::process_spec::StdinInput;
use super::supervise::{CallReport, OutputStreams, code_and_signal, output_limit_message};
use super::timeouts::{ActivityMonitor, CallTimeouts};
use crate::outcome::{Failure, FailureKind, TimeoutKind};
use crate::process_group::ProcessGroup;
use crate::stream::{OutputReader, ProcessEnd, clean};
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::Instant;

/// Maximum time for reading the pipes of a process that has ended: its children may keep them open.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// Time for a last look at the pipes before a deadline counts, and the most that it takes: what a pipe can hold.
const LAST_LOOK: Duration = Duration::from_millis(10);
const LAST_BYTES: usize = 1 << 20;

/// Note about a client that answered and had to be ended.
const DID_NOT_EXIT: &str = "answered but did not exit; it was ended";

/// The same for a client that closed its standard output.
const CLOSED_WITHOUT_ANSWER: &str = "closed its output without an answer and did not exit; it was ended";

/// Note about a client that reported a failure and had to be ended.
const FAILED_AND_DID_NOT_EXIT: &str = "did not exit; it was ended";

/// Reason a process is no longer read.
enum StopReason {
    Exited,
    /// The client has answered, or can print no answer any more, and did not exit.
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
    /// When a client that has answered must have exited, on the clock of `activity`.
    exit_by: Option<Duration>,
    /// When the pipes of a process that has ended are no longer read, on the same clock.
    drain_by: Option<Duration>,
}

/// Output pipes of a process that are still open, with what was read from them last.
struct Pipes {
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    out_buffer: Vec<u8>,
    error_buffer: Vec<u8>,
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
        StdioProcess {
            group,
            output,
            reader,
            timeouts,
            ends_on_rate_limit,
            activity,
            status: None,
            exit_by: None,
            drain_by: None,
        }
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
        let mut pipes = self.take_pipes();
        let mut writing = Box::pin(write_input(self.group.child().stdin.take(), input));
        let mut is_written = false;
        loop {
            if self.status.is_some() && pipes.are_closed() {
                return StopReason::Exited;
            }
            self.activity.tick();
            let until = ActivityMonitor::next_tick(self.deadline());
            let stop = tokio::select! {
                count = read_pipe(&mut pipes.stdout, &mut pipes.out_buffer), if pipes.stdout.is_some() => {
                    self.receive_stdout(&pipes.out_buffer[..count])
                }
                count = read_pipe(&mut pipes.stderr, &mut pipes.error_buffer), if pipes.stderr.is_some() => {
                    self.receive_stderr(&pipes.error_buffer[..count], pipes.stdout.is_some())
                }
                () = &mut writing, if !is_written => {
                    is_written = true;
                    None
                }
                status = self.group.child().wait(), if self.status.is_none() => self.note_end(status.ok()),
                () = tokio::time::sleep_until(until) => self.look_at_the_time(&mut pipes).await,
                () = cancel.wait_for(Urgency::Soon) => Some(StopReason::Interrupted),
            };
            if let Some(stop) = stop {
                return stop;
            }
        }
    }

    fn take_pipes(&mut self) -> Pipes {
        let child = self.group.child();
        Pipes {
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            out_buffer: vec![0; 64 << 10],
            error_buffer: vec![0; 8 << 10],
        }
    }

    /// Takes what was read of standard output; no bytes are its end.
    fn receive_stdout(&mut self, bytes: &[u8]) -> Option<StopReason> {
        if bytes.is_empty() {
            // Nothing more can follow; the client may take its time to exit.
            self.exit_by.get_or_insert(self.activity.elapsed() + 2 * self.timeouts.grace);
            return None;
        }
        self.activity.record_activity();
        self.output.stdout.receive(bytes, |piece| read_piece(&mut *self.reader, piece));
        let stop = self.stop_reason(true);
        // The client may go on working after an answer; then a later answer counts.
        let is_complete = self.reader.is_complete();
        self.exit_by = is_complete.then(|| self.activity.elapsed() + 2 * self.timeouts.grace);
        stop
    }

    fn receive_stderr(&mut self, bytes: &[u8], stdout_is_open: bool) -> Option<StopReason> {
        self.output.stderr.receive(bytes, |piece| read_stderr_piece(&mut *self.reader, piece));
        self.stop_reason(stdout_is_open)
    }

    /// Notes that the process has ended.
    fn note_end(&mut self, status: Option<ExitStatus>) -> Option<StopReason> {
        self.status = status;
        self.drain_by = Some(self.activity.elapsed() + DRAIN_TIMEOUT);
        self.status.is_none().then_some(StopReason::Exited)
    }

    /// When the process is no longer waited for, unless it says something.
    fn deadline(&self) -> Instant {
        let (timeout, _) = self.activity.next_deadline(&self.timeouts);
        let end = self.drain_by.or(self.exit_by).map(|by| self.activity.moment(by));
        end.map_or(timeout, |end| end.min(timeout))
    }

    /// Reason to end the process because of the time. What it said in time counts, even if this process had no time to
    /// read it.
    async fn look_at_the_time(&mut self, pipes: &mut Pipes) -> Option<StopReason> {
        self.activity.tick();
        if Instant::now() < self.deadline() {
            return None;
        }
        if let Some(stop) = self.read_rest(pipes).await {
            return Some(stop);
        }
        if self.status.is_some() {
            return Some(StopReason::Exited);
        }
        if let Ok(Some(status)) = self.group.child().try_wait() {
            return self.note_end(Some(status));
        }
        let now = Instant::now();
        if self.exit_by.is_some_and(|by| self.activity.moment(by) <= now) {
            return Some(StopReason::DidNotExit);
        }
        let (deadline, timeout) = self.activity.next_deadline(&self.timeouts);
        (deadline <= now).then_some(StopReason::Timeout(timeout))
    }

    /// Reads what is in the pipes already, and does not wait for more.
    async fn read_rest(&mut self, pipes: &mut Pipes) -> Option<StopReason> {
        let look = tokio::time::sleep(LAST_LOOK);
        tokio::pin!(look);
        let mut left = LAST_BYTES;
        while left > 0 && !pipes.are_closed() {
            // In this order: whatever can be read is read, however late it is.
            let (count, stop) = tokio::select! {
                biased;
                count = read_pipe(&mut pipes.stdout, &mut pipes.out_buffer), if pipes.stdout.is_some() => {
                    (count, self.receive_stdout(&pipes.out_buffer[..count]))
                }
                count = read_pipe(&mut pipes.stderr, &mut pipes.error_buffer), if pipes.stderr.is_some() => {
                    (count, self.receive_stderr(&pipes.error_buffer[..count], pipes.stdout.is_some()))
                }
                () = &mut look => return None,
            };
            if stop.is_some() {
                return stop;
            }
            left = left.saturating_sub(count);
        }
        None
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
        let was_complete = reader.is_complete();
        // A client that had answered and was ended because it did not exit has not failed.
        let end = match stop {
            StopReason::DidNotExit => ProcessEnd { code: Some(0), signal: None, stderr: &stderr_tail },
            _ => ProcessEnd { code, signal, stderr: &stderr_tail },
        };
        let mut outcome = reader.outcome(&end);
        let last_error = match end.last_stderr_line() {
            "" => String::new(),
            last => format!(": {}", clean::one_line(last)),
        };
        let fail = |kind, message: String| Err(Failure { kind, message });
        match stop {
            StopReason::Interrupted => {
                outcome.answer = fail(FailureKind::Interrupted, "interrupted".to_owned());
            }
            StopReason::DidNotExit => match &mut outcome.answer {
                Ok(_) => outcome.notes.push(DID_NOT_EXIT.to_owned()),
                Err(_) if was_complete => outcome.notes.push(FAILED_AND_DID_NOT_EXIT.to_owned()),
                // The parsers do not know that it was ended.
                Err(failure) if end.explains(&failure.message) => {
                    failure.message = CLOSED_WITHOUT_ANSWER.to_owned() + &last_error;
                }
                Err(_) => outcome.notes.push(CLOSED_WITHOUT_ANSWER.to_owned()),
            },
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

impl Pipes {
    fn are_closed(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
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

#[cfg(test)]
mod tests {
    use super::super::output_stream::OutputStream;
    use super::super::process_spec::{CaptureTarget, LineRedactor};
    use super::*;
    use crate::stream::OutputFormat;
    use std::path::Path;
    use std::process::Stdio;

    /// A client that prints a line and notes that, and does not exit.
    fn client(folder: &Path) -> StdioProcess {
        let mut command = tokio::process::Command::new("sh");
        command.args(["-c", "echo late; : > printed; exec sleep 600"]).current_dir(folder).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let group = ProcessGroup::spawn(&mut command).unwrap();
        let target =
            |name: &str| CaptureTarget { path: folder.join(name), redactor: LineRedactor::default() };
        let output = OutputStreams {
            stdout: OutputStream::new(target("stdout"), 1 << 20).unwrap(),
            stderr: OutputStream::mostly_empty(target("stderr"), 1 << 20),
            limit: 1 << 20,
        };
        let minute = Duration::from_mins(1);
        let timeouts = CallTimeouts { first_byte: None, idle: None, total: 10 * minute, grace: minute };
        StdioProcess::new(group, output, OutputFormat::Text.reader(1 << 20, None), timeouts, false)
    }

    #[tokio::test]
    async fn what_was_printed_in_time_counts_when_it_is_read_too_late() {
        let folder = tempfile::tempdir().unwrap();
        let mut client = client(folder.path());
        let mut pipes = client.take_pipes();
        while !folder.path().join("printed").exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // An earlier answer was complete long ago.
        client.exit_by = Some(Duration::ZERO);
        assert!(client.look_at_the_time(&mut pipes).await.is_none(), "it goes on");
        assert_eq!(client.output.stdout.total_bytes(), 5);
        client.exit_by = Some(Duration::ZERO);
        assert!(matches!(client.look_at_the_time(&mut pipes).await, Some(StopReason::DidNotExit)));
    }
}
