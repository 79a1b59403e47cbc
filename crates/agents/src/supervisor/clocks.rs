//! The clocks an agent is held to: until its first byte, between two bytes, in all.

use crate::outcome::Clock;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long an agent may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocks {
    /// Until its first byte, if silence means something.
    pub first_byte: Option<Duration>,
    /// Between two bytes, if silence means something.
    pub idle: Option<Duration>,
    /// In all.
    pub total: Duration,
    /// Between being asked to end and being ended. Also how long one may linger that has answered, twice over.
    pub grace: Duration,
}

/// When an agent was last heard of.
#[derive(Debug, Clone)]
pub(crate) struct Pulse {
    started: Instant,
    heard: Arc<Mutex<Option<Instant>>>,
}

impl Pulse {
    pub(crate) fn start() -> Pulse {
        Pulse { started: Instant::now(), heard: Arc::default() }
    }

    /// It said something.
    pub(crate) fn beat(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The clock that runs out next if nothing is heard, and when.
    pub(crate) fn next(&self, clocks: &Clocks) -> (Instant, Clock) {
        let total = (self.started + clocks.total, Clock::Total);
        let silent = match *self.heard.lock().unwrap_or_else(PoisonError::into_inner) {
            None => clocks.first_byte.map(|limit| (self.started + limit, Clock::FirstByte)),
            Some(heard) => clocks.idle.map(|limit| (heard + limit, Clock::Idle)),
        };
        match silent {
            Some(silent) if silent.0 < total.0 => silent,
            _ => total,
        }
    }

    /// Waits until a clock has run out, and says which.
    pub(crate) async fn ran_out(&self, clocks: &Clocks) -> Clock {
        loop {
            let (deadline, clock) = self.next(clocks);
            if deadline <= Instant::now() {
                return clock;
            }
            tokio::time::sleep_until(deadline).await;
        }
    }
}

impl Clocks {
    /// What is said of an agent that a clock ended.
    pub(crate) fn verdict(&self, clock: Clock, elapsed: Duration) -> String {
        let limit = match clock {
            Clock::FirstByte => self.first_byte.unwrap_or_default(),
            Clock::Idle => self.idle.unwrap_or_default(),
            Clock::Total => self.total,
        };
        let (elapsed, limit) = (elapsed.as_secs(), limit.as_secs());
        match clock {
            Clock::FirstByte => format!("Timed out after {elapsed}s without a first byte (limit: {limit}s)"),
            Clock::Idle => format!("Timed out after {elapsed}s: silent for too long (limit: {limit}s)"),
            Clock::Total => format!("Timed out after {elapsed}s (limit: {limit}s)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_clock_that_runs_out_first_is_named() {
        let seconds = Duration::from_secs;
        let clocks = Clocks {
            first_byte: Some(seconds(10)),
            idle: Some(seconds(30)),
            total: seconds(100),
            grace: seconds(5),
        };
        let silent = Pulse::start();
        assert_eq!(silent.ran_out(&clocks).await, Clock::FirstByte);
        assert_eq!(silent.elapsed().as_secs(), 10);

        let stalled = Pulse::start();
        stalled.beat();
        assert_eq!(stalled.ran_out(&clocks).await, Clock::Idle);
        assert_eq!(stalled.elapsed().as_secs(), 30);

        let busy = Pulse::start();
        let talk = async {
            loop {
                busy.beat();
                tokio::time::sleep(seconds(20)).await;
            }
        };
        tokio::select! {
            () = talk => {}
            clock = busy.ran_out(&clocks) => assert_eq!(clock, Clock::Total),
        }
        assert_eq!(busy.elapsed().as_secs(), 100);
    }
}
