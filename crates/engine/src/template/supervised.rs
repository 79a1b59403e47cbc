//! The thread that a template is read and rendered on.
//!
//! The steps of a template are limited, but not the time of one: to compare two long texts is one step. And the template
//! engine panics on some arguments. So a template has a thread of its own and a time limit. What this code is asked for
//! while it runs (filters, tests, items of a range, the writing of text) fails at the limit, and the error names the line.
//! What never asks is abandoned soon after: that thread runs on until it is done, or the process ends. While several do, no
//! other template is tried, because each may hold half a gigabyte.

use minijinja::Error;
use std::cell::Cell;
use std::fmt;
use std::panic;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Once};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum time for reading or rendering a template.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Time after the limit in which a template can still end by itself, with a better error.
const GRACE: Duration = Duration::from_secs(1);

/// Maximum number of abandoned threads that still run.
const MAX_ABANDONED: usize = 4;

/// Name of the threads. Their panics are reported as errors.
const THREAD: &str = "charrette-template";

/// Stack of a thread: that of a main thread, whichever thread asks.
const STACK_BYTES: usize = 8 << 20;

/// Failure of a template that the template engine could not report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It takes longer than this.
    TimedOut(Duration),
    /// The template engine panicked.
    Panicked,
    /// Too many others were abandoned and still run.
    Crowded,
    /// No thread could be started.
    NoThread,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::TimedOut(limit) if limit.subsec_nanos() == 0 => {
                write!(f, "the template takes longer than {} s (limit)", limit.as_secs())
            }
            Failure::TimedOut(limit) => {
                write!(f, "the template takes longer than {} ms (limit)", limit.as_millis())
            }
            Failure::Panicked => {
                f.write_str("the template engine failed on an argument or index in the template")
            }
            Failure::Crowded => write!(
                f,
                "not tried, because {MAX_ABANDONED} templates that take too long still run (limit); correct those first"
            ),
            Failure::NoThread => f.write_str("no thread could be started for the template"),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        Error::new(minijinja::ErrorKind::InvalidOperation, failure.to_string())
    }
}

/// Time of the template that a thread works on.
#[derive(Clone, Copy)]
struct Clock {
    end: Instant,
    limit: Duration,
}

impl Clock {
    fn is_over(self) -> bool {
        Instant::now() >= self.end
    }
}

thread_local! {
    static CLOCK: Cell<Option<Clock>> = const { Cell::new(None) };
}

/// Does work on a template on a thread of its own, within the limit.
pub(crate) fn supervise<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    static ABANDONED: AtomicUsize = AtomicUsize::new(0);
    supervise_beside(&ABANDONED, limit, work)
}

/// Does it unless too many abandoned threads still run.
fn supervise_beside<T: Send + 'static>(
    abandoned: &'static AtomicUsize,
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    if abandoned.load(Ordering::Relaxed) >= MAX_ABANDONED {
        return Err(Failure::Crowded);
    }
    silence_panics();
    let parting = Parting { is_first: Arc::new(AtomicBool::new(true)), abandoned };
    let at_end = AtEnd(parting.clone());
    let clock = Clock { end: Instant::now() + limit, limit };
    let (sender, receiver) = mpsc::sync_channel(1);
    let thread = thread::Builder::new().name(THREAD.to_owned()).stack_size(STACK_BYTES);
    let spawned = thread.spawn(move || {
        let _at_end = at_end;
        CLOCK.set(Some(clock));
        // Nobody receives it after the limit.
        let _ = sender.send(work());
    });
    let Ok(thread) = spawned else { return Err(Failure::NoThread) };
    match receiver.recv_timeout(limit + GRACE) {
        Ok(done) => Ok(done),
        Err(RecvTimeoutError::Timeout) => {
            parting.abandon();
            Err(Failure::TimedOut(limit))
        }
        Err(RecvTimeoutError::Disconnected) => Err(match thread.join() {
            Err(payload) if payload.is::<TimeIsOver>() => Failure::TimedOut(limit),
            _ => Failure::Panicked,
        }),
    }
}

