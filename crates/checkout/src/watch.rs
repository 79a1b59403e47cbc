//! Snapshots of the work tree before and after agents, for many agents at once.

use crate::coalesce::Coalescer;
use crate::head_copy::copy_head;
use crate::tree::{OtherRuns, TreeError, UndoReport, UserGitFiles, WatchedSnapshot, patch, undo};
use charrette_model::tree::{ChangeKind, OwnPaths, TreeChange, TreePath};
use charrette_store::layout::StateFolder;
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
    surroundings: Surroundings,
    snapshots: Coalescer<Result<Arc<WatchedSnapshot>, Arc<TreeError>>>,
    /// The last snapshot, and when it was begun.
    last: Mutex<Option<(Instant, Arc<WatchedSnapshot>)>>,
}

/// What is watched besides the work tree and its repository.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Files of the user that decide what git shows.
    pub user: UserGitFiles,
    /// State folder with the documents of all runs; none if runs are not watched.
    pub state: Option<StateFolder>,
}

impl TreeWatch {
    /// Watches the work tree at `root`. Changes below charrette's own paths do not count.
    pub fn new(root: PathBuf, own: OwnPaths, surroundings: Surroundings) -> TreeWatch {
        let (snapshots, last) = (Coalescer::default(), Mutex::default());
        TreeWatch(Arc::new(WatchState { root, own, surroundings, snapshots, last }))
    }

    /// Takes a snapshot that is not older than this call.
    pub async fn snapshot(&self) -> Result<Arc<WatchedSnapshot>, Arc<TreeError>> {
        let state = self.0.clone();
        let take = move || {
            let begun = Instant::now();
            let taken = state.take().map(Arc::new).map_err(Arc::new);
            *state.last() = taken.as_ref().ok().map(|snapshot| (begun, snapshot.clone()));
            taken
        };
        self.0.snapshots.get(take).await.unwrap_or_else(|error| Err(Arc::new(join_error(error))))
    }

    /// The last snapshot if it was taken a moment ago and the repository's own files are as they were then, else a new one.
    pub async fn starting_snapshot(&self) -> Result<Arc<WatchedSnapshot>, Arc<TreeError>> {
        let last = self.0.last().clone().filter(|(begun, _)| begun.elapsed() < MAX_AGE);
        let Some((_, last)) = last else { return self.snapshot().await };
        let (state, then) = (self.0.clone(), last.clone());
        let is_current = spawn_blocking(move || state.is_current(&then)).await;
        if is_current.unwrap_or_default() { Ok(last) } else { self.snapshot().await }
    }

    /// Makes the next agent start with a new snapshot.
    pub fn forget(&self) {
        *self.0.last() = None;
    }

    /// Changes between two snapshots, without charrette's own paths.
    pub async fn changes(
        &self,
        before: Arc<WatchedSnapshot>,
        after: Arc<WatchedSnapshot>,
    ) -> Result<Vec<TreeChange>, TreeError> {
        let state = self.0.clone();
        let changes = spawn_blocking(move || state.changes(&before, &after)).await.map_err(join_error)?;
        if !changes.is_empty() {
            // They may be undone.
            self.forget();
        }
        Ok(changes)
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
    fn take(&self) -> Result<WatchedSnapshot, TreeError> {
        let Surroundings { user, state } = &self.surroundings;
        let mut snapshot = WatchedSnapshot::take(&self.root)?;
        snapshot.user = user.read(&self.root)?;
        snapshot.runs = state.as_ref().map(|state| OtherRuns::read(&self.root, state));
        Ok(snapshot)
    }

    fn changes(&self, before: &WatchedSnapshot, after: &WatchedSnapshot) -> Vec<TreeChange> {
        let WatchState { root, own, surroundings, .. } = self;
        let mut own = own.clone();
        let mut found = user_changes(before, after);
        if let (Some(state), Some(now)) = (&surroundings.state, &after.runs) {
            let then = before.runs.as_ref().unwrap_or(now);
            own.spec_folders = own.specs.as_ref().map(|specs| then.spec_folders(now, specs));
            found.extend(then.changes(now, root, state));
        }
        let mut changes = before.changes(after, &own, root);
        for (path, kind) in found {
            let dirty_before = kind != ChangeKind::Added;
            changes.push(TreeChange { path, kind, dirty_before, restored: false });
        }
        changes
    }

    /// True if files of the repository and of the user are as they were.
    fn is_current(&self, snapshot: &WatchedSnapshot) -> bool {
        snapshot.has_same_git_files(&self.root)
            && self.surroundings.user.read(&self.root).is_ok_and(|user| user == snapshot.user)
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Option<(Instant, Arc<WatchedSnapshot>)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Changed files of the user.
fn user_changes(before: &WatchedSnapshot, after: &WatchedSnapshot) -> Vec<(TreePath, ChangeKind)> {
    let differing = after.user.iter().filter_map(|(path, now)| {
        let kind = match (before.user.get(path), now) {
            (Some(then), now) if then == now => return None,
            // A setting that names another file is a change of its own.
            (None, _) => return None,
            (Some(None), Some(_)) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(_), Some(_)) => ChangeKind::Modified,
        };
        Some((path.clone(), kind))
    });
    differing.collect()
}

fn join_error(error: JoinError) -> TreeError {
    TreeError::Io(io::Error::other(error))
}
