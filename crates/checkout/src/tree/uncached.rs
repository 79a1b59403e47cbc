//! Git without its cache of the history, which an agent may have made to say something else than the commits.

use charrette_git::Git;

/// Setting that makes git read commits themselves.
pub(super) const WITHOUT_COMMIT_GRAPH: &str = "core.commitGraph=false";

/// The same git, reading commits themselves.
pub(super) fn uncached(git: Git<'_>) -> Git<'_> {
    git.with_settings(&[WITHOUT_COMMIT_GRAPH])
}
