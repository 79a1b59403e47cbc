//! What a run that starts from main must find: main checked out, clean, and up to date with its remote.

use crate::Refusal;
use crate::facts::Facts;
use crate::here::CheckoutHere;
use crate::mainline::Mainline;
use charrette_git::CallError;
use charrette_model::gate::preflight::{PreflightError, check_tree};
use charrette_model::gate::texts;
use charrette_model::shown::shown;

/// Makes sure of it. What people should know, if there is anything.
pub(crate) fn preflight(here: &CheckoutHere, facts: &Facts, is_clean: bool) -> Result<Vec<String>, Refusal> {
    let refuse = |error: PreflightError| refused(here, facts, &error, None);
    check_tree(&facts.main, &facts.current, is_clean).map_err(refuse)?;
    let main = Mainline::new(&here.place.root, facts).map_err(|error| Refusal::Failed(error.to_string()))?;
    if here.place.settings.fetch() == "off" {
        return Ok(Vec::new());
    }
    match here.fetch(main) {
        Ok(()) => {}
        Err(CallError::Cancelled) => return Err(Refusal::Interrupted),
        Err(reason) if here.place.settings.fetch() == "fail" => {
            let error = PreflightError::FetchFailed(facts.main.clone());
            return Err(refused(here, facts, &error, Some(&reason.to_string())));
        }
        Err(reason) => return Ok(vec![texts::may_be_behind(&facts.main, &reason.to_string())]),
    }
    let moved = main.catch_up().map_err(|error| {
        refused(here, facts, &PreflightError::RebaseFailed(facts.main.clone()), Some(&error.reason()))
    })?;
    let submodules = moved && here.has_moved_submodules();
    Ok(submodules.then(|| texts::SUBMODULES_MOVED.to_owned()).into_iter().collect())
}

/// The raw line first, then what to do about it; git's own reason last.
fn refused(here: &CheckoutHere, facts: &Facts, error: &PreflightError, reason: Option<&str>) -> Refusal {
    let what_to_do = texts::clean_main_required(here.place.name.command(), &facts.user_prefix);
    let reason = reason.map(|reason| format!("\ngit: {}", shown(reason))).unwrap_or_default();
    Refusal::Refused(format!("PREFLIGHT_ERROR={error}\n{what_to_do}{reason}"))
}
