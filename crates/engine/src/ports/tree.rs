//! The work tree before and after an agent.

use super::BoxFuture;
use charrette_model::tree::Change;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Looks at the work tree, compares, and undoes.
pub trait Tree: Send + Sync {
    /// The tree at a moment after this call. Several who ask at once may be served by one look.
    fn look(&self) -> BoxFuture<'static, Result<TreeState, String>>;

    /// What changed from one moment to a later one, without our own places. Both must come from this tree.
    fn changes(&self, before: &TreeState, after: &TreeState) -> Vec<Change>;

    /// What these changes are, as a patch that git applies: to be kept before they are undone.
    fn patch(&self, changes: Vec<Change>) -> BoxFuture<'static, Result<Vec<u8>, String>>;

    /// Undoes changes. Returns what could not be undone, in words.
    fn undo(&self, changes: Vec<Change>) -> BoxFuture<'static, Result<Vec<String>, String>>;
}

/// The tree at one moment. Only the implementation that made it can read it.
#[derive(Clone)]
pub struct TreeState(pub Arc<dyn Any + Send + Sync>);

impl fmt::Debug for TreeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TreeState")
    }
}
