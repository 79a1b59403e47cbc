//! What changed in the tree while an agent was at work, held against what it may touch.

use super::rules::Rules;
use crate::surroundings::Surroundings;
use charrette_engine::ports::Touch;
use charrette_store::tree::{Change, Own, Snapshot, TreeError, discard};
use std::io;
use std::path::{Path, PathBuf};

/// A tree that is being watched.
pub(super) struct Watch {
    folder: PathBuf,
    may_touch: Touch,
    own: Own,
    before: Option<Result<Snapshot, TreeError>>,
}

impl Watch {
    /// Looks at the tree, before an agent starts.
    pub(super) async fn begin(surroundings: &Surroundings, may_touch: &Touch, rules: &Rules) -> Watch {
        let folder = surroundings.folder.clone();
        let before = match may_touch {
            Touch::Nothing | Touch::Under(_) if surroundings.in_repository => Some(snapshot(&folder).await),
            _ => None,
        };
        Watch { folder, may_touch: may_touch.clone(), own: rules.own.clone(), before }
    }

    /// Looks again: what changed that must not, and why nobody can tell, if so.
    pub(super) async fn end(self) -> (Vec<Change>, Option<String>) {
        let Some(before) = self.before else { return (Vec::new(), None) };
        let (before, after) = match (before, snapshot(&self.folder).await) {
            (Ok(before), Ok(after)) => (before, after),
            (Err(error), _) | (_, Err(error)) => {
                return (Vec::new(), Some(format!("nobody can tell what it changed: {error}")));
            }
        };
        let mut changes = before.changes(&after, &self.own);
        changes.retain(|change| match &self.may_touch {
            Touch::Anything => false,
            Touch::Nothing => true,
            Touch::Under(allowed) => {
                !allowed.iter().any(|allowed| change.path.as_path().starts_with(allowed))
            }
        });
        (changes, None)
    }
}

/// Undoes changes, having kept them in `patch`. Returns what could not be undone, in words.
pub(super) fn undo(folder: &Path, changes: &[Change], patch: &Path) -> Result<Vec<String>, String> {
    let discarded =
        discard(folder, changes, patch).map_err(|error| format!("not everything was undone: {error}"))?;
    Ok(discarded.kept.iter().map(|kept| format!("{} {}", kept.path, kept.why)).collect())
}

/// Git is asked in a thread of its own, so that nobody else has to wait for it.
async fn snapshot(folder: &Path) -> Result<Snapshot, TreeError> {
    let folder = folder.to_owned();
    let taken = tokio::task::spawn_blocking(move || Snapshot::take(&folder)).await;
    taken.unwrap_or_else(|error| Err(io::Error::other(error).into()))
}
