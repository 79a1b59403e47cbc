//! Timeouts of a call: first byte, idle, total.

use crate::outcome::TimeoutKind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

/// Interval at which a waiting driver looks at the time.
const TICK: Duration = Duration::from_millis(500);

/// A driver that did not look for longer than this was stopped (Ctrl-Z), or the machine slept.
const MAX_TICK: Duration = Duration::from_millis(1200);

/// Time of the last activity of an agent. Time that the driver itself was stopped does not count.
#[derive(Debug, Clone)]
pub(crate) struct ActivityMonitor {
    started: Instant,
    state: Arc<Mutex<MonitorState>>,
}

#[derive(Debug)]
struct MonitorState {
    last_activity: Option<Instant>,
    last_tick: Instant,
    /// Time that the driver was stopped.
    stopped: Duration,
}

impl ActivityMonitor {
    pub(crate) fn start() -> ActivityMonitor {
        let started = Instant::now();
        let state = MonitorState { last_activity: None, last_tick: started, stopped: Duration::ZERO };
        ActivityMonitor { started, state: Arc::new(Mutex::new(state)) }
    }

    fn state(&self) -> MutexGuard<'_, MonitorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn record_activity(&self) {
        self.tick();
        self.state().last_activity = Some(Instant::now());
    }

    /// Time since the start, without the time that the driver was stopped.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed().saturating_sub(self.state().stopped)
    }

    /// The moment at which [`ActivityMonitor::elapsed`] reaches `elapsed`, if the driver is not stopped again.
    pub(crate) fn moment(&self, elapsed: Duration) -> Instant {
        self.started + self.state().stopped + elapsed
    }

    /// Looks at the time. To be called at least once per [`ActivityMonitor::next_tick`] while an agent is waited for.
    pub(crate) fn tick(&self) {
        let now = Instant::now();
        let mut state = self.state();
        let missed = now.saturating_duration_since(state.last_tick);
        state.last_tick = now;
        if missed > MAX_TICK {
            state.stopped += missed;
            if let Some(last) = &mut state.last_activity {
                *last += missed;
            }
        }
    }

    /// When to look at the time next, if nothing happens before `deadline`.
    pub(crate) fn next_tick(deadline: Instant) -> Instant {
        deadline.min(Instant::now() + TICK)
    }

    /// The next timeout without further activity, and its time.
    pub(crate) fn next_deadline(&self, timeouts: &CallTimeouts) -> (Instant, TimeoutKind) {
        let state = self.state();
        let started = self.started + state.stopped;
        let total = (started + timeouts.total, TimeoutKind::Total);
        let silent = match state.last_activity {
            None => timeouts.first_byte.map(|limit| (started + limit, TimeoutKind::FirstByte)),
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
            self.tick();
            let (deadline, timeout) = self.next_deadline(timeouts);
            if deadline <= Instant::now() {
                return timeout;
            }
            tokio::time::sleep_until(ActivityMonitor::next_tick(deadline)).await;
        }
    }
}

/// Sleeps; time that the driver was stopped does not count.
pub(crate) async fn sleep_unstopped(duration: Duration) {
    let only_total = CallTimeouts { first_byte: None, idle: None, total: duration, grace: Duration::ZERO };
    ActivityMonitor::start().timed_out(&only_total).await;
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
    use futures_util::FutureExt as _;

    #[tokio::test(start_paused = true)]
    async fn time_spent_stopped_does_not_count() {
        let seconds = Duration::from_secs;
        let timeouts = CallTimeouts {
            first_byte: None,
            idle: Some(seconds(30)),
            total: seconds(100),
            grace: seconds(5),
        };
        let monitor = ActivityMonitor::start();
        monitor.record_activity();
        // Nobody looks at the time for an hour.
        tokio::time::advance(seconds(3600)).await;
        monitor.tick();
        let (deadline, timeout) = monitor.next_deadline(&timeouts);
        assert_eq!((deadline - Instant::now(), timeout), (seconds(30), TimeoutKind::Idle));
        assert_eq!(monitor.elapsed(), seconds(0));
        // Short stops add up.
        for _ in 0..40 {
            tokio::time::advance(seconds(2)).await;
            monitor.tick();
        }
        let (deadline, _) = monitor.next_deadline(&timeouts);
        assert_eq!((deadline - Instant::now(), monitor.elapsed()), (seconds(30), seconds(0)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_grace_period_begins_again_where_the_driver_was_stopped() {
        let seconds = Duration::from_secs;
        let begun = Instant::now();
        let mut sleep = Box::pin(sleep_unstopped(seconds(2)));
        assert_eq!((&mut sleep).now_or_never(), None);
        tokio::time::advance(seconds(9)).await;
        sleep.await;
        assert_eq!(begun.elapsed().as_secs(), 9 + 2);
    }

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
