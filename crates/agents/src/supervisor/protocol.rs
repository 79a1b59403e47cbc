//! Talking to a process that speaks the Agent Client Protocol on its pipes.

use super::clocks::{Clocks, Pulse};
use super::listener::Listener;
use super::supervise::{Ears, Report, parts};
use crate::acp::{self, AcpOrder};
use crate::group::Group;
use crate::outcome::{FailureKind, Outcome};
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::process::ChildStderr;

/// Speaks with it until it has answered, ends it, and says what it came to.
pub(super) async fn attend(
    mut group: Group,
    ears: Ears,
    order: &AcpOrder,
    clocks: Clocks,
    cancel: &Cancel,
) -> Report {
    let Ears { stdout: heard, mut stderr, flood } = ears;
    let heard = Arc::new(Mutex::new(heard));
    let pulse = Pulse::start();
    let child = group.child();
    let (stdin, stdout, complaints) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let outcome = match (stdin, stdout) {
        (Some(stdin), Some(stdout)) => {
            let overheard = Overheard { pipe: stdout, heard: heard.clone(), pulse: pulse.clone() };
            let flooded = too_much(&heard, flood);
            tokio::select! {
                outcome = acp::converse(overheard, stdin, order) => outcome,
                outcome = keep_all(complaints, &mut stderr) => outcome,
                () = flooded => Outcome::failed(FailureKind::Flood, "printed more than anybody will read"),
                clock = pulse.ran_out(&clocks) => {
                    Outcome::failed(FailureKind::Clock(clock), clocks.verdict(clock, pulse.elapsed()))
                }
                () = cancel.requested(Urgency::Soon) => Outcome::failed(FailureKind::Interrupted, "interrupted"),
            }
        }
        _ => Outcome::failed(FailureKind::Start, "its pipes are not there"),
    };
    let elapsed = pulse.elapsed();
    let (code, signal) = parts(group.end(clocks.grace, cancel).await);
    let heard =
        Arc::into_inner(heard).map(|heard| heard.into_inner().unwrap_or_else(PoisonError::into_inner));
    let bytes = heard.as_ref().map_or(0, Listener::total);
    let said = heard.map(|heard| heard.finish(|_| ()).0).unwrap_or_default();
    let (complained, _) = stderr.finish(|_| ());
    Report { outcome, code, signal, elapsed, bytes, said, complained, left_behind: 0 }
}

/// Keeps what it complains. Never ends: the conversation decides when it is over.
async fn keep_all(pipe: Option<ChildStderr>, listener: &mut Listener) -> Outcome {
    if let Some(mut pipe) = pipe {
        let mut buffer = vec![0; 8 << 10];
        while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
            listener.hear(&buffer[..read], |_| ());
        }
    }
    std::future::pending().await
}

async fn too_much(heard: &Arc<Mutex<Listener>>, flood: u64) {
    let mut look = tokio::time::interval(std::time::Duration::from_secs(1));
    loop {
        look.tick().await;
        if heard.lock().unwrap_or_else(PoisonError::into_inner).total() > flood {
            return;
        }
    }
}

/// A pipe of which everything that is read is also kept, and noticed.
struct Overheard<R> {
    pipe: R,
    heard: Arc<Mutex<Listener>>,
    pulse: Pulse,
}

impl<R: AsyncRead + Unpin> AsyncRead for Overheard<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.pipe).poll_read(context, buffer))?;
        let new = &buffer.filled()[before..];
        if !new.is_empty() {
            self.pulse.beat();
            self.heard.lock().unwrap_or_else(PoisonError::into_inner).hear(new, |_| ());
        }
        Poll::Ready(Ok(()))
    }
}
