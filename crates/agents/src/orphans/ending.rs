//! Ends processes, however often they replace themselves.

use super::processes::{Look, Process};
use rustix::process::Signal;
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

/// Interval of checks for processes that have been asked to end.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Minimum time for ending what did not end when it was asked to.
const KILL_TIME: Duration = Duration::from_secs(5);

/// The most that counts of the time between two looks.
const MAX_GAP: Duration = Duration::from_millis(1200);

/// Result of ending processes: those that were signalled, and whether any are left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ending {
    /// Processes that were signalled, the survivors included.
    pub(crate) ended: Vec<i32>,
    /// None if all have ended, for certain; else those that were seen last. That may be none: processes that replace
    /// themselves faster than they can be looked at.
    pub(crate) survivors: Option<Vec<i32>>,
}

/// Ends all processes that `find` returns, until it finds none and has overlooked none.
///
/// Each gets SIGTERM and time to end. After the grace period whatever is found gets SIGKILL at once, what was never seen
/// before too: a process may be replaced by a child of its own whenever it is signalled, or all the time.
pub(super) fn end_all(grace: Duration, find: impl Fn() -> Look) -> Ending {
    end_within(grace, grace.max(KILL_TIME), Instant::now, find)
}

/// The same with the time for ending what did not end when it was asked to, and with a clock.
fn end_within(
    grace: Duration,
    kill_time: Duration,
    now: impl Fn() -> Instant,
    find: impl Fn() -> Look,
) -> Ending {
    let mut ending = Ending::default();
    let mut time = TimeSpent { last_look: now(), spent: Duration::ZERO };
    // Those that got the last SIGKILL; none before anything did.
    let mut killed: Option<Vec<i32>> = None;
    loop {
        let look = find();
        if look.is_clear() {
            return ending;
        }
        let spent = time.at(now());
        let pids: Vec<i32> = look.living.iter().map(|process| process.pid).collect();
        if spent >= grace + kill_time && killed.is_some() {
            // Held by the kernel, or faster than this process.
            ending.survivors = Some(pids);
            return ending;
        }
        if spent >= grace {
            kill(&look.living);
            ending.note(&pids);
            if killed.as_ref() == Some(&pids) {
                // Killed already: it takes the kernel a moment.
                sleep(POLL_INTERVAL);
            } else {
                yield_now();
            }
            killed = Some(pids);
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

/// Time that was spent on ending processes. Between two looks that lie far apart this process was stopped (Ctrl-Z), or the
/// machine slept: what it had asked to end had no time either.
struct TimeSpent {
    last_look: Instant,
    spent: Duration,
}

impl TimeSpent {
    fn at(&mut self, now: Instant) -> Duration {
        self.spent += now.saturating_duration_since(self.last_look).min(MAX_GAP);
        self.last_look = now;
        self.spent
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervisor::survivors_message;

    /// Time to end in, where nothing ends anyway.
    const SHORT: Duration = Duration::from_millis(15);

    #[test]
    fn what_always_escapes_the_look_counts_as_left() {
        let escaped = || Look { living: Vec::new(), is_certain: false };
        let ending = end_within(Duration::ZERO, SHORT, Instant::now, escaped);
        assert_eq!(ending, Ending { ended: Vec::new(), survivors: Some(Vec::new()) });
        let message = survivors_message(&ending.survivors.unwrap());
        assert!(message.starts_with("left processes that could not be ended (unknown ids)"), "{message}");
    }

    #[test]
    fn nothing_is_left_where_nothing_is_found_for_certain() {
        let looks = std::cell::Cell::new(0);
        let ending = end_within(Duration::ZERO, Duration::from_mins(1), Instant::now, || {
            looks.set(looks.get() + 1);
            Look { living: Vec::new(), is_certain: looks.get() > 2 }
        });
        assert_eq!((ending, looks.get()), (Ending::default(), 3));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_stopped_driver_kills_before_it_gives_up() {
        use super::super::processes::open;
        use std::io::Read as _;
        use std::os::unix::process::ExitStatusExt as _;
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "trap '' TERM; echo deaf; exec sleep 600"]).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdout.take().unwrap().read_exact(&mut [0; 5]).unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        // An hour passes between any two looks.
        let (start, hours) = (Instant::now(), std::cell::Cell::new(0));
        let now = || {
            hours.set(hours.get() + 1);
            start + Duration::from_hours(hours.get())
        };
        let child = std::cell::RefCell::new(child);
        let ending = end_within(Duration::from_secs(2), Duration::from_mins(10), now, || {
            let has_ended = child.borrow_mut().try_wait().unwrap().is_some();
            Look::certain(if has_ended { Vec::new() } else { open(pid).into_iter().collect() })
        });
        assert_eq!(ending, Ending { ended: vec![pid], survivors: None });
        let status = child.into_inner().wait().unwrap();
        assert_eq!(status.signal(), Some(9));
    }
}
