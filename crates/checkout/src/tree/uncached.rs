//! Git without its cache of the history, which an agent may have made to say something else than the commits.

use charrette_git::Git;
use std::path::Path;

/// Setting that makes git read commits themselves.
pub(super) const WITHOUT_COMMIT_GRAPH: &str = "core.commitGraph=false";

/// Git in the work tree at `root` that reads commits themselves.
pub(super) fn uncached_git(root: &Path) -> Git<'_> {
    Git::new(root).with_settings(&[WITHOUT_COMMIT_GRAPH])
}
