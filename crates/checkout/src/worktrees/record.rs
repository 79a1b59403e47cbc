//! Records of runs and of their worktrees, in a folder where agents cannot write.

use super::error::Result;
use super::places::{RunPlace, WorktreePlace};
use crate::tree::GitFiles;
use charrette_engine::ports::worktrees::{IntegrationBase, ObjectId};
use charrette_store::atomic;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Content digests by path.
pub(super) type Digests = BTreeMap<String, String>;

/// A run with worktrees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunRecord {
    /// Folder that all work trees of its repository share.
    pub(super) common_dir: PathBuf,
    /// Root of the user's work tree.
    pub(super) root: PathBuf,
    /// Where it began; none before that.
    pub(super) base: Option<IntegrationBase>,
    /// Commit that the integration ref was moved to last; none if it is where it began.
    #[serde(default)]
    pub(super) tip: Option<ObjectId>,
}

impl RunRecord {
    pub(super) fn load(place: &RunPlace) -> Result<Option<RunRecord>> {
        load(&RunRecord::file(place))
    }

    pub(super) fn save(&self, place: &RunPlace) -> Result<()> {
        place.make()?;
        save(&RunRecord::file(place), self)
    }

    fn file(place: &RunPlace) -> PathBuf {
        place.private().join("run.json")
    }
}

/// A worktree that was made completely.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WorktreeRecord {
    /// Folder of its own files in the repository: HEAD, index.
    pub(super) git_dir: PathBuf,
    /// Content of its `.git` file.
    pub(super) git_file: String,
    /// Commit or tree that was laid out.
    pub(super) content: ObjectId,
    /// Commit of its HEAD.
    pub(super) head: ObjectId,
    /// Ignored files that were copied into it.
    pub(super) included: Vec<String>,
    /// Files in `git_dir`.
    pub(super) own_files: Digests,
    /// Files and branches that all work trees share.
    pub(super) shared_files: GitFiles,
}

impl WorktreeRecord {
    pub(super) fn load(place: &WorktreePlace) -> Result<Option<WorktreeRecord>> {
        load(&WorktreeRecord::file(place))
    }

    pub(super) fn save(&self, place: &WorktreePlace) -> Result<()> {
        save(&WorktreeRecord::file(place), self)
    }

    /// Forgets the worktree: what is there now will be made again.
    pub(super) fn remove(place: &WorktreePlace) -> Result<()> {
        match fs_err::remove_file(WorktreeRecord::file(place)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => Ok(other?),
        }
    }

    fn file(place: &WorktreePlace) -> PathBuf {
        place.private.join("record.json")
    }
}

fn load<T: DeserializeOwned>(file: &Path) -> Result<Option<T>> {
    match fs_err::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // A record that cannot be read is none: what it is about is made again.
        read => Ok(serde_json::from_slice(&read?).ok()),
    }
}

fn save<T: Serialize>(file: &Path, record: &T) -> Result<()> {
    Ok(atomic::replace_private(file, &serde_json::to_vec(record)?)?)
}
