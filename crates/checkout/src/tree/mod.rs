//! Snapshots of the work tree before and after an agent: changes, and undoing exactly those.
//!
//! [`Snapshot::take`] runs one `git status`, [`Snapshot::changes`] compares two snapshots, [`patch`](patch()) saves what
//! [`undo`](undo()) would undo. The rules for what an agent may change, and the decision to undo it, are elsewhere.
//! [`WatchedSnapshot`] adds the repository's own files and what git does not look at. Of the files that git ignores only
//! those are compared that say what is ignored.

mod changes;
mod digests;
mod error;
mod git_files;
mod index;
mod known;
mod laid_out;
mod nested;
mod other_runs;
mod other_worktrees;
mod pairs;
mod patch;
mod place;
mod refs;
mod snapshot;
mod status;
mod tracked;
mod uncached;
mod undo;
mod unlink;
mod user_files;
mod watched;
mod work_tree;

pub use charrette_model::tree::{ChangeKind, OwnPaths, TreeChange, TreePath};
pub use error::TreeError;
pub(crate) use git_files::GitFiles;
pub(crate) use index::{IndexEntry, list_index, parse as parse_index};
pub(crate) use other_runs::OtherRuns;
pub use snapshot::Snapshot;
pub use undo::{SkippedChange, UndoReport, patch, undo};
pub use user_files::UserGitFiles;
pub use watched::WatchedSnapshot;
