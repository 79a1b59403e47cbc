//! Preflight of a run that starts from main: main is checked out, clean, and up to date with its remote.

use crate::PortError;
use crate::facts::BranchFacts;
use crate::interrupted::{self, blocking_locks, unfinished_rebase};
use crate::mainline::Mainline;
use crate::run_checkout::RunCheckout;
use charrette_git::{CallError, GitError};
use charrette_model::escape::printable_lines;
use charrette_model::gate::preflight::{PreflightError, check_tree};
use charrette_model::gate::texts;
use std::path::Path;

/// Runs the preflight. Returns warnings for people.
pub(crate) fn preflight(
    checkout: &RunCheckout,
    facts: &BranchFacts,
    is_clean: bool,
) -> Result<Vec<String>, PortError> {
    check_main(checkout, facts, is_clean)?;
    let main =
        Mainline::new(&checkout.options.root, facts).map_err(|error| PortError::Failed(error.to_string()))?;
    if checkout.options.settings.fetch() == "off" {
        return Ok(Vec::new());
    }
    match checkout.fetch(main) {
        Ok(()) => {}
        Err(CallError::Cancelled) => return Err(PortError::Interrupted),
        Err(reason) if checkout.options.settings.fetch() == "fail" => {
            let error = PreflightError::FetchFailed(facts.main.clone());
            return Err(refusal(checkout, facts, &error, Some(&reason.to_string())));
        }
        Err(reason) => return Ok(vec![texts::may_be_behind(&facts.main, &reason.to_string())]),
    }
    let rebase_failed = |error: GitError| {
        refusal(checkout, facts, &PreflightError::RebaseFailed(facts.main.clone()), Some(&error.reason()))
    };
    let pending = main.pending_move().map_err(rebase_failed)?;
    if let Some(pending) = &pending {
        // Begun by a person during the fetch: a failed update would abort it.
        check_at_rest(&checkout.options.root)?;
        // On record before git starts. Where nothing can be recorded, a run is not resumable anyway, and it is said elsewhere.
        let _ = checkout.note_move(pending);
        main.update().map_err(|error| {
            interrupted::forget_ended(checkout, &error);
            rebase_failed(error)
        })?;
    }
    let submodules = pending.is_some() && checkout.has_moved_submodules();
    Ok(submodules.then(|| texts::SUBMODULES_MOVED.to_owned()).into_iter().collect())
}

/// Checks that main is checked out and clean, and that git is neither locked nor in the middle of a rebase.
pub(crate) fn check_main(
    checkout: &RunCheckout,
    facts: &BranchFacts,
    is_clean: bool,
) -> Result<(), PortError> {
    check_at_rest(&checkout.options.root)?;
    check_tree(&facts.main, &facts.current, is_clean).map_err(|error| refusal(checkout, facts, &error, None))
}

/// Checks that git is neither locked nor in the middle of a rebase.
fn check_at_rest(root: &Path) -> Result<(), PortError> {
    let locks = blocking_locks(root);
    let unfinished = match unfinished_rebase(root) {
        _ if !locks.is_empty() => Some(PreflightError::Locked(locks.join("; "))),
        rebase => rebase.map(|_| PreflightError::Rebasing),
    };
    // Neither a commit nor a stash would help.
    unfinished.map_or(Ok(()), |error| Err(PortError::Refused(format!("PREFLIGHT_ERROR={error}"))))
}

/// Refusal text: the machine-readable line first, then the cure, git's own reason last.
fn refusal(
    checkout: &RunCheckout,
    facts: &BranchFacts,
    error: &PreflightError,
    reason: Option<&str>,
) -> PortError {
    let cure = texts::clean_main_required(checkout.options.name.command(), &facts.user_prefix);
    let reason = reason.map(|reason| format!("\ngit: {}", printable_lines(reason))).unwrap_or_default();
    PortError::Refused(format!("PREFLIGHT_ERROR={error}\n{cure}{reason}"))
}
