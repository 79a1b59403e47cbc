//! Archives a run and frees its name.

use crate::active_runs;
use crate::enclosure::refuse_inside_agent;
use crate::error::AppError;
use crate::ports;
use crate::seat_queue;
use crate::site::Site;
use charrette_checkout::LeftOver;
use charrette_model::checkpoint::DocumentName;
use std::path::PathBuf;

/// Removes the worktrees and refs of a run. Work that no branch contains stays on its integration ref.
fn remove_worktrees(site: &Site, run: &str) {
    let worktrees = ports::task_worktrees(site);
    let left_over = LeftOver { run: run.to_owned(), ..LeftOver::default() };
    if site.repository.is_some()
        && let Err(error) = worktrees.remove_left_over(&left_over)
    {
        site.notices.note(format!("Warning: worktrees of the run were not removed: {error:?}"));
    }
}

/// Archives a run, or what is left of one whose document was deleted; `None` if there is none. Its calls in the queue are over.
pub fn abandon(site: &Site, name: &DocumentName) -> Result<Option<PathBuf>, AppError> {
    refuse_inside_agent(site, "archive a run")?;
    let documents = site.documents();
    // The document need not be readable.
    let document = documents.load(name).ok().flatten().map(|loaded| loaded.document);
    let deleted = || documents.remains(name).ok().flatten()?.document;
    let run = document.or_else(deleted).and_then(|document| document.run);
    let archive = documents.abandon(name, site.now)?;
    if let (Some(_), Some(run)) = (&archive, run) {
        seat_queue::end_run(site, &run.id);
        active_runs::forget(site, &run.id);
        remove_worktrees(site, &run.id);
    }
    Ok(archive)
}
