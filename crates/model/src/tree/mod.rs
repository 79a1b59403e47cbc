//! Paths and changes of a work tree. Taking snapshots is elsewhere.

mod change;
mod own_paths;
mod path;

pub use change::{ChangeKind, TreeChange};
pub use own_paths::OwnPaths;
pub use path::TreePath;
