//! Mark of a landing that has begun: what is about to change in the user's checkout. Written before anything changes, removed
//! when nothing is half done, so that the next attempt can take back what a killed one left.

use super::super::error::Result;
use super::super::places::RunPlace;
use super::super::removal::remove_if_there;
use charrette_engine::ports::worktrees::ObjectId;
use charrette_model::tree::TreePath;
use charrette_store::atomic;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// File in the private folder of a run.
const MARK: &str = "landing";

/// What a landing is about to change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LandingMark {
    /// Commit that is landed.
    pub(super) commit: ObjectId,
    /// Commit of HEAD before.
    pub(super) head: ObjectId,
    /// Branch of HEAD; empty in a mark of an older version.
    #[serde(default)]
    pub(super) branch: String,
    /// Commit with the specification that the run began with.
    pub(super) base: ObjectId,
    /// Files of the specification that the work changes.
    pub(super) specification: Vec<MarkedFile>,
}

/// A file of the specification before it is landed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MarkedFile {
    pub(super) path: TreePath,
    pub(super) content: ContentBefore,
    /// Mode and object in the user's index; none if it does not list the file.
    pub(super) entry: Option<(String, ObjectId)>,
}

/// Content of a file in the user's checkout before it is landed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ContentBefore {
    /// That of HEAD.
    Committed,
    /// That of the specification that the run began with; it is not committed.
    Begun,
    /// That of the commit that is landed; it is not committed.
    Landed,
}

impl LandingMark {
    pub(super) fn file(place: &RunPlace) -> PathBuf {
        place.private().join(MARK)
    }

    /// The mark of a landing that did not end; none if it cannot be read.
    pub(super) fn load(place: &RunPlace) -> Result<Option<LandingMark>> {
        match fs_err::read(LandingMark::file(place)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => Ok(serde_json::from_slice(&read?).ok()),
        }
    }

    pub(super) fn save(&self, place: &RunPlace) -> Result<()> {
        place.make()?;
        Ok(atomic::replace_private(&LandingMark::file(place), &serde_json::to_vec(self)?)?)
    }

    pub(super) fn remove(place: &RunPlace) -> Result<()> {
        Ok(remove_if_there(&LandingMark::file(place))?)
    }
}
