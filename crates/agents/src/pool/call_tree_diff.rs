//! Detects changes in the work tree during a call that the seat does not allow.

use super::state::AgentPool;
use charrette_engine::ports::{Tree, TreeAccess, TreeSnapshot};
use charrette_model::tree::TreeChange;
use std::sync::Arc;

/// Comparison of the work tree before and after a call.
pub(super) struct CallTreeDiff {
    tree: Arc<dyn Tree>,
    tree_access: TreeAccess,
    before: Option<Result<TreeSnapshot, String>>,
}

impl CallTreeDiff {
    /// Takes a snapshot, before an agent starts.
    pub(super) async fn start(pool: &AgentPool, tree_access: &TreeAccess) -> CallTreeDiff {
        let tree = pool.tree().clone();
        let before = match tree_access {
            TreeAccess::ReadOnly | TreeAccess::Under(_) if pool.host().in_repository => {
                Some(tree.snapshot().await)
            }
            _ => None,
        };
        CallTreeDiff { tree, tree_access: tree_access.clone(), before }
    }

    /// Compares with a second snapshot: forbidden changes, and a warning if they cannot be determined.
    pub(super) async fn finish(self) -> (Vec<TreeChange>, Option<String>) {
        let Some(before) = self.before else { return (Vec::new(), None) };
        let (before, after) = match (before, self.tree.snapshot().await) {
            (Ok(before), Ok(after)) => (before, after),
            (Err(error), _) | (_, Err(error)) => {
                return (Vec::new(), Some(format!("its changes in the work tree are unknown: {error}")));
            }
        };
        let mut changes = self.tree.changes(&before, &after);
        changes.retain(|change| match &self.tree_access {
            TreeAccess::Unrestricted => false,
            TreeAccess::ReadOnly => true,
            TreeAccess::Under(allowed) => {
                !allowed.iter().any(|allowed| change.path.as_path().starts_with(allowed))
            }
        });
        (changes, None)
    }
}
