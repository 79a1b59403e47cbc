//! Stores the content of the user's own checkout as a tree, for work that a person does in it.

use super::capture::{ChangeList, add_all};
use super::error::{Result, WorktreeError};
use super::objects::check_object;
use super::places::Places;
use super::prepare::distrust_times;
use charrette_engine::ports::worktrees::Change;
use charrette_model::escape::printable;
use std::path::PathBuf;

impl Places {
    /// Stores the content of the checkout, without ignored files, and compares it with a commit or tree. The index is a
    /// copy, so that what the user has staged stays as it is.
    pub(super) fn capture_checkout(&self, base: &str) -> Result<Change> {
        check_object(base)?;
        let own: PathBuf =
            self.git().text(&["rev-parse", "--path-format=absolute", "--git-path", "index"])?.into();
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        if own.exists() {
            fs_err::copy(&own, &index)?;
            distrust_times(&index)?;
        }
        let git = self.git().with_index(&index);
        add_all(git).map_err(|error| {
            WorktreeError::Failed(format!("git could not store everything: {}", printable(&error.reason())))
        })?;
        let tree = git.text(&["write-tree"])?;
        let list = ChangeList::read(git, base, &tree)?;
        let files = list.records.iter().map(|record| record.changed_file(&self.root)).collect();
        Ok(Change { tree, files, diff: list.diff, tampering: Vec::new() })
    }
}
