//! Batches: what the branches of a parallel group wrote becomes visible when all of them have ended.

use crate::attended::Dirt;
use std::sync::{Arc, Mutex, PoisonError};

/// What a step staged and nobody has collected yet.
#[derive(Debug, Clone)]
pub struct Staged {
    pub(crate) lane: String,
    pub(crate) names: Vec<String>,
}

/// What the steps of a parallel group staged so far, and what changed in the tree meanwhile.
#[derive(Debug, Clone, Default)]
pub(crate) struct Batch(Arc<Mutex<Collected>>);

/// What a batch has come to.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) staged: Vec<Staged>,
    pub(crate) dirt: Dirt,
}

tokio::task_local! {
    static BATCH: Batch;
}

impl Batch {
    /// Runs `inside` with its steps staged into a batch; gives it back unless an outer batch has taken it over.
    pub(crate) async fn collecting<T>(inside: impl Future<Output = T>) -> (T, Option<Collected>) {
        if let Ok(outer) = BATCH.try_with(Batch::clone) {
            return (BATCH.scope(outer, inside).await, None);
        }
        let batch = Batch::default();
        let result = BATCH.scope(batch.clone(), inside).await;
        let collected = std::mem::take(&mut *batch.0.lock().unwrap_or_else(PoisonError::into_inner));
        (result, Some(collected))
    }

    /// Puts what a step staged into the batch around it; gives it back if there is none.
    pub(crate) fn add(staged: Staged) -> Option<Staged> {
        let mut unclaimed = Some(staged);
        let _ = BATCH.try_with(|batch| {
            let mut collected = batch.0.lock().unwrap_or_else(PoisonError::into_inner);
            collected.staged.extend(unclaimed.take());
        });
        unclaimed
    }

    /// Leaves what changed in the tree to the batch around it; gives it back if there is none.
    pub(crate) fn add_dirt(dirt: Dirt) -> Option<Dirt> {
        let mut unclaimed = Some(dirt);
        let _ = BATCH.try_with(|batch| {
            let mut collected = batch.0.lock().unwrap_or_else(PoisonError::into_inner);
            collected.dirt.extend(unclaimed.take().into_iter().flatten());
        });
        unclaimed
    }
}
