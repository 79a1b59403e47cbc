//! Implements the engine's `Worktrees` port. Git blocks, so the work is done on blocking threads.

use super::TaskWorktrees;
use super::error::Result;
use super::places::Places;
use crate::adapter::spawn_blocking;
use charrette_engine::ports::worktrees::{
    Advance, AdvanceOrder, BeginOrder, CaptureOrder, Change, CommitOrder, DiffText, FileAt, FileEdit,
    IntegrationBase, LandOrder, Landing, Mention, Merge, MergeOrder, ObjectId, Worktree, WorktreeOrder,
    WorktreeResult, Worktrees,
};

impl TaskWorktrees {
    fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Places) -> Result<T> + Send + 'static,
    ) -> WorktreeResult<T> {
        let places = self.places.clone();
        spawn_blocking(move || Ok(work(&places)?))
    }

    /// Stores the content of the user's checkout as a tree and compares it with a commit. Neither its files nor its index
    /// change.
    pub fn capture_checkout(&self, base: ObjectId) -> WorktreeResult<Change> {
        self.run_blocking(move |places| places.capture_checkout(&base))
    }
}

impl Worktrees for TaskWorktrees {
    fn begin(&self, order: BeginOrder) -> WorktreeResult<IntegrationBase> {
        self.run_blocking(move |places| places.begin(&order))
    }

    fn tip(&self, run: String) -> WorktreeResult<ObjectId> {
        self.run_blocking(move |places| places.tip(&run))
    }

    fn prepare(&self, order: WorktreeOrder) -> WorktreeResult<Worktree> {
        self.run_blocking(move |places| places.prepare(&order))
    }

    fn capture(&self, order: CaptureOrder) -> WorktreeResult<Change> {
        self.run_blocking(move |places| places.capture(&order))
    }

    fn commit(&self, order: CommitOrder) -> WorktreeResult<ObjectId> {
        self.run_blocking(move |places| places.commit(&order))
    }

    fn merge(&self, order: MergeOrder) -> WorktreeResult<Merge> {
        self.run_blocking(move |places| places.merge(&order))
    }

    fn advance(&self, order: AdvanceOrder) -> WorktreeResult<Advance> {
        self.run_blocking(move |places| places.advance(&order))
    }

    fn land(&self, order: LandOrder) -> WorktreeResult<Landing> {
        self.run_blocking(move |places| places.land(&order))
    }

    fn diff(&self, from: ObjectId, to: ObjectId, limit: usize) -> WorktreeResult<DiffText> {
        self.run_blocking(move |places| places.diff(&from, &to, limit))
    }

    fn read(&self, files: Vec<FileAt>) -> WorktreeResult<Vec<Option<String>>> {
        self.run_blocking(move |places| places.read(&files))
    }

    fn trailers(&self, after: ObjectId, until: ObjectId, key: String) -> WorktreeResult<Vec<String>> {
        self.run_blocking(move |places| places.trailers(&after, &until, &key))
    }

    fn mentions(&self, at: ObjectId, words: Vec<String>) -> WorktreeResult<Vec<Vec<Mention>>> {
        self.run_blocking(move |places| places.mentions(&at, &words))
    }

    fn edit_tree(&self, base: ObjectId, edits: Vec<FileEdit>) -> WorktreeResult<ObjectId> {
        self.run_blocking(move |places| places.edit_tree(&base, &edits))
    }

    fn remove(&self, run: String, name: String) -> WorktreeResult<()> {
        self.run_blocking(move |places| places.remove(&run, &name))
    }

    fn clean_up(&self, run: String, keep: Vec<String>) -> WorktreeResult<()> {
        self.run_blocking(move |places| places.clean_up(&run, &keep))
    }
}
