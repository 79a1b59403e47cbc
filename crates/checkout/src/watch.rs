//! The work tree before and after agents, for many of them at once.

use crate::coalesce::Coalesced;
use crate::tree::{Snapshot, TreeError, Undone, patch, undo};
use charrette_model::tree::{Change, Own};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task::{JoinError, spawn_blocking};

/// A work tree that is watched. Clones look together: agents who start or end at the same moment share one `git status`.
#[derive(Debug, Clone)]
pub struct TreeWatch(Arc<Watched>);

#[derive(Debug)]
struct Watched {
    root: PathBuf,
    own: Own,
    looks: Coalesced<Result<Arc<Snapshot>, Arc<TreeError>>>,
}

impl TreeWatch {
    /// Watches the work tree with this top. What changes in our own places does not count.
    pub fn new(root: PathBuf, own: Own) -> TreeWatch {
        TreeWatch(Arc::new(Watched { root, own, looks: Coalesced::default() }))
    }

    /// The tree at a moment after this call.
    pub async fn look(&self) -> Result<Arc<Snapshot>, Arc<TreeError>> {
        let root = self.0.root.clone();
        let look = move || Snapshot::take(&root).map(Arc::new).map_err(Arc::new);
        self.0.looks.get(look).await.unwrap_or_else(|error| Err(Arc::new(broken_off(error))))
    }

    /// What changed from one moment to a later one, without our own places.
    pub fn changes(&self, before: &Snapshot, after: &Snapshot) -> Vec<Change> {
        before.changes(after, &self.0.own)
    }

    /// A patch of everything that [`TreeWatch::undo`] would undo now, to be kept before that.
    pub async fn patch(&self, changes: Vec<Change>) -> Result<Vec<u8>, TreeError> {
        self.on_thread(move |root| patch(root, &changes)).await
    }

    /// Undoes changes, and says what was left as it is.
    pub async fn undo(&self, changes: Vec<Change>) -> Result<Undone, TreeError> {
        self.on_thread(move |root| undo(root, &changes)).await
    }

    async fn on_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T, TreeError> + Send + 'static,
    ) -> Result<T, TreeError> {
        let watched = self.0.clone();
        spawn_blocking(move || work(&watched.root)).await.unwrap_or_else(|error| Err(broken_off(error)))
    }
}

fn broken_off(error: JoinError) -> TreeError {
    TreeError::Io(io::Error::other(error))
}
