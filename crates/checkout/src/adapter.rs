//! Implements the engine's `Checkout` and `Tree` ports. Git blocks, so the work is done on blocking threads.

use crate::run_checkout::RunCheckout;
use crate::tree::WatchedSnapshot;
use crate::watch::TreeWatch;
use charrette_engine::ports::checkout::Delivery;
use charrette_engine::ports::tree::{Tree, TreeSnapshot};
use charrette_engine::ports::{BoxFuture, BranchOrder, BranchReport, Checkout, EntryReport, PortError};
use charrette_model::panel::cite::SourceFacts;
use charrette_model::tree::TreeChange;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

impl Checkout for RunCheckout {
    fn enter(&self) -> BoxFuture<'static, Result<EntryReport, PortError>> {
        let checkout = self.clone();
        spawn_blocking(move || RunCheckout::enter(&checkout))
    }

    fn switch_branch(&self, order: BranchOrder) -> BoxFuture<'static, Result<BranchReport, PortError>> {
        let checkout = self.clone();
        spawn_blocking(move || RunCheckout::switch_branch(&checkout, &order))
    }

    fn deliver(&self, delivery: Delivery) -> BoxFuture<'static, Result<(), PortError>> {
        let checkout = self.clone();
        spawn_blocking(move || {
            let Delivery { path, text, replaces } = delivery;
            RunCheckout::deliver(&checkout, &path, &text, replaces.as_deref())
        })
    }

    fn exists(&self, path: &str) -> bool {
        RunCheckout::exists(self, path)
    }

    fn sources(&self, outside: &[String]) -> Option<Arc<dyn SourceFacts>> {
        Some(Arc::new(RunCheckout::sources(self, outside)))
    }
}

/// Runs blocking work on a thread of its own.
pub(crate) fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PortError> + Send + 'static,
) -> BoxFuture<'static, Result<T, PortError>> {
    Box::pin(async move {
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|error| Err(PortError::Failed(format!("background task failed: {error}"))))
    })
}

impl Tree for TreeWatch {
    fn snapshot(&self) -> BoxFuture<'static, Result<TreeSnapshot, String>> {
        let watch = self.clone();
        Box::pin(async move {
            let snapshot = TreeWatch::snapshot(&watch).await.map_err(|error| error.to_string())?;
            Ok(TreeSnapshot(snapshot))
        })
    }

    fn starting_snapshot(&self) -> BoxFuture<'static, Result<TreeSnapshot, String>> {
        let watch = self.clone();
        Box::pin(async move {
            let snapshot = TreeWatch::starting_snapshot(&watch).await.map_err(|error| error.to_string())?;
            Ok(TreeSnapshot(snapshot))
        })
    }

    fn expect_change(&self) {
        self.forget();
    }

    fn changes(
        &self,
        before: TreeSnapshot,
        after: TreeSnapshot,
    ) -> BoxFuture<'static, Result<Vec<TreeChange>, String>> {
        let watch = self.clone();
        Box::pin(async move {
            let snapshots = (before.0.downcast::<WatchedSnapshot>(), after.0.downcast::<WatchedSnapshot>());
            let (Ok(before), Ok(after)) = snapshots else {
                return Err("a snapshot is not one of this work tree".to_owned());
            };
            TreeWatch::changes(&watch, before, after).await.map_err(|error| error.to_string())
        })
    }

    fn export(&self, snapshot: &TreeSnapshot) -> Value {
        let snapshot = snapshot.0.downcast_ref::<WatchedSnapshot>();
        snapshot.and_then(|snapshot| serde_json::to_value(snapshot).ok()).unwrap_or_default()
    }

    fn import(&self, exported: &Value) -> Option<TreeSnapshot> {
        let snapshot: WatchedSnapshot = serde_json::from_value(exported.clone()).ok()?;
        Some(TreeSnapshot(Arc::new(snapshot)))
    }

    fn patch(&self, changes: Vec<TreeChange>) -> BoxFuture<'static, Result<Vec<u8>, String>> {
        let watch = self.clone();
        Box::pin(async move { TreeWatch::patch(&watch, changes).await.map_err(|error| error.to_string()) })
    }

    fn undo(&self, changes: Vec<TreeChange>) -> BoxFuture<'static, Result<Vec<String>, String>> {
        let watch = self.clone();
        Box::pin(async move {
            let report = TreeWatch::undo(&watch, changes).await;
            let report = report.map_err(|error| format!("not everything was undone: {error}"))?;
            Ok(report.skipped.iter().map(|change| format!("{} {}", change.path, change.reason)).collect())
        })
    }

    fn copy_head(&self, to: PathBuf) -> BoxFuture<'static, Result<(), String>> {
        let watch = self.clone();
        Box::pin(async move { TreeWatch::copy_head(&watch, to).await.map_err(|error| error.to_string()) })
    }
}
