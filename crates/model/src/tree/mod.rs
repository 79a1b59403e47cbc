//! What is said about a work tree: paths as git knows them, and changes. Who looks at one is elsewhere.

mod change;
mod own;
mod path;

pub use change::{Change, ChangeKind};
pub use own::Own;
pub use path::TreePath;
