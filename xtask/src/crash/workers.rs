//! Several hands for many kills, each with a place of its own.

use crate::Outcome;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of parallel workers.
const WORKERS: usize = 2;

/// Remaining jobs.
pub(super) struct Queue<'a, P> {
    all: &'a [P],
    next: AtomicUsize,
}

impl<'a, P> Queue<'a, P> {
    /// The next one, until none is left.
    pub(super) fn take(&self) -> Option<&'a P> {
        self.all.get(self.next.fetch_add(1, Ordering::SeqCst))
    }
}

/// Has all of them done. Each worker begins once, and takes one after the other; the first problem ends it all.
pub(super) fn side_by_side<P: Sync>(all: &[P], worker: impl Fn(&Queue<'_, P>) -> Outcome + Sync) -> Outcome {
    let queue = Queue { all, next: AtomicUsize::new(0) };
    let problem: Mutex<Option<String>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                if let Err(error) = worker(&queue)
                    && let Ok(mut problem) = problem.lock()
                {
                    // The others have nothing left to do either.
                    queue.next.store(all.len(), Ordering::SeqCst);
                    problem.get_or_insert(error.to_string());
                }
            });
        }
    });
    problem.into_inner().unwrap_or_default().map_or(Ok(()), |problem| Err(problem.into()))
}
