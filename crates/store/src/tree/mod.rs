//! The work tree before and after an agent: what changed, and undoing exactly that.
//!
//! [`Snapshot::take`] asks git once, [`Snapshot::changes`] compares two of them, [`discard`] writes a patch of
//! what it is about to undo and then undoes it. Whether an agent was allowed to change something, and whether a
//! person wants it undone, is decided elsewhere. Files that git ignores are not looked at.

mod changes;
mod discard;
mod git;
mod patch;
mod path;
mod snapshot;
mod status;
mod unlink;

pub use changes::{Change, ChangeKind, Own};
pub use discard::{Discarded, Kept, discard};
pub use git::{TreeError, listed};
pub use path::TreePath;
pub use snapshot::Snapshot;
