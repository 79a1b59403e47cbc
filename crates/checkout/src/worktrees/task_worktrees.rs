//! The worktrees of tasks in one repository, and their options.

use super::places::Places;
use charrette_engine::ports::PortError;
use std::path::PathBuf;
use std::sync::Arc;

/// Options of the worktrees of tasks.
#[derive(Debug, Clone)]
pub struct WorktreeOptions {
    /// Root of the user's work tree.
    pub root: PathBuf,
    /// Charrette's state folder of the user; worktrees are in `worktrees` below it.
    pub state: PathBuf,
}

/// Worktrees of tasks in one repository. Clones share it.
#[derive(Debug, Clone)]
pub struct TaskWorktrees {
    pub(super) places: Arc<Places>,
}

impl TaskWorktrees {
    pub fn new(options: WorktreeOptions) -> TaskWorktrees {
        TaskWorktrees { places: Arc::new(Places::new(options)) }
    }

    /// Refuses a git that is too old to merge the work of tasks.
    pub fn check_git(&self) -> Result<(), PortError> {
        Ok(self.places.check_git()?)
    }
}
