//! Parallel workers for many kills.

use crate::TaskResult;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of parallel workers.
const WORKERS: usize = 2;

/// Queue of jobs, shared by the workers.
pub(super) struct Queue<'a, P> {
    all: &'a [P],
    next: AtomicUsize,
}

impl<'a, P> Queue<'a, P> {
    /// The next job, if there is one.
    pub(super) fn take(&self) -> Option<&'a P> {
        self.all.get(self.next.fetch_add(1, Ordering::SeqCst))
    }
}

/// Runs the worker in parallel threads that share the jobs. The first error stops all of them.
pub(super) fn run_parallel<P: Sync>(
    all: &[P],
    worker: impl Fn(&Queue<'_, P>) -> TaskResult + Sync,
) -> TaskResult {
    let queue = Queue { all, next: AtomicUsize::new(0) };
    let problem: Mutex<Option<String>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                if let Err(error) = worker(&queue)
                    && let Ok(mut problem) = problem.lock()
                {
                    // Empties the queue, so that the other workers stop.
                    queue.next.store(all.len(), Ordering::SeqCst);
                    problem.get_or_insert(error.to_string());
                }
            });
        }
    });
    problem.into_inner().unwrap_or_default().map_or(Ok(()), |problem| Err(problem.into()))
}
