//! Records of runs and of their worktrees, in a folder where agents cannot write.

use super::error::Result;
use super::places::{RunPlace, WorktreePlace};
use crate::tree::{ChangeKind, GitFiles};
use charrette_engine::ports::worktrees::{IntegrationBase, ObjectId};
use charrette_store::atomic;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
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
    #[serde(default, deserialize_with = "comparable")]
    pub(super) shared_files: Option<SharedFiles>,
}

/// Files and branches that all work trees share.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SharedFiles {
    rules: u32,
    files: GitFiles,
}

impl SharedFiles {
    /// Number of the rules by which [`GitFiles`] are read. To be raised with every change of what is read, or how.
    const RULES: u32 = 2;

    /// Those of the repository as the worktree at `folder` sees them.
    pub(super) fn read(folder: &Path, git_dir: &Path, common_dir: &Path) -> Result<SharedFiles> {
        let files = GitFiles::read_folders(folder, git_dir, common_dir)?;
        Ok(SharedFiles { rules: SharedFiles::RULES, files })
    }

    /// Names of what differs from these, with what became of it.
    pub(super) fn differences(&self, now: &SharedFiles) -> Vec<(String, ChangeKind)> {
        self.files.differences(&now.files)
    }
}

/// Shared files that can be compared with those of now; none if another version of charrette read them.
fn comparable<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<SharedFiles>, D::Error> {
    let recorded = Value::deserialize(deserializer)?;
    let shared = serde_json::from_value(recorded).ok();
    Ok(shared.filter(|shared: &SharedFiles| shared.rules == SharedFiles::RULES))
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
