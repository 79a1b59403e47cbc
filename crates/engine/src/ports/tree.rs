//! Port: snapshots of the work tree before and after an agent, and copies for agents of their own.

use super::BoxFuture;
use charrette_model::tree::TreeChange;
use serde_json::Value;
use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Takes and compares snapshots of the work tree, and undoes changes.
pub trait Tree: Send + Sync {
    /// Takes a snapshot, at a moment after this call. Concurrent callers may share one.
    fn snapshot(&self) -> BoxFuture<'static, Result<TreeSnapshot, String>>;

    /// A snapshot to compare with later. One that was taken a moment ago will do.
    fn starting_snapshot(&self) -> BoxFuture<'static, Result<TreeSnapshot, String>> {
        self.snapshot()
    }

    /// Told when charrette itself changes the tree, and when a person may have done so at a gate: no agent starts with an
    /// earlier snapshot then.
    fn expect_change(&self) {}

    /// Changes between two snapshots of this tree, without charrette's own folders. An error if they are not snapshots of
    /// this implementation.
    fn changes(
        &self,
        before: TreeSnapshot,
        after: TreeSnapshot,
    ) -> BoxFuture<'static, Result<Vec<TreeChange>, String>>;

    /// A snapshot as a value that a later process can read.
    fn export(&self, snapshot: &TreeSnapshot) -> Value {
        let _ = snapshot;
        Value::Null
    }

    /// Reads an exported snapshot; none if it cannot be read.
    fn import(&self, exported: &Value) -> Option<TreeSnapshot> {
        let _ = exported;
        None
    }

    /// Patch of these changes that git can apply: kept before they are undone.
    fn patch(&self, changes: Vec<TreeChange>) -> BoxFuture<'static, Result<Vec<u8>, String>>;

    /// Undoes changes. Returns a description of each that could not be undone.
    fn undo(&self, changes: Vec<TreeChange>) -> BoxFuture<'static, Result<Vec<String>, String>>;

    /// Makes a copy of HEAD in a new folder, without submodules and without a trace in the repository. The folder is
    /// empty if there is no commit yet. What is left of a failed copy is for the caller to remove.
    fn copy_head(&self, to: PathBuf) -> BoxFuture<'static, Result<(), String>>;
}

/// A snapshot of the work tree. Only the implementation that took it can read it.
#[derive(Clone)]
pub struct TreeSnapshot(pub Arc<dyn Any + Send + Sync>);

impl fmt::Debug for TreeSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TreeSnapshot")
    }
}
