//! Batches: the files that the branches of a parallel group write become visible when all of them have ended.

use crate::agent_step::StepTreeChanges;
use crate::ports::StagedFiles;
use std::sync::{Arc, Mutex, PoisonError};

/// Files that the steps of a parallel group have staged, and changes in the tree meanwhile. A journal asks it whether to
/// stage the files of a step ([`Batch::is_open`]) and hands them over ([`Batch::add`]).
#[derive(Debug, Clone, Default)]
pub struct Batch(Arc<Mutex<BatchContents>>);

/// Contents of a batch.
#[derive(Debug, Default)]
pub(crate) struct BatchContents {
    pub(crate) staged: Vec<StagedFiles>,
    pub(crate) tree_changes: StepTreeChanges,
}

tokio::task_local! {
    static BATCH: Batch;
    /// Path of parallel branches around a step, outermost first.
    static BRANCH: Vec<String>;
}

/// Runs `inside` as a branch of that name, nested in the branches around it.
pub(crate) async fn in_branch<T>(name: String, inside: impl Future<Output = T>) -> T {
    let mut path = branch_path();
    path.push(name);
    BRANCH.scope(path, inside).await
}

/// Names of the branches around the caller, outermost first.
pub(crate) fn branch_path() -> Vec<String> {
    BRANCH.try_with(Clone::clone).unwrap_or_default()
}

impl Batch {
    /// Runs `inside` with its steps staged into a batch. Returns the contents, or none if an outer batch takes them.
    pub(crate) async fn collect<T>(inside: impl Future<Output = T>) -> (T, Option<BatchContents>) {
        if let Ok(outer) = BATCH.try_with(Batch::clone) {
            return (BATCH.scope(outer, inside).await, None);
        }
        let batch = Batch::default();
        let result = BATCH.scope(batch.clone(), inside).await;
        let contents = std::mem::take(&mut *batch.0.lock().unwrap_or_else(PoisonError::into_inner));
        (result, Some(contents))
    }

    /// True if a batch is open around the caller: files written now must be staged.
    pub fn is_open() -> bool {
        BATCH.try_with(|_| ()).is_ok()
    }

    /// Adds the staged files of a step to the batch around it; returns them if there is none.
    pub fn add(staged: StagedFiles) -> Option<StagedFiles> {
        let mut unclaimed = Some(staged);
        let _ = BATCH.try_with(|batch| {
            let mut contents = batch.0.lock().unwrap_or_else(PoisonError::into_inner);
            contents.staged.extend(unclaimed.take());
        });
        unclaimed
    }

    /// Adds changes in the tree to the batch around them; returns them if there is none.
    pub(crate) fn add_tree_changes(changes: StepTreeChanges) -> Option<StepTreeChanges> {
        let mut unclaimed = Some(changes);
        let _ = BATCH.try_with(|batch| {
            let mut contents = batch.0.lock().unwrap_or_else(PoisonError::into_inner);
            contents.tree_changes.extend(unclaimed.take().into_iter().flatten());
        });
        unclaimed
    }
}
