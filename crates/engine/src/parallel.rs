//! Parallel branches: bounded, results in the order of the items, each driven to its end or to a wait.

use crate::batch::{Batch, in_branch};
use crate::run::PhaseHandle;
use crate::stop::{FlowResult, Stop};
use futures_util::stream::{self, StreamExt as _};

impl PhaseHandle<'_> {
    /// Runs a branch for each item and returns their results in the items' order. The group and every branch have a name,
    /// the same on every pass through the flow.
    ///
    /// A branch that fails or waits does not stop the others: their steps are kept, and their waits are merged, so that a
    /// person is asked everything at once.
    pub async fn parallel<N, I, T, Branch>(
        &self,
        group: &str,
        items: impl IntoIterator<Item = (N, I)>,
        branch: impl Fn(I) -> Branch,
    ) -> FlowResult<Vec<T>>
    where
        N: Into<String>,
        Branch: Future<Output = FlowResult<T>>,
    {
        self.parallel_within(self.run.max_parallel(), group, items, branch).await
    }

    /// Like [`PhaseHandle::parallel`], with a maximum number of branches of its own.
    pub async fn parallel_within<N, I, T, Branch>(
        &self,
        limit: usize,
        group: &str,
        items: impl IntoIterator<Item = (N, I)>,
        branch: impl Fn(I) -> Branch,
    ) -> FlowResult<Vec<T>>
    where
        N: Into<String>,
        Branch: Future<Output = FlowResult<T>>,
    {
        let branches: Vec<(String, Branch)> = items
            .into_iter()
            .map(|(name, item)| (format!("{group}/{}", name.into()), branch(item)))
            .collect();
        let numbered = branches
            .into_iter()
            .enumerate()
            .map(|(n, (name, branch))| async move { (n, in_branch(name, branch).await) });
        let all = stream::iter(numbered).buffer_unordered(limit.max(1)).collect::<Vec<_>>();
        let (mut results, batch) = Batch::collect(all).await;
        let batch = batch.unwrap_or_default();
        self.run.journal.collect(batch.staged).await?;
        let settled = self.settle_tree(batch.tree_changes).await;

        results.sort_by_key(|(n, _)| *n);
        let (mut done, mut stops) = (Vec::new(), Vec::new());
        for (_, result) in results {
            match result {
                Ok(value) => done.push(value),
                Err(stop) => stops.push(stop),
            }
        }
        stops.extend(settled.err());
        match Stop::merge(stops) {
            None => Ok(done),
            Some(stop) => Err(stop),
        }
    }
}
