//! The work tree as the engine knows it. Everything here takes its time, so it is done on threads.

use crate::here::CheckoutHere;
use crate::tree::Snapshot;
use crate::watch::TreeWatch;
use charrette_engine::ports::checkout::Delivery;
use charrette_engine::ports::tree::{Tree, TreeState};
use charrette_engine::ports::{BoxFuture, BranchOrder, Branched, Checkout, Entrance, Refusal};
use charrette_model::tree::Change;

impl Checkout for CheckoutHere {
    fn enter(&self) -> BoxFuture<'static, Result<Entrance, Refusal>> {
        let here = self.clone();
        on_a_thread(move || CheckoutHere::enter(&here))
    }

    fn branch(&self, order: BranchOrder) -> BoxFuture<'static, Result<Branched, Refusal>> {
        let here = self.clone();
        on_a_thread(move || CheckoutHere::branch(&here, &order))
    }

    fn deliver(&self, delivery: Delivery) -> BoxFuture<'static, Result<(), Refusal>> {
        let here = self.clone();
        on_a_thread(move || {
            let Delivery { path, text, replaces } = delivery;
            CheckoutHere::deliver(&here, &path, &text, replaces.as_deref())
        })
    }

    fn is_there(&self, path: &str) -> bool {
        CheckoutHere::is_there(self, path)
    }

    fn lines(&self, path: &str) -> Option<usize> {
        CheckoutHere::lines(self, path)
    }
}

/// Does something on a thread of its own.
fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> BoxFuture<'static, Result<T, Refusal>> {
    Box::pin(async move {
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|error| Err(Refusal::Failed(format!("it broke off: {error}"))))
    })
}

impl Tree for TreeWatch {
    fn look(&self) -> BoxFuture<'static, Result<TreeState, String>> {
        let watch = self.clone();
        Box::pin(async move {
            let seen = TreeWatch::look(&watch).await.map_err(|error| error.to_string())?;
            Ok(TreeState(seen))
        })
    }

    fn changes(&self, before: &TreeState, after: &TreeState) -> Vec<Change> {
        let snapshots = (before.0.downcast_ref::<Snapshot>(), after.0.downcast_ref::<Snapshot>());
        let (Some(before), Some(after)) = snapshots else { return Vec::new() };
        TreeWatch::changes(self, before, after)
    }

    fn patch(&self, changes: Vec<Change>) -> BoxFuture<'static, Result<Vec<u8>, String>> {
        let watch = self.clone();
        Box::pin(async move { TreeWatch::patch(&watch, changes).await.map_err(|error| error.to_string()) })
    }

    fn undo(&self, changes: Vec<Change>) -> BoxFuture<'static, Result<Vec<String>, String>> {
        let watch = self.clone();
        Box::pin(async move {
            let undone = TreeWatch::undo(&watch, changes).await;
            let undone = undone.map_err(|error| format!("not everything was undone: {error}"))?;
            Ok(undone.kept.iter().map(|kept| format!("{} {}", kept.path, kept.why)).collect())
        })
    }
}
