//! Snapshots of the work tree before and after an agent: changes, and undoing exactly those.
//!
//! [`Snapshot::take`] runs one `git status`, [`Snapshot::changes`] compares two snapshots, [`patch`](patch()) saves what
//! [`undo`](undo()) would undo. The rules for what an agent may change, and the decision to undo it, are elsewhere.
//! [`WatchedSnapshot`] adds the repository's own files and what git was told not to look at. Files that git ignores are
//! not compared.

mod changes;
mod error;
mod git_files;
mod index;
mod patch;
mod snapshot;
mod status;
mod undo;
mod unlink;
mod watched;

pub use charrette_model::tree::{ChangeKind, OwnPaths, TreeChange, TreePath};
pub use error::TreeError;
pub(crate) use git_files::read_git_files;
pub(crate) use index::{IndexEntry, list_index, parse as parse_index};
pub use snapshot::Snapshot;
pub use undo::{SkippedChange, UndoReport, patch, undo};
pub use watched::WatchedSnapshot;
pub(crate) use watched::differ_from_index;
