//! Batches: what the branches of a parallel group wrote becomes visible when all of them have ended.

use crate::attended::Dirt;
use crate::ports::Staged;
use std::sync::{Arc, Mutex, PoisonError};

/// What the steps of a parallel group staged so far, and what changed in the tree meanwhile. Journals ask it whether to
/// stage what a step wrote ([`Batch::is_open`]) and hand that over ([`Batch::add`]).
#[derive(Debug, Clone, Default)]
pub struct Batch(Arc<Mutex<Collected>>);

/// What a batch has come to.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) staged: Vec<Staged>,
    pub(crate) dirt: Dirt,
}

tokio::task_local! {
    static BATCH: Batch;
    /// The parallel branches around a step, outermost first.
    static BRANCH: Vec<String>;
}

/// Runs `inside` as a branch of that name, within whatever branches are around it.
pub(crate) async fn in_branch<T>(name: String, inside: impl Future<Output = T>) -> T {
    let mut path = branch();
    path.push(name);
    BRANCH.scope(path, inside).await
}

/// The names of the branches around the caller, outermost first.
pub(crate) fn branch() -> Vec<String> {
    BRANCH.try_with(Clone::clone).unwrap_or_default()
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

    /// Whether a batch is being collected around the caller: what is written now must be staged.
    pub fn is_open() -> bool {
        BATCH.try_with(|_| ()).is_ok()
    }

    /// Puts what a step staged into the batch around it; gives it back if there is none.
    pub fn add(staged: Staged) -> Option<Staged> {
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
