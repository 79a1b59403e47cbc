//! What changed in the tree while an agent was at work, held against what it may touch.

use super::shared::Room;
use charrette_engine::ports::{Touch, Tree, TreeState};
use charrette_model::tree::Change;
use std::sync::Arc;

/// A tree that is being watched.
pub(super) struct Watch {
    tree: Arc<dyn Tree>,
    may_touch: Touch,
    before: Option<Result<TreeState, String>>,
}

impl Watch {
    /// Looks at the tree, before an agent starts.
    pub(super) async fn begin(room: &Room, may_touch: &Touch) -> Watch {
        let tree = room.tree().clone();
        let before = match may_touch {
            Touch::Nothing | Touch::Under(_) if room.surroundings().in_repository => Some(tree.look().await),
            _ => None,
        };
        Watch { tree, may_touch: may_touch.clone(), before }
    }

    /// Looks again: what changed that must not, and why that cannot be told, if so.
    pub(super) async fn end(self) -> (Vec<Change>, Option<String>) {
        let Some(before) = self.before else { return (Vec::new(), None) };
        let (before, after) = match (before, self.tree.look().await) {
            (Ok(before), Ok(after)) => (before, after),
            (Err(error), _) | (_, Err(error)) => {
                return (Vec::new(), Some(format!("nobody can tell what it changed: {error}")));
            }
        };
        let mut changes = self.tree.changes(&before, &after);
        changes.retain(|change| match &self.may_touch {
            Touch::Anything => false,
            Touch::Nothing => true,
            Touch::Under(allowed) => {
                !allowed.iter().any(|allowed| change.path.as_path().starts_with(allowed))
            }
        });
        (changes, None)
    }
}
