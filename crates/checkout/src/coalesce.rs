//! One piece of work for everybody who asks for it at the same time.

use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Mutex;
use tokio::task::{JoinError, spawn_blocking, yield_now};

/// Work whose result is shared. Whoever asks gets a result of work that started after they asked: what has started already
/// is of no use to them, what starts next is.
#[derive(Debug)]
pub(crate) struct Coalesced<T> {
    /// How often it was asked for.
    asked: AtomicU64,
    /// The last result, and how many had asked when that work started.
    last: Mutex<Option<(u64, T)>>,
}

impl<T> Default for Coalesced<T> {
    fn default() -> Coalesced<T> {
        Coalesced { asked: AtomicU64::new(0), last: Mutex::new(None) }
    }
}

impl<T: Clone + Send + 'static> Coalesced<T> {
    /// The result of `work` on a thread of its own, or of somebody else's that started after this call.
    pub(crate) async fn get(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
        let number = self.asked.fetch_add(1, Ordering::AcqRel) + 1;
        // Those who are asking right now as well get their turn to do so.
        yield_now().await;
        let mut last = self.last.lock().await;
        if let Some((served, result)) = &*last
            && *served >= number
        {
            return Ok(result.clone());
        }
        let served = self.asked.load(Ordering::Acquire);
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
    fn many_who_ask_at_once_are_served_by_one_git() {
        let sandbox = Sandbox::repository();
        let (looks, count) = (Coalesced::default(), Arc::new(AtomicU64::new(0)));
        let look = |_| {
            let (root, count) = (sandbox.work(), count.clone());
            looks.get(move || {
                count.fetch_add(1, Ordering::SeqCst);
                Snapshot::take(&root).unwrap()
            })
        };
        let taken = runtime().block_on(join_all((0..20).map(look)));
        assert_eq!((taken.len(), count.load(Ordering::SeqCst)), (20, 1));
        runtime().block_on(join_all((0..20).map(look)));
        assert_eq!(count.load(Ordering::SeqCst), 2, "an old look is never used again");
    }

    #[test]
    fn who_asks_while_work_is_under_way_waits_for_the_next() {
        let (looks, count) = (Arc::new(Coalesced::default()), Arc::new(AtomicU64::new(0)));
        let (started, has_started) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel::<()>();
        runtime().block_on(async {
            let first = tokio::spawn({
                let (looks, count) = (looks.clone(), count.clone());
                async move {
                    let work = move || {
                        started.send(()).unwrap();
                        may_go_on.recv().unwrap();
                        count.fetch_add(1, Ordering::SeqCst)
                    };
                    looks.get(work).await.unwrap()
                }
            });
            while has_started.try_recv().is_err() {
                yield_now().await;
            }
            let late: Vec<_> = (0..20)
                .map(|_| {
                    let (looks, count) = (looks.clone(), count.clone());
                    tokio::spawn(async move {
                        looks.get(move || count.fetch_add(1, Ordering::SeqCst)).await.unwrap()
                    })
                })
                .collect();
            // All of them have asked before the first is through.
            while looks.asked.load(Ordering::SeqCst) < 21 {
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
    fn whoever_gives_up_leaves_the_others_a_way_on() {
        let looks = Coalesced::default();
        runtime().block_on(async {
            let given_up = looks.get(|| 1);
            drop(futures_util::future::select(Box::pin(given_up), Box::pin(yield_now())).await);
            assert_eq!(looks.get(|| 2).await.unwrap(), 2);
        });
    }

    #[test]
    fn work_that_panics_is_an_error_and_can_be_tried_again() {
        let looks = Coalesced::default();
        runtime().block_on(async {
            assert!(looks.get(|| panic!("broken")).await.is_err());
            assert_eq!(looks.get(|| 2).await.unwrap(), 2);
        });
    }
}
