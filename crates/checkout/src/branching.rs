//! Creates the branch that a run works on and switches to it.

use crate::facts::BranchFacts;
use crate::interrupted::{self, blocking_locks};
use crate::mainline::Mainline;
use crate::run_checkout::RunCheckout;
use crate::tree::Snapshot;
use crate::{BranchOrder, BranchReport, PortError};
use charrette_git::CallError;
use charrette_model::branch::create::{CreateError, is_safe_ref};
use charrette_model::branch::name::branch_topic;
use charrette_model::branch::{BranchInfo, given_prefix, unused_branch_name};
use charrette_model::escape::{printable, printable_lines};
use charrette_model::gate::texts;
use std::path::Path;

/// Creates the branch and switches to it, or stays on the current one.
pub(crate) fn branch(checkout: &RunCheckout, order: &BranchOrder) -> Result<BranchReport, PortError> {
    if !checkout.options.in_repository {
        return Ok(BranchReport::default());
    }
    let facts = checkout.facts().map_err(|error| PortError::Failed(error.to_string()))?;
    if !order.create || !facts.has_commits {
        return Ok(stay(checkout, &facts, order));
    }
    let taken_back = interrupted::take_back(checkout)?;
    let report = match checkout.recorded_branch() {
        Some(made) if facts.branches.contains(&made) && other_worktree_on(checkout, &made).is_none() => {
            reuse(checkout, &facts, made)
        }
        // A run in another worktree took the name between our record of it and its creation.
        _ => create(checkout, &facts),
    };
    report.map(|mut report| {
        report.warnings.extend(taken_back);
        report
    })
}

/// Folder of another worktree of this repository that is on a branch.
fn other_worktree_on(checkout: &RunCheckout, branch: &str) -> Option<String> {
    let listed = checkout.git().find(&["worktree", "list", "--porcelain", "-z"])?;
    let here = checkout.options.root.canonicalize().ok()?;
    let wanted = format!("branch refs/heads/{branch}");
    listed.split("\0\0").find_map(|entry| {
        let mut lines = entry.split('\0');
        let folder = lines.next()?.strip_prefix("worktree ")?;
        let is_here = Path::new(folder).canonicalize().is_ok_and(|folder| folder == here);
        (!is_here && lines.any(|line| line == wanted)).then(|| folder.to_owned())
    })
}

fn stay(checkout: &RunCheckout, facts: &BranchFacts, order: &BranchOrder) -> BranchReport {
    // A branch that the caller vouches for with --branch-info is not compared.
    let has_changed = checkout.options.branch_info.is_none() && order.from != facts.current;
    let warnings = has_changed.then(|| texts::branch_changed(&order.from, &facts.current));
    BranchReport { name: facts.current.clone(), created: false, warnings: warnings.into_iter().collect() }
}

/// Switches to the branch that an interrupted attempt created before it could record the step.
fn reuse(checkout: &RunCheckout, facts: &BranchFacts, made: String) -> Result<BranchReport, PortError> {
    if facts.current != made {
        if !is_safe_ref(&made) {
            return Err(PortError::Failed(CreateError::NotAName(made).to_string()));
        }
        let main = Mainline::new(&checkout.options.root, facts);
        let moving = main.ok().and_then(|main| main.move_to(&format!("refs/heads/{made}")).ok());
        // Where nothing can be recorded, a run is not resumable anyway, and it is said elsewhere.
        let _ = checkout.note_branch(&made, moving.filter(|moving| moving.from != moving.to).as_ref());
        let switched = checkout.git().act(&["switch", "--quiet", "--no-guess", &made]);
        switched.map_err(|error| {
            interrupted::forget_ended(checkout, &error);
            switch_refusal(checkout, &made, &error.reason())
        })?;
    }
    Ok(BranchReport { name: made, created: true, warnings: Vec::new() })
}