/// The two ends of a supervision: that of the thread, and that of the waiting for it.
#[derive(Clone)]
struct Parting {
    /// True until one of them has come.
    is_first: Arc<AtomicBool>,
    /// Number of abandoned threads that still run.
    abandoned: &'static AtomicUsize,
}

impl Parting {
    fn abandon(&self) {
        // Counted before the thread can see it.
        self.abandoned.fetch_add(1, Ordering::SeqCst);
        if !self.is_first.swap(false, Ordering::SeqCst) {
            self.abandoned.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// The end of the thread, in a panic too.
struct AtEnd(Parting);

impl Drop for AtEnd {
    fn drop(&mut self) {
        if !self.0.is_first.swap(false, Ordering::SeqCst) {
            self.0.abandoned.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Fails if the time of the template is over.
pub(super) fn check_time() -> Result<(), Error> {
    match CLOCK.get() {
        Some(clock) if clock.is_over() => Err(Failure::TimedOut(clock.limit).into()),
        _ => Ok(()),
    }
}

/// Payload of an unwinding that ends a thread whose time is over.
struct TimeIsOver;

/// Ends the thread if its time is over; for iterators, which cannot fail.
pub(super) fn end_if_over() {
    if CLOCK.get().is_some_and(Clock::is_over) {
        panic::resume_unwind(Box::new(TimeIsOver));
    }
}

/// Silences panics of these threads, which become errors.
fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() != Some(THREAD) {
                others(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn a_panic_of_the_engine_is_an_error() {
        let result = supervise::<()>(TIME_LIMIT, || panic!("quoting the template"));
        assert_eq!(result, Err(Failure::Panicked));
    }

    #[test]
    fn what_never_ends_is_abandoned_up_to_a_number() {
        static ABANDONED: AtomicUsize = AtomicUsize::new(0);
        let (hold, held) = mpsc::channel::<()>();
        let held = Arc::new(std::sync::Mutex::new(held));
        for _ in 0..MAX_ABANDONED {
            let held = held.clone();
            // Until the other end is dropped.
            let result = supervise_beside(&ABANDONED, SHORT, move || {
                let _ = held.lock().map(|held| held.recv());
            });
            assert_eq!(result, Err(Failure::TimedOut(SHORT)));
        }
        assert_eq!(supervise_beside(&ABANDONED, TIME_LIMIT, || 1), Err(Failure::Crowded));
        drop(hold);
        while ABANDONED.load(Ordering::SeqCst) > 0 {
            thread::yield_now();
        }
        assert_eq!(supervise_beside(&ABANDONED, TIME_LIMIT, || 1), Ok(1));
    }

    #[test]
    fn messages_name_the_limit() {
        for (failure, said) in [
            (Failure::TimedOut(SHORT), "the template takes longer than 20 ms (limit)"),
            (Failure::TimedOut(TIME_LIMIT), "the template takes longer than 10 s (limit)"),
            (
                Failure::Crowded,
                "not tried, because 4 templates that take too long still run (limit); correct those first",
            ),
        ] {
            assert_eq!(failure.to_string(), said);
        }
    }

    #[test]
    fn what_asks_for_the_time_ends_by_itself() {
        let iterator = supervise(SHORT, || {
            loop {
                end_if_over();
            }
        });
        assert_eq!(iterator.map(|never: ()| never), Err(Failure::TimedOut(SHORT)));
        let checked = supervise(SHORT, || {
            loop {
                if let Err(error) = check_time() {
                    return error.to_string();
                }
            }
        });
        let said = "invalid operation: the template takes longer than 20 ms (limit)".to_owned();
        assert_eq!(checked, Ok(said));
        assert!(check_time().is_ok(), "no template, no limit");
    }
}
