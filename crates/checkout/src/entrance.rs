//! Entry of a run: the branch probe, the entry gate, the preflight where the gate asks for it, and the decision.

use crate::interrupted;
use crate::preflight::{check_main, preflight};
use crate::run_checkout::RunCheckout;
use crate::tree::Snapshot;
use crate::{EntryReport, PortError};
use charrette_model::branch::{BranchDecision, BranchInfo, decide};
use charrette_model::gate::entry::{self, EntryMode};
use charrette_model::gate::texts;

// Decisions, as the flow knows them.
const CREATE: &str = "create";
const REUSE: &str = "reuse";
const ASK: &str = "ask";
const STAY: &str = "stay";

/// Probes the branch and decides whether a run may start here.
pub(crate) fn enter(checkout: &RunCheckout) -> Result<EntryReport, PortError> {
    let (trusted, mut warnings) = trusted_branch_info(checkout);
    if !checkout.options.in_repository {
        warnings.push(texts::NO_REPOSITORY.to_owned());
        return Ok(EntryReport { decision: STAY.to_owned(), warnings, ..EntryReport::default() });
    }
    // First of all: until then HEAD, branch and tree are those of the interrupted move.
    warnings.extend(interrupted::take_back(checkout)?);
    let made = checkout.recorded_branch();
    let is_trusted = trusted.is_some();
    let (info, facts) = if let Some(info) = trusted {
        // Trusted branch info is not compared with the repository.
        (info, None)
    } else {
        let facts = checkout.facts().map_err(|error| PortError::Failed(error.to_string()))?;
        let created_for_feature: Vec<&str> = made.as_deref().into_iter().collect();
        (BranchInfo::from(&facts.state(&created_for_feature)), Some(facts))
    };
    let problem = facts.as_ref().and_then(|facts| facts.problem.as_ref());
    warnings.extend(problem.map(|problem| format!("**⚠ {problem}**")));
    let command = checkout.options.name.command();
    let entry = entry::decide_from_facts(command, &info, is_trusted).map_err(|error| {
        PortError::Refused(format!("GATE_ERROR={error}\n{}", texts::entry_contract_violation(command)))
    })?;
    let state = info.state();
    let tree =
        Snapshot::take(&checkout.options.root).map_err(|error| PortError::Failed(error.to_string()))?;
    let is_clean = tree.is_clean_except(&checkout.options.own);
    let mut entrance = EntryReport {
        current: state.current.clone(),
        user_prefix: state.user_prefix.clone(),
        decision: STAY.to_owned(),
        is_dirty: !is_clean,
        warnings,
    };
    if tree.head.is_none() && !facts.as_ref().map_or_else(|| has_commits(checkout), |facts| facts.has_commits)
    {
        entrance.warnings.push(texts::no_commits(tree.branch.as_deref().unwrap_or_default()));
        return Ok(entrance);
    }
    if let (EntryMode::Strict, Some(facts)) = (entry, &facts) {
        entrance.warnings.extend(preflight(checkout, facts, is_clean)?);
    }
    let created_for_feature = made.is_some_and(|made| made == state.current);
    let decision = match decide(&state, checkout.feature(), created_for_feature) {
        BranchDecision::Create => CREATE,
        BranchDecision::Reuse => REUSE,
        // The warning depends on the answer.
        BranchDecision::Ask { .. } => ASK,
        BranchDecision::Leave { warning } => {
            entrance.warnings.push(warning);
            CREATE
        }
    };
    decision.clone_into(&mut entrance.decision);
    Ok(entrance)
}

/// Checks what can be checked without asking the remote, before a run is created.
pub(crate) fn check(checkout: &RunCheckout) -> Result<(), PortError> {
    let (trusted, _) = trusted_branch_info(checkout);
    if !checkout.options.in_repository || trusted.is_some() {
        return Ok(());
    }
    if interrupted::is_pending(checkout) {
        return Err(PortError::Refused(texts::INTERRUPTED_RUN.to_owned()));
    }
    let facts = checkout.facts().map_err(|error| PortError::Failed(error.to_string()))?;
    let info = BranchInfo::from(&facts.state(&[]));
    let mode = entry::decide_from_facts(checkout.options.name.command(), &info, false);
    if !facts.has_commits || !matches!(mode, Ok(EntryMode::Strict)) {
        return Ok(());
    }
    let tree =
        Snapshot::take(&checkout.options.root).map_err(|error| PortError::Failed(error.to_string()))?;
    check_main(checkout, &facts, tree.is_clean_except(&checkout.options.own))
}

/// Branch info from the caller, which is trusted if it is complete; otherwise a warning.
fn trusted_branch_info(checkout: &RunCheckout) -> (Option<BranchInfo>, Vec<String>) {
    match checkout.options.branch_info.as_deref().map(BranchInfo::parse) {
        None => (None, Vec::new()),
        Some(Some(info)) => (Some(info), Vec::new()),
        Some(None) => (None, vec![texts::BRANCH_INFO_INCOMPLETE.to_owned()]),
    }
}

/// True if any branch has a commit; for trusted branch info, where no facts are read.
fn has_commits(checkout: &RunCheckout) -> bool {
    checkout.git().find(&["for-each-ref", "--count=1", "--format=x", "refs/heads"]).is_some()
}
