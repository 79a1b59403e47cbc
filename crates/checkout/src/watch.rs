//! Snapshots of the work tree before and after agents, for many agents at once.

use crate::coalesce::Coalescer;
use crate::head_copy::copy_head;
use crate::tree::{TreeError, UndoReport, WatchedSnapshot, differ_from_index, patch, undo};
use charrette_model::tree::{ChangeKind, OwnPaths, TreeChange};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::{JoinError, spawn_blocking};

/// Maximum age of a snapshot that an agent may start with. Agents work for minutes, and whatever a person edits meanwhile
/// counts as theirs anyway.
const MAX_AGE: Duration = Duration::from_millis(400);

/// Watched work tree. Clones share snapshots: agents that start or end at the same moment share one `git status`.
#[derive(Debug, Clone)]
pub struct TreeWatch(Arc<WatchState>);

#[derive(Debug)]
struct WatchState {
    root: PathBuf,
    own: OwnPaths,
    snapshots: Coalescer<Result<Arc<WatchedSnapshot>, Arc<TreeError>>>,
    /// The last snapshot, and when it was begun.
    last: Mutex<Option<(Instant, Arc<WatchedSnapshot>)>>,
}

impl TreeWatch {
    /// Watches the work tree at `root`. Changes below charrette's own paths do not count.
    pub fn new(root: PathBuf, own: OwnPaths) -> TreeWatch {
        let (snapshots, last) = (Coalescer::default(), Mutex::default());
        TreeWatch(Arc::new(WatchState { root, own, snapshots, last }))
    }

    /// Takes a snapshot that is not older than this call.
    pub async fn snapshot(&self) -> Result<Arc<WatchedSnapshot>, Arc<TreeError>> {
        let state = self.0.clone();
        let take = move || {
            let begun = Instant::now();
            let taken = WatchedSnapshot::take(&state.root).map(Arc::new).map_err(Arc::new);
            *state.last() = taken.as_ref().ok().map(|snapshot| (begun, snapshot.clone()));
            taken
        };
        self.0.snapshots.get(take).await.unwrap_or_else(|error| Err(Arc::new(join_error(error))))
    }

    /// The last snapshot if it was taken a moment ago and the repository's own files are as they were then, else a new one.
    pub async fn starting_snapshot(&self) -> Result<Arc<WatchedSnapshot>, Arc<TreeError>> {
        let last = self.0.last().clone();
        match last {
            Some((begun, last)) if begun.elapsed() < MAX_AGE && last.has_same_git_files(&self.0.root) => {
                Ok(last)
            }
            _ => self.snapshot().await,
        }
    }

    /// Makes the next agent start with a new snapshot.
    pub fn forget(&self) {
        *self.0.last() = None;
    }

    /// Changes between two snapshots, without charrette's own paths. What git calls unchanged is compared by its content
    /// where it was written in between.
    pub fn changes(&self, before: &WatchedSnapshot, after: &WatchedSnapshot) -> Vec<TreeChange> {
        let mut changes = before.changes(after, &self.0.own);
        let suspicious = before.suspicious(after);
        // If git cannot tell, they count as changed.
        let differing = differ_from_index(&self.0.root, &suspicious).unwrap_or(suspicious);
        changes.extend(differing.into_iter().map(|path| TreeChange {
            path,
            kind: ChangeKind::Modified,
            dirty_before: true,
            restored: false,
        }));
        if !changes.is_empty() {
            // They may be undone.
            self.forget();
        }
        changes
    }

    /// Patch of everything that [`TreeWatch::undo`] would undo now, to be saved first.
    pub async fn patch(&self, changes: Vec<TreeChange>) -> Result<Vec<u8>, TreeError> {
        self.run_blocking(move |root| patch(root, &changes)).await
    }

    /// Undoes changes and reports what was skipped.
    pub async fn undo(&self, changes: Vec<TreeChange>) -> Result<UndoReport, TreeError> {
        self.forget();
        self.run_blocking(move |root| undo(root, &changes)).await
    }

    /// Copies HEAD to a new folder; an empty one if there is no commit yet.
    pub async fn copy_head(&self, to: PathBuf) -> Result<(), TreeError> {
        self.run_blocking(move |root| copy_head(root, &to)).await
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T, TreeError> + Send + 'static,
    ) -> Result<T, TreeError> {
        let watched = self.0.clone();
        spawn_blocking(move || work(&watched.root)).await.unwrap_or_else(|error| Err(join_error(error)))
    }
}

impl WatchState {
    fn last(&self) -> std::sync::MutexGuard<'_, Option<(Instant, Arc<WatchedSnapshot>)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn join_error(error: JoinError) -> TreeError {
    TreeError::Io(io::Error::other(error))
}
