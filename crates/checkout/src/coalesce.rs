//! Coalesces concurrent requests for the same work into one execution.

use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Mutex;
use tokio::task::{JoinError, spawn_blocking, yield_now};

/// Coalesced work with a shared result. A caller gets a result of work that started after its request: an execution
/// that is already under way is too old for it, the next one is not.
#[derive(Debug)]
pub(crate) struct Coalescer<T> {
    /// Number of requests so far.
    requests: AtomicU64,
    /// The last result, and the number of requests when that work started.
    last: Mutex<Option<(u64, T)>>,
}

impl<T> Default for Coalescer<T> {
    fn default() -> Coalescer<T> {
        Coalescer { requests: AtomicU64::new(0), last: Mutex::new(None) }
    }
}

impl<T: Clone + Send + 'static> Coalescer<T> {
    /// Runs `work` on a blocking thread, or returns the result of another caller's that started after this call.
    pub(crate) async fn get(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
        let number = self.requests.fetch_add(1, Ordering::AcqRel) + 1;
        // Lets concurrent callers register their requests first.
        yield_now().await;
        let mut last = self.last.lock().await;
        if let Some((served, result)) = &*last
            && *served >= number
        {
            return Ok(result.clone());
        }
        let served = self.requests.load(Ordering::Acquire);
        let result = spawn_blocking(work).await?;
        *last = Some((served, result.clone()));
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Snapshot;
    use charrette_testkit::Sandbox;
    use futures_util::future::join_all;
    use std::sync::Arc;
    use std::sync::mpsc;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    #[test]
    fn concurrent_requests_share_one_git_process() {
        let sandbox = Sandbox::repository();
        let (snapshots, count) = (Coalescer::default(), Arc::new(AtomicU64::new(0)));
        let snapshot = |_| {
            let (root, count) = (sandbox.work(), count.clone());
            snapshots.get(move || {
                count.fetch_add(1, Ordering::SeqCst);
                Snapshot::take(&root).unwrap()
            })
        };
        let taken = runtime().block_on(join_all((0..20).map(snapshot)));
        assert_eq!((taken.len(), count.load(Ordering::SeqCst)), (20, 1));
        runtime().block_on(join_all((0..20).map(snapshot)));
        assert_eq!(count.load(Ordering::SeqCst), 2, "an old snapshot is never used again");
    }

    #[test]
    fn a_request_during_an_execution_waits_for_the_next_one() {
        let (snapshots, count) = (Arc::new(Coalescer::default()), Arc::new(AtomicU64::new(0)));
        let (started, has_started) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel::<()>();
        runtime().block_on(async {
            let first = tokio::spawn({
                let (snapshots, count) = (snapshots.clone(), count.clone());
                async move {
                    let work = move || {
                        started.send(()).unwrap();
                        may_go_on.recv().unwrap();
                        count.fetch_add(1, Ordering::SeqCst)
                    };
                    snapshots.get(work).await.unwrap()
                }
            });
            while has_started.try_recv().is_err() {
                yield_now().await;
            }
            let late: Vec<_> = (0..20)
                .map(|_| {
                    let (snapshots, count) = (snapshots.clone(), count.clone());
                    tokio::spawn(async move {
                        snapshots.get(move || count.fetch_add(1, Ordering::SeqCst)).await.unwrap()
                    })
                })
                .collect();
            // All of them have asked before the first is through.
            while snapshots.requests.load(Ordering::SeqCst) < 21 {
                yield_now().await;
            }
            go_on.send(()).unwrap();
            assert_eq!(first.await.unwrap(), 0);
            for late in late {
                assert_eq!(late.await.unwrap(), 1);
            }
        });
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_dropped_request_does_not_block_others() {
        let snapshots = Coalescer::default();
        runtime().block_on(async {
            let given_up = snapshots.get(|| 1);
            drop(futures_util::future::select(Box::pin(given_up), Box::pin(yield_now())).await);
            assert_eq!(snapshots.get(|| 2).await.unwrap(), 2);
        });
    }

    #[test]
    fn work_that_panics_is_an_error_and_can_be_tried_again() {
        let snapshots = Coalescer::default();
        runtime().block_on(async {
            assert!(snapshots.get(|| panic!("broken")).await.is_err());
            assert_eq!(snapshots.get(|| 2).await.unwrap(), 2);
        });
    }
}
