//! The work tree before and after an agent: what changed, and undoing exactly that.
//!
//! [`Snapshot::take`] asks git once, [`Snapshot::changes`] compares two of them, [`patch`](patch()) says what
//! [`undo`](undo()) would undo. Whether an agent was allowed to change something, and whether a
//! person wants it undone, is decided elsewhere. Files that git ignores are not looked at.

mod changes;
mod error;
mod patch;
mod snapshot;
mod status;
mod undo;
mod unlink;

pub use charrette_model::tree::{Change, ChangeKind, Own, TreePath};
pub use error::TreeError;
pub use snapshot::Snapshot;
pub use undo::{Kept, Undone, patch, undo};
