//! Branches side by side: bounded, in order of their items, each driven to its end or to a wait.

use crate::batch::Batch;
use crate::run::PhaseHandle;
use crate::stop::{Flow, Stop};
use futures_util::stream::{self, StreamExt as _};

impl PhaseHandle<'_> {
    /// Runs a branch for each item and returns their results in the items' order.
    ///
    /// One branch that fails or waits does not stop the others: what they finish is kept, and their waits are
    /// put together, so that a person is asked everything at once.
    pub async fn parallel<I, T, Branch>(
        &self,
        items: impl IntoIterator<Item = I>,
        branch: impl Fn(I) -> Branch,
    ) -> Flow<Vec<T>>
    where
        Branch: Future<Output = Flow<T>>,
    {
        let branches: Vec<Branch> = items.into_iter().map(branch).collect();
        let numbered = branches.into_iter().enumerate().map(|(n, branch)| async move { (n, branch.await) });
        let all = stream::iter(numbered).buffer_unordered(self.run.limit()).collect::<Vec<_>>();
        let (mut results, collected) = Batch::collecting(all).await;
        let collected = collected.unwrap_or_default();
        self.run.collect(collected.staged)?;
        let settled = self.settle_tree(collected.dirt).await;

        results.sort_by_key(|(n, _)| *n);
        let (mut done, mut stops) = (Vec::new(), Vec::new());
        for (_, result) in results {
            match result {
                Ok(value) => done.push(value),
                Err(stop) => stops.push(stop),
            }
        }
        stops.extend(settled.err());
        match Stop::merged(stops) {
            None => Ok(done),
            Some(stop) => Err(stop),
        }
    }
}