fn create(checkout: &RunCheckout, facts: &BranchFacts) -> Result<BranchReport, PortError> {
    let failed = |error: CreateError| PortError::Failed(error.to_string());
    let mut warnings = Vec::new();
    let main = Mainline::new(&checkout.options.root, facts).map_err(failed)?;
    let had_fetched = checkout.has_fetched();
    match checkout.options.settings.fetch() {
        "off" => {}
        policy => match checkout.fetch(main) {
            Ok(()) => {}
            Err(CallError::Cancelled) => return Err(PortError::Interrupted),
            Err(reason) if policy == "fail" => {
                let error = CreateError::Fetch(facts.main.clone());
                return Err(PortError::Refused(format!("{error}: {}", printable(&reason.to_string()))));
            }
            // The warning was given when the run entered.
            Err(_) if had_fetched => {}
            Err(reason) => warnings.push(texts::may_be_behind(&facts.main, &reason.to_string())),
        },
    }
    let Some(start) = main.start_point() else {
        return Err(PortError::Failed(format!("there is no commit on {}", printable(&facts.main))));
    };
    if let Some(commits) = main.unpublished_commits() {
        warnings.push(texts::left_on_main(&facts.main, &commits));
    }
    let name = create_free(checkout, facts, main, &start, &mut warnings)?;
    if checkout.has_moved_submodules() {
        warnings.push(texts::SUBMODULES_MOVED.to_owned());
    }
    Ok(BranchReport { name, created: true, warnings })
}

/// Number of names that are tried where runs in other worktrees take them at the same moment.
const NAME_ATTEMPTS: usize = 5;

/// Creates a branch with an unused name and switches to it. A run in another worktree may take the name first; the next
/// one is tried then.
fn create_free(
    checkout: &RunCheckout,
    facts: &BranchFacts,
    main: Mainline<'_>,
    start: &str,
    warnings: &mut Vec<String>,
) -> Result<String, PortError> {
    let mut facts = facts.clone();
    let mut attempts = 0;
    loop {
        attempts += 1;
        let name = free_name(checkout, &facts);
        if !is_safe_ref(&name) {
            return Err(PortError::Failed(CreateError::NotAName(name).to_string()));
        }
        // Recorded before it is created: after a crash, the branch is known to belong to this run.
        let moving = main.move_to(start).ok().filter(|moving| moving.from != moving.to);
        if let Err(error) = checkout.note_branch(&name, moving.as_ref()) {
            warnings.push(format!("**⚠ Cannot record the new branch in the run's document: {error}**"));
        }
        let Err(error) = main.create_branch(&name, start) else { return Ok(name) };
        let reason = error.reason();
        if attempts == NAME_ATTEMPTS || !reason.contains("already exists") {
            interrupted::forget_ended(checkout, &error);
            return Err(switch_refusal(checkout, &name, &reason));
        }
        facts = checkout.facts().map_err(|error| PortError::Failed(error.to_string()))?;
    }
}

/// Unused branch name for the feature: no branch or branch folder, local or on the remote, has it.
fn free_name(checkout: &RunCheckout, facts: &BranchFacts) -> String {
    let vouched = checkout.options.branch_info.as_deref().and_then(BranchInfo::parse);
    let prefix = vouched.map_or_else(|| facts.user_prefix.clone(), |info| given_prefix(&info.user_prefix));
    let listed =
        checkout.git().find(&["for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/origin"]);
    let listed = listed.unwrap_or_default();
    let is_taken = |name: &str| {
        let folder = format!("{name}/");
        let all = facts.branches.iter().map(String::as_str).chain(listed.lines());
        all.into_iter().any(|branch| branch == name || branch.starts_with(&folder))
    };
    unused_branch_name(&prefix, &branch_topic(checkout.feature()), is_taken)
}

/// Refusal for a switch that failed: a guard if the tree is dirty, otherwise a failure, with git's reason.
fn switch_refusal(checkout: &RunCheckout, name: &str, reason: &str) -> PortError {
    let is_dirty =
        Snapshot::take(&checkout.options.root).is_ok_and(|tree| !tree.is_clean_except(&checkout.options.own));
    let mut message = format!("cannot switch to branch '{}': {}", printable(name), printable_lines(reason));
    if let Some(folder) = other_worktree_on(checkout, name) {
        let folder = printable(&folder);
        let hint = "continue there, or give this run a name of its own with --name.";
        message.extend(["\nThe worktree ", &folder.to_string(), " is on it: ", hint]);
    }
    // A lock is in the way of a commit and a stash, too.
    if is_dirty && blocking_locks(&checkout.options.root).is_empty() {
        let cure = "Commit or stash your changes first; nothing was lost.";
        PortError::Refused(format!("{message}\n{cure}\n{}", texts::THEN_RESUME))
    } else {
        PortError::Failed(message)
    }
}
