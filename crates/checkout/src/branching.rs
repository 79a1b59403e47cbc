//! Going to the branch that a run works on.

use crate::facts::Facts;
use crate::here::CheckoutHere;
use crate::mainline::Mainline;
use crate::tree::Snapshot;
use crate::{BranchOrder, Branched, Refusal};
use charrette_git::CallError;
use charrette_model::branch::create::{CreateError, is_safe_ref};
use charrette_model::branch::name::branch_topic;
use charrette_model::branch::{BranchInfo, given_prefix, unused_branch_name};
use charrette_model::gate::texts;
use charrette_model::shown::shown;

/// Makes a branch and goes there, or stays.
pub(crate) fn branch(here: &CheckoutHere, order: &BranchOrder) -> Result<Branched, Refusal> {
    if !here.place.in_repository {
        return Ok(Branched::default());
    }
    let facts = here.facts().map_err(|error| Refusal::Failed(error.to_string()))?;
    if !order.create || !facts.has_commits {
        return Ok(stay(here, &facts, order));
    }
    match here.made_branch() {
        Some(made) if facts.branches.contains(&made) => go_back(here, &facts, made),
        _ => make(here, &facts),
    }
}

fn stay(here: &CheckoutHere, facts: &Facts, order: &BranchOrder) -> Branched {
    // A caller who vouches for the branch may have said anything.
    let has_changed = here.place.branch_info.is_none() && order.from != facts.current;
    let warnings = has_changed.then(|| texts::branch_changed(&order.from, &facts.current));
    Branched { name: facts.current.clone(), created: false, warnings: warnings.into_iter().collect() }
}

/// The branch was made before, by somebody who was stopped before that could be put on record.
fn go_back(here: &CheckoutHere, facts: &Facts, made: String) -> Result<Branched, Refusal> {
    if facts.current != made {
        if !is_safe_ref(&made) {
            return Err(Refusal::Failed(CreateError::NotAName(made).to_string()));
        }
        let gone = here.git().act(&["switch", "--quiet", "--no-guess", &made]);
        gone.map_err(|error| not_gone(here, &made, &error.reason()))?;
    }
    Ok(Branched { name: made, created: true, warnings: Vec::new() })
}

fn make(here: &CheckoutHere, facts: &Facts) -> Result<Branched, Refusal> {
    let failed = |error: CreateError| Refusal::Failed(error.to_string());
    let mut warnings = Vec::new();
    let main = Mainline::new(&here.place.root, facts).map_err(failed)?;
    let name = free_name(here, facts);
    if !is_safe_ref(&name) {
        return Err(failed(CreateError::NotAName(name)));
    }
    let has_asked = here.has_asked_remote();
    match here.place.settings.fetch() {
        "off" => {}
        policy => match here.fetch(main) {
            Ok(()) => {}
            Err(CallError::Cancelled) => return Err(Refusal::Interrupted),
            Err(reason) if policy == "fail" => {
                let error = CreateError::Fetch(facts.main.clone());
                return Err(Refusal::Refused(format!("{error}: {}", shown(&reason.to_string()))));
            }
            // Once is enough to say it.
            Err(_) if has_asked => {}
            Err(reason) => warnings.push(texts::may_be_behind(&facts.main, &reason.to_string())),
        },
    }
    let Some(start) = main.start() else {
        return Err(Refusal::Failed(format!("there is no commit on {}", shown(&facts.main))));
    };
    if let Some(commits) = main.unpublished() {
        warnings.push(texts::left_on_main(&facts.main, &commits));
    }
    // The intent before the deed: whoever comes back after a crash finds the branch and knows whose it is.
    if let Err(error) = here.note_branch(&name) {
        warnings.push(format!("**⚠ That the branch was made here will not be remembered: {error}**"));
    }
    main.fork(&name, &start).map_err(|error| not_gone(here, &name, &error.reason()))?;
    if here.has_moved_submodules() {
        warnings.push(texts::SUBMODULES_MOVED.to_owned());
    }
    Ok(Branched { name, created: true, warnings })
}

/// A name for the feature that is nobody's branch, here or on the remote, nor the folder of one.
fn free_name(here: &CheckoutHere, facts: &Facts) -> String {
    let vouched = here.place.branch_info.as_deref().and_then(BranchInfo::parse);
    let prefix = vouched.map_or_else(|| facts.user_prefix.clone(), |info| given_prefix(&info.user_prefix));
    let listed = here.git().find(&["for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/origin"]);
    let listed = listed.unwrap_or_default();
    let is_taken = |name: &str| {
        let folder = format!("{name}/");
        let all = facts.branches.iter().map(String::as_str).chain(listed.lines());
        all.into_iter().any(|branch| branch == name || branch.starts_with(&folder))
    };
    unused_branch_name(&prefix, &branch_topic(here.feature()), is_taken)
}

/// Git's reason; with changes in the tree it is a guard that speaks.
fn not_gone(here: &CheckoutHere, name: &str, reason: &str) -> Refusal {
    let is_dirty = Snapshot::take(&here.place.root).is_ok_and(|tree| !tree.is_clean_but_for(&here.place.own));
    let message = format!("cannot go to branch '{}': {}", shown(name), shown(reason));
    if is_dirty {
        Refusal::Refused(format!("{message}\nCommit or stash your changes first; nothing was lost."))
    } else {
        Refusal::Failed(message)
    }
}
