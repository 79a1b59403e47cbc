//! Timeouts of a call: first byte, idle, total.

use crate::outcome::TimeoutKind;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Time limits of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallTimeouts {
    /// Until the first byte of output; `None` if the client prints only its answer.
    pub first_byte: Option<Duration>,
    /// Between two bytes of output; `None` if the client prints only its answer.
    pub idle: Option<Duration>,
    pub total: Duration,
    /// Between SIGTERM and SIGKILL. A client that has answered may take twice as long to exit.
    pub grace: Duration,
}

/// Time of the last activity of an agent.
#[derive(Debug, Clone)]
pub(crate) struct ActivityMonitor {
    started: Instant,
    last_activity: Arc<Mutex<Option<Instant>>>,
}

impl ActivityMonitor {
    pub(crate) fn start() -> ActivityMonitor {
        ActivityMonitor { started: Instant::now(), last_activity: Arc::default() }
    }

    pub(crate) fn record_activity(&self) {
        *self.last_activity.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The next timeout without further activity, and its time.
    pub(crate) fn next_deadline(&self, timeouts: &CallTimeouts) -> (Instant, TimeoutKind) {
        let total = (self.started + timeouts.total, TimeoutKind::Total);
        let silent = match *self.last_activity.lock().unwrap_or_else(PoisonError::into_inner) {
            None => timeouts.first_byte.map(|limit| (self.started + limit, TimeoutKind::FirstByte)),
            Some(last) => timeouts.idle.map(|limit| (last + limit, TimeoutKind::Idle)),
        };
        match silent {
            Some(silent) if silent.0 < total.0 => silent,
            _ => total,
        }
    }

    /// Waits for a timeout.
    pub(crate) async fn timed_out(&self, timeouts: &CallTimeouts) -> TimeoutKind {
        loop {
            let (deadline, timeout) = self.next_deadline(timeouts);
            if deadline <= Instant::now() {
                return timeout;
            }
            tokio::time::sleep_until(deadline).await;
        }
    }
}

impl CallTimeouts {
    /// Message for an agent that was ended by a timeout.
    pub(crate) fn message(&self, timeout: TimeoutKind, elapsed: Duration) -> String {
        let limit = match timeout {
            TimeoutKind::FirstByte => self.first_byte.unwrap_or_default(),
            TimeoutKind::Idle => self.idle.unwrap_or_default(),
            TimeoutKind::Total => self.total,
        };
        let (elapsed, limit) = (elapsed.as_secs(), limit.as_secs());
        match timeout {
            TimeoutKind::FirstByte => {
                format!("Timed out after {elapsed}s without a first byte (limit: {limit}s)")
            }
            TimeoutKind::Idle => format!("Timed out after {elapsed}s: silent for too long (limit: {limit}s)"),
            TimeoutKind::Total => format!("Timed out after {elapsed}s (limit: {limit}s)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_first_timeout_is_reported() {
        let seconds = Duration::from_secs;
        let timeouts = CallTimeouts {
            first_byte: Some(seconds(10)),
            idle: Some(seconds(30)),
            total: seconds(100),
            grace: seconds(5),
        };
        let silent = ActivityMonitor::start();
        assert_eq!(silent.timed_out(&timeouts).await, TimeoutKind::FirstByte);
        assert_eq!(silent.elapsed().as_secs(), 10);

        let stalled = ActivityMonitor::start();
        stalled.record_activity();
        assert_eq!(stalled.timed_out(&timeouts).await, TimeoutKind::Idle);
        assert_eq!(stalled.elapsed().as_secs(), 30);

        let busy = ActivityMonitor::start();
        let talk = async {
            loop {
                busy.record_activity();
                tokio::time::sleep(seconds(20)).await;
            }
        };
        tokio::select! {
            () = talk => {}
            timeout = busy.timed_out(&timeouts) => assert_eq!(timeout, TimeoutKind::Total),
        }
        assert_eq!(busy.elapsed().as_secs(), 100);
    }
}
