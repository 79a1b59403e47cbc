//! The repair round: the fixer mends what the review of the whole accepted and what is red, in a worktree of its own. Its
//! work lands only if everything is green afterwards.

use super::artifacts::{ACCEPTED, FINAL_VERIFICATION, REPAIR_CHECKS};
use super::change::{ChangeRecord, capture, judge};
use super::checks::{CheckResult, set_up};
use super::comprehensive::ReviewedFindings;
use super::integration::advance_ref;
use super::messages::run_message;
use super::seats::FIXER;
use super::validation::{red_results, verify_all};
use super::work::{Work, step_error};
use crate::artifact::{Artifact, Input};
use crate::panel::seat_call;
use crate::ports::worktrees::{Advance, CommitOrder, ObjectId, Worktree, WorktreeOrder};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::FlowResult;
use charrette_model::implement::{FileScope, ImplementTask};
use std::path::Path;

/// Worktree of the fixer.
const NAME: &str = "repair";

/// Outcome of the repair round.
#[derive(Debug, Clone, Default)]
pub(super) struct Repair {
    /// The commit that landed.
    pub(super) commit: Option<ObjectId>,
    /// Results of the verify commands on it.
    pub(super) results: Option<Vec<CheckResult>>,
    /// What is still wrong, one line each.
    pub(super) problems: Vec<String>,
}

/// Repairs what was found, once.
pub(super) async fn repair(
    phase: &PhaseHandle<'_>,
    work: &Work,
    tip: &ObjectId,
    findings: &ReviewedFindings,
    red: &[String],
) -> FlowResult<Repair> {
    let stage = phase.stage("5");
    if findings.accepted.is_empty() && red.is_empty() {
        stage.skip("nothing to repair");
        return Ok(Repair::default());
    }
    let wrong = || red.iter().chain(&findings.accepted).cloned().collect::<Vec<String>>();
    let worktree = open_worktree(phase, work, tip).await?;
    let order = worktree_order(work, tip);
    let (again, worktrees) = (order.clone(), work.worktrees.clone());
    let call = seat_call(&work.panel, FIXER, &format!("To be repaired: {}.", wrong().join("; ")))?
        .reads(&Input::optional(ACCEPTED))
        .reads(&Input::optional(FINAL_VERIFICATION))
        .reads(&Input::given("tip", tip))
        .in_worktree(Path::new(&worktree.path))
        .may_fail()
        .prepare_with(move || {
            let (order, worktrees) = (again.clone(), worktrees.clone());
            Box::pin(async move {
                let made = worktrees.prepare(order).await.map_err(step_error);
                made.map(drop).map_err(|error| format!("its worktree cannot be prepared: {error}"))
            })
        });
    let outcome = phase.agent_outcome(call).await?;
    if outcome.agent.is_none() {
        stage.warn("no agent repaired what was found");
        return Ok(Repair { problems: wrong(), ..Repair::default() });
    }
    let change = capture_repair(phase, work, tip, &outcome.artifacts.0).await?;
    let refused: Vec<String> = change
        .tampering
        .iter()
        .cloned()
        .chain(change.issues.iter().filter(|issue| issue.is_refusal).map(ToString::to_string))
        .collect();
    if change.files.is_empty() || !refused.is_empty() {
        stage.warn("the repair was not taken");
        return Ok(Repair { problems: wrong().into_iter().chain(refused).collect(), ..Repair::default() });
    }
    let results = verify_all(phase, work, &change.tree, "repair-verification", REPAIR_CHECKS).await?;
    let still_red = red_results(work, &results);
    if !still_red.is_empty() {
        stage.warn("the repair was not taken: it is red");
        return Ok(Repair { problems: wrong().into_iter().chain(still_red).collect(), ..Repair::default() });
    }
    let commit = commit_repair(phase, work, tip, &change, outcome.agent.as_deref()).await?;
    match advance_ref(phase, work, "repair/integrate", tip, &commit).await? {
        Advance::Moved => {
            stage.finish("repaired");
            Ok(Repair { commit: Some(commit), results: Some(results), problems: Vec::new() })
        }
        Advance::Elsewhere(_) => {
            stage.warn("the repair was not taken: the integration ref moved meanwhile");
            Ok(Repair { problems: wrong(), ..Repair::default() })
        }
    }
}

fn worktree_order(work: &Work, tip: &ObjectId) -> WorktreeOrder {
    WorktreeOrder {
        run: work.run.clone(),
        name: NAME.to_owned(),
        content: tip.clone(),
        overlay: None,
        reset: true,
        includes: true,
    }
}

async fn open_worktree(phase: &PhaseHandle<'_>, work: &Work, tip: &ObjectId) -> FlowResult<Worktree> {
    let step = Step::new("repair/worktree").reads(&Input::given("tip", tip));
    let (work, order) = (work.clone(), worktree_order(work, tip));
    phase
        .step(step, move |_| async move {
            let worktree = work.worktrees.prepare(order).await.map_err(step_error)?;
            set_up(&work, NAME, &worktree).await?;
            Ok(worktree)
        })
        .await
}

/// Captures the change of the fixer. It may touch the files of all tasks.
async fn capture_repair(
    phase: &PhaseHandle<'_>,
    work: &Work,
    tip: &ObjectId,
    answer: &[Artifact],
) -> FlowResult<ChangeRecord> {
    let patterns = work.plan().tasks.iter().flat_map(|task| task.files.patterns.clone()).collect();
    let is_unknown = work.plan().tasks.iter().any(|task| task.files.is_unknown);
    let task = ImplementTask {
        id: NAME.to_owned(),
        files: FileScope { patterns, is_unknown },
        ..ImplementTask::default()
    };
    let step = Step::new("repair/change").reads(&Input::given("tip", tip)).reads(answer);
    let (work, tip, diff) = (work.clone(), tip.clone(), "repair.patch".to_owned());
    phase
        .step(step, move |context| async move {
            let change = capture(&work, NAME, &tip).await?;
            context.write(&diff, &change.diff.text)?;
            judge(&work, &task, &tip, change, diff).await
        })
        .await
}

async fn commit_repair(
    phase: &PhaseHandle<'_>,
    work: &Work,
    tip: &ObjectId,
    change: &ChangeRecord,
    agent: Option<&str>,
) -> FlowResult<ObjectId> {
    let order = CommitOrder {
        run: work.run.clone(),
        name: NAME.to_owned(),
        tree: change.tree.clone(),
        parent: tip.clone(),
        message: run_message(&work.run, "fix", "findings of the review of the whole", agent),
    };
    let step = Step::new("repair/commit").reads(&Input::given("change", &(&change.tree, tip)));
    let worktrees = work.worktrees.clone();
    phase.step(step, move |_| async move { worktrees.commit(order).await.map_err(step_error) }).await
}
