//! Entering: the branch probe, the entry gate, the preflight where the gate asks for it, and what to do next.

use crate::here::CheckoutHere;
use crate::preflight::preflight;
use crate::tree::Snapshot;
use crate::{Entrance, Refusal};
use charrette_model::branch::{BranchInfo, Decision, decide};
use charrette_model::gate::entry::{self, Entry};
use charrette_model::gate::texts;

/// The decisions, as the flow knows them.
const CREATE: &str = "create";
const REUSE: &str = "reuse";
const ASK: &str = "ask";
const STAY: &str = "stay";

/// Looks at the branch and decides whether a run may begin here.
pub(crate) fn enter(here: &CheckoutHere) -> Result<Entrance, Refusal> {
    let (vouched, mut warnings) = vouched(here);
    if !here.place.in_repository {
        warnings.push(texts::NO_REPOSITORY.to_owned());
        return Ok(Entrance { decision: STAY.to_owned(), warnings, ..Entrance::default() });
    }
    let made = here.made_branch();
    let is_vouched = vouched.is_some();
    let (info, facts) = if let Some(info) = vouched {
        // What a caller vouches for is not compared with the repository.
        (info, None)
    } else {
        let facts = here.facts().map_err(|error| Refusal::Failed(error.to_string()))?;
        let made_here: Vec<&str> = made.as_deref().into_iter().collect();
        (BranchInfo::from(&facts.state(&made_here)), Some(facts))
    };
    let problem = facts.as_ref().and_then(|facts| facts.problem.as_ref());
    warnings.extend(problem.map(|problem| format!("**⚠ {problem}**")));
    let command = here.place.name.command();
    let entry = entry::ask(command, &info, is_vouched).map_err(|error| {
        Refusal::Refused(format!("GATE_ERROR={error}\n{}", texts::entry_contract_violation(command)))
    })?;
    let state = info.state();
    let tree = Snapshot::take(&here.place.root).map_err(|error| Refusal::Failed(error.to_string()))?;
    let is_clean = tree.is_clean_but_for(&here.place.own);
    let mut entrance = Entrance {
        current: state.current.clone(),
        user_prefix: state.user_prefix.clone(),
        decision: STAY.to_owned(),
        is_dirty: !is_clean,
        warnings,
    };
    if tree.head.is_none() && !facts.as_ref().map_or_else(|| has_commits(here), |facts| facts.has_commits) {
        entrance.warnings.push(texts::no_commits(tree.branch.as_deref().unwrap_or_default()));
        return Ok(entrance);
    }
    if let (Entry::Strict, Some(facts)) = (entry, &facts) {
        entrance.warnings.extend(preflight(here, facts, is_clean)?);
    }
    let made_here = made.is_some_and(|made| made == state.current);
    let decision = match decide(&state, here.feature(), made_here) {
        Decision::Create => CREATE,
        Decision::Reuse => REUSE,
        // What is said depends on what is answered.
        Decision::Ask { .. } => ASK,
        Decision::Leave { warning } => {
            entrance.warnings.push(warning);
            CREATE
        }
    };
    decision.clone_into(&mut entrance.decision);
    Ok(entrance)
}

/// What a caller says about the branch, if it is complete; otherwise that it is not.
fn vouched(here: &CheckoutHere) -> (Option<BranchInfo>, Vec<String>) {
    match here.place.branch_info.as_deref().map(BranchInfo::parse) {
        None => (None, Vec::new()),
        Some(Some(info)) => (Some(info), Vec::new()),
        Some(None) => (None, vec![texts::BRANCH_INFO_INCOMPLETE.to_owned()]),
    }
}

/// Whether anything was ever committed, for a caller whose word nothing else is asked about.
fn has_commits(here: &CheckoutHere) -> bool {
    here.git().find(&["for-each-ref", "--count=1", "--format=x", "refs/heads"]).is_some()
}
