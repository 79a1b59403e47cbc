//! Detects changes in the work tree during a call that the seat does not allow.

use super::state::AgentPool;
use charrette_engine::ports::{LaunchOrder, Tree, TreeAccess, TreeSnapshot};
use charrette_model::tree::{ChangeKind, TreeChange};
use serde_json::Value;
use std::sync::Arc;

const CANNOT_COMPARE: &str = "the work tree cannot be compared with its state before the call";

/// Comparison of the work tree before and after a call.
pub(super) struct CallTreeDiff {
    tree: Arc<dyn Tree>,
    tree_access: TreeAccess,
    /// None if there is nothing to compare.
    before: Option<TreeSnapshot>,
    /// True if the agent works in a worktree, and the kernel keeps it from changing the checkout.
    is_enclosed: bool,
}

impl CallTreeDiff {
    /// Takes a snapshot, before an agent starts. An error if the tree cannot be compared: then nobody may start.
    pub(super) async fn start(pool: &AgentPool, order: &LaunchOrder) -> Result<CallTreeDiff, String> {
        let tree_access = &order.tree_access;
        let tree = pool.tree().clone();
        let before = match tree_access {
            TreeAccess::ReadOnly | TreeAccess::Under(_) if pool.host().in_repository => {
                Some(tree.starting_snapshot().await.map_err(|error| format!("{CANNOT_COMPARE}: {error}"))?)
            }
            _ => None,
        };
        let is_enclosed = is_enclosed(pool, order);
        Ok(CallTreeDiff { tree, tree_access: tree_access.clone(), before, is_enclosed })
    }

    /// Continues a comparison that was interrupted after the agent had ended.
    pub(super) fn resume(
        pool: &AgentPool,
        order: &LaunchOrder,
        exported: &Value,
    ) -> Result<CallTreeDiff, String> {
        let tree = pool.tree().clone();
        let before = tree.import(exported);
        if before.is_none() && !exported.is_null() {
            return Err(format!("{CANNOT_COMPARE}: the record of that state cannot be read"));
        }
        let (tree_access, is_enclosed) = (order.tree_access.clone(), is_enclosed(pool, order));
        Ok(CallTreeDiff { tree, tree_access, before, is_enclosed })
    }

    /// The snapshot before the call, for [`CallTreeDiff::resume`].
    pub(super) fn exported(&self) -> Value {
        self.before.as_ref().map_or(Value::Null, |before| self.tree.export(before))
    }

    /// Forbidden changes, by comparison with a second snapshot; an error if the tree cannot be compared.
    pub(super) async fn finish(self) -> Result<Vec<TreeChange>, String> {
        let Some(before) = self.before else { return Ok(Vec::new()) };
        let failed = |error: String| format!("{CANNOT_COMPARE}: {error}");
        let after = self.tree.snapshot().await.map_err(failed)?;
        let mut changes = self.tree.changes(before, after).await.map_err(failed)?;
        // A commit that the agent cannot have made is the person's, and so is what came with it.
        if self.is_enclosed && changes.iter().any(|change| change.kind == ChangeKind::HeadMoved) {
            return Ok(Vec::new());
        }
        changes.retain(|change| match &self.tree_access {
            TreeAccess::Unrestricted => false,
            TreeAccess::ReadOnly => true,
            TreeAccess::Under(allowed) => {
                !allowed.iter().any(|allowed| change.path.as_path().starts_with(allowed))
            }
        });
        Ok(changes)
    }
}

fn is_enclosed(pool: &AgentPool, order: &LaunchOrder) -> bool {
    let sandbox = pool.sandbox();
    let is_enforced = sandbox.is_full();
    is_enforced && order.workplace.worktree().is_some()
}
