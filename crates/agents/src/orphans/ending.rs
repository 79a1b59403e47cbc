//! Ends processes, however often they replace themselves.

use super::processes::{Look, Process};
use rustix::process::Signal;
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

/// Interval of checks for processes that have been asked to end.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Minimum time for ending what did not end when it was asked to.
const KILL_TIME: Duration = Duration::from_secs(5);

/// Result of ending processes: those that were signalled, and those that survived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ending {
    /// Processes that were signalled, the survivors included.
    pub(crate) ended: Vec<i32>,
    /// Processes that could not be ended in time.
    pub(crate) survivors: Vec<i32>,
}

/// Ends all processes that `find` returns, until it finds none and has overlooked none.
///
/// Each gets SIGTERM and time to end. After the grace period whatever is found gets SIGKILL at once, what was never seen
/// before too: a process may be replaced by a child of its own whenever it is signalled, or all the time.
pub(super) fn end_all(grace: Duration, find: impl Fn() -> Look) -> Ending {
    let mut ending = Ending::default();
    let grace_end = Instant::now() + grace;
    let give_up = grace_end + grace.max(KILL_TIME);
    let mut killed: Vec<i32> = Vec::new();
    loop {
        let look = find();
        if look.is_clear() {
            return ending;
        }
        let now = Instant::now();
        let pids: Vec<i32> = look.living.iter().map(|process| process.pid).collect();
        if now >= give_up {
            // Held by the kernel, or faster than this process.
            ending.survivors = pids;
            return ending;
        }
        if now >= grace_end {
            kill(&look.living);
            ending.note(&pids);
            if pids == killed {
                // Killed already: it takes the kernel a moment.
                sleep(POLL_INTERVAL);
            } else {
                yield_now();
            }
            killed = pids;
            continue;
        }
        for process in look.living {
            if !ending.ended.contains(&process.pid) {
                ending.ended.push(process.pid);
                process.signal(Signal::TERM);
            }
        }
        sleep(POLL_INTERVAL);
    }
}

/// Stops all of them before the first one ends, so that none can replace another.
fn kill(processes: &[Process]) {
    if processes.len() > 1 {
        for process in processes {
            process.signal(Signal::STOP);
        }
    }
    for process in processes {
        process.signal(Signal::KILL);
    }
}

impl Ending {
    fn note(&mut self, pids: &[i32]) {
        for pid in pids {
            if !self.ended.contains(pid) {
                self.ended.push(*pid);
            }
        }
    }
}
