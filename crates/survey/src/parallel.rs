//! Parallel map over all processors, results in the order of the items.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of threads; more slow each other down.
const MAX_WORKERS: usize = 8;

/// Calls a worker with each item. `prepare` makes the worker of one thread; items are handed out in small portions,
/// so that a few large ones do not delay the rest.
pub(crate) fn parallel_map<T, R, W>(items: &[T], portion: usize, prepare: impl Fn() -> W + Sync) -> Vec<R>
where
    T: Sync,
    R: Send,
    W: FnMut(&T) -> R,
{
    let next = AtomicUsize::new(0);
    let work = || {
        let mut worker = prepare();
        let mut done = Vec::new();
        loop {
            let from = next.fetch_add(portion, Ordering::Relaxed);
            let Some(items) = items.get(from..).filter(|items| !items.is_empty()) else { return done };
            done.extend(items.iter().take(portion).enumerate().map(|(n, item)| (from + n, worker(item))));
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_WORKERS);
    let workers = workers.min(items.len().div_ceil(portion.max(1))).max(1);
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order() {
        for (count, portion) in [(0, 3), (1, 3), (1000, 7), (5, 100)] {
            let items: Vec<usize> = (0..count).collect();
            let doubled = parallel_map(&items, portion, || |n: &usize| n * 2);
            assert_eq!(doubled, items.iter().map(|n| n * 2).collect::<Vec<_>>());
        }
    }
}
