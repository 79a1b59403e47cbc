//! Runs a process that speaks the Agent Client Protocol on its pipes.

use super::output_stream::OutputStream;
use super::supervise::{CallReport, OutputStreams, code_and_signal, output_limit_message};
use super::timeouts::{ActivityMonitor, CallTimeouts};
use crate::acp::{self, AcpRequest};
use crate::outcome::{FailureKind, Outcome};
use crate::process_group::ProcessGroup;
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::process::ChildStderr;

/// Runs the process to its answer or its end, and ends it.
pub(super) async fn run(
    mut group: ProcessGroup,
    output: OutputStreams,
    request: &AcpRequest,
    timeouts: CallTimeouts,
    cancel: &Cancel,
) -> CallReport {
    let OutputStreams { stdout: captured, mut stderr, limit } = output;
    let captured = Arc::new(Mutex::new(captured));
    let activity = ActivityMonitor::start();
    let child = group.child();
    let (stdin, stdout, stderr_pipe) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let outcome = match (stdin, stdout) {
        (Some(stdin), Some(stdout)) => {
            let pipe = CapturedPipe { pipe: stdout, captured: captured.clone(), activity: activity.clone() };
            tokio::select! {
                outcome = acp::run_session(pipe, stdin, request) => outcome,
                outcome = capture_stderr(stderr_pipe, &mut stderr, limit) => outcome,
                () = exceed_limit(&captured, limit) => {
                    Outcome::failed(FailureKind::OutputLimit, output_limit_message(limit))
                }
                timeout = activity.timed_out(&timeouts) => {
                    let message = timeouts.message(timeout, activity.elapsed());
                    Outcome::failed(FailureKind::Timeout(timeout), message)
                }
                () = cancel.wait_for(Urgency::Soon) => Outcome::failed(FailureKind::Interrupted, "interrupted"),
            }
        }
        _ => Outcome::failed(FailureKind::Start, "its pipes are missing"),
    };
    let elapsed = activity.elapsed();
    let (code, signal) = code_and_signal(group.end(timeouts.grace, cancel).await);
    let captured =
        Arc::into_inner(captured).map(|stream| stream.into_inner().unwrap_or_else(PoisonError::into_inner));
    let bytes = captured.as_ref().map_or(0, OutputStream::total_bytes);
    let stdout_tail = captured.map(|stream| stream.finish(|_| ()).0).unwrap_or_default();
    let (stderr_tail, _) = stderr.finish(|_| ());
    let report = CallReport::without_process(outcome);
    CallReport { code, signal, elapsed, bytes, stdout_tail, stderr_tail, ..report }
}

/// Captures standard error. Returns only if it exceeds the limit: the session decides when the call is over.
async fn capture_stderr(pipe: Option<ChildStderr>, stream: &mut OutputStream, limit: u64) -> Outcome {
    if let Some(mut pipe) = pipe {
        let mut buffer = vec![0; 8 << 10];
        while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
            stream.receive(&buffer[..read], |_| ());
            if stream.total_bytes() > limit {
                return Outcome::failed(FailureKind::OutputLimit, output_limit_message(limit));
            }
        }
    }
    std::future::pending().await
}

/// Waits until the output exceeds the limit.
async fn exceed_limit(captured: &Arc<Mutex<OutputStream>>, limit: u64) {
    let mut interval = tokio::time::interval(std::time::Duration::from_secs(1));
    loop {
        interval.tick().await;
        if captured.lock().unwrap_or_else(PoisonError::into_inner).total_bytes() > limit {
            return;
        }
    }
}

/// A pipe whose bytes are captured, and recorded as activity, while they are read.
struct CapturedPipe<R> {
    pipe: R,
    captured: Arc<Mutex<OutputStream>>,
    activity: ActivityMonitor,
}

impl<R: AsyncRead + Unpin> AsyncRead for CapturedPipe<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.pipe).poll_read(context, buffer))?;
        let new = &buffer.filled()[before..];
        if !new.is_empty() {
            self.activity.record_activity();
            self.captured.lock().unwrap_or_else(PoisonError::into_inner).receive(new, |_| ());
        }
        Poll::Ready(Ok(()))
    }
}
