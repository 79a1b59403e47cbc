//! Detects changes in the work tree during a call that the seat does not allow.

use super::state::AgentPool;
use charrette_engine::ports::{Tree, TreeAccess, TreeSnapshot};
use charrette_model::tree::TreeChange;
use serde_json::Value;
use std::sync::Arc;

const CANNOT_COMPARE: &str = "the work tree cannot be compared with its state before the call";

/// Comparison of the work tree before and after a call.
pub(super) struct CallTreeDiff {
    tree: Arc<dyn Tree>,
    tree_access: TreeAccess,
    /// None if there is nothing to compare.
    before: Option<TreeSnapshot>,
}

impl CallTreeDiff {
    /// Takes a snapshot, before an agent starts. An error if the tree cannot be compared: then nobody may start.
    pub(super) async fn start(pool: &AgentPool, tree_access: &TreeAccess) -> Result<CallTreeDiff, String> {
        let tree = pool.tree().clone();
        let before = match tree_access {
            TreeAccess::ReadOnly | TreeAccess::Under(_) if pool.host().in_repository => {
                Some(tree.starting_snapshot().await.map_err(|error| format!("{CANNOT_COMPARE}: {error}"))?)
            }
            _ => None,
        };
        Ok(CallTreeDiff { tree, tree_access: tree_access.clone(), before })
    }

    /// Continues a comparison that was interrupted after the agent had ended.
    pub(super) fn resume(
        pool: &AgentPool,
        tree_access: &TreeAccess,
        exported: &Value,
    ) -> Result<CallTreeDiff, String> {
        let tree = pool.tree().clone();
        let before = tree.import(exported);
        if before.is_none() && !exported.is_null() {
            return Err(format!("{CANNOT_COMPARE}: the record of that state cannot be read"));
        }
        Ok(CallTreeDiff { tree, tree_access: tree_access.clone(), before })
    }

    /// The snapshot before the call, for [`CallTreeDiff::resume`].
    pub(super) fn exported(&self) -> Value {
        self.before.as_ref().map_or(Value::Null, |before| self.tree.export(before))
    }

    /// Forbidden changes, by comparison with a second snapshot; an error if the tree cannot be compared.
    pub(super) async fn finish(self) -> Result<Vec<TreeChange>, String> {
        let Some(before) = self.before else { return Ok(Vec::new()) };
        let after = self.tree.snapshot().await.map_err(|error| format!("{CANNOT_COMPARE}: {error}"))?;
        let mut changes = self.tree.changes(&before, &after);
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
