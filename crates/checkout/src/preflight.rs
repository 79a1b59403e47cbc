//! Preflight of a run that starts from main: main is checked out, clean, and up to date with its remote.

use crate::PortError;
use crate::facts::BranchFacts;
use crate::mainline::Mainline;
use crate::run_checkout::RunCheckout;
use charrette_git::CallError;
use charrette_model::escape::printable_lines;
use charrette_model::gate::preflight::{PreflightError, check_tree};
use charrette_model::gate::texts;

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
    let moved = main.rebase_onto_remote().map_err(|error| {
        refusal(checkout, facts, &PreflightError::RebaseFailed(facts.main.clone()), Some(&error.reason()))
    })?;
    let submodules = moved && checkout.has_moved_submodules();
    Ok(submodules.then(|| texts::SUBMODULES_MOVED.to_owned()).into_iter().collect())
}

/// Checks that main is checked out and clean.
pub(crate) fn check_main(
    checkout: &RunCheckout,
    facts: &BranchFacts,
    is_clean: bool,
) -> Result<(), PortError> {
    check_tree(&facts.main, &facts.current, is_clean).map_err(|error| refusal(checkout, facts, &error, None))
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
