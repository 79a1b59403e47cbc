//! An attempt at a task: rounds of work in its worktree, from the newest integrated commit, until the change is accepted
//! or a person must decide.

use super::brief::{Brief, write_brief};
use super::checks::set_up;
use super::rounds::{RoundEnd, play_round};
use super::seats::{CONFLICT_FIXER, IMPLEMENTER};
use super::state::{AcceptedWork, IntegratedTask, ParkedTask, RoundRecord};
use super::work::{Work, step_error};
use crate::artifact::Input;
use crate::ports::worktrees::{ObjectId, Worktree, WorktreeOrder};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::FlowResult;
use charrette_model::implement::ImplementTask;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One attempt at a task.
pub(super) struct Attempt<'a> {
    pub(super) phase: &'a PhaseHandle<'a>,
    pub(super) work: &'a Work,
    pub(super) task: &'a ImplementTask,
    /// From 1.
    pub(super) number: usize,
    pub(super) cause: Cause,
    /// Results of the tasks it depends on.
    pub(super) before: Vec<IntegratedTask>,
}

/// Why an attempt is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Cause {
    /// The first one.
    First,
    /// A person wants another one, with a hint; it goes on from what the last one left.
    Retry { hint: String, base: ObjectId, content: ObjectId, evidence: Option<String> },
    /// A person has done it in the worktree.
    Hand { base: ObjectId },
    /// The change did not fit with what others had integrated: it goes on from the newest commit, `base`, with the
    /// change merged into it as far as it fits.
    Reopened { seat: ReopenSeat, base: ObjectId, content: ObjectId, evidence: String },
}

/// Seat that mends a change that did not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ReopenSeat {
    ConflictFixer,
    Implementer,
}

/// How an attempt ended.
pub(super) enum AttemptEnd {
    Accepted(AcceptedWork),
    Parked(ParkedTask),
}

/// Outcome of an attempt with its rounds.
pub(super) struct AttemptOutcome {
    pub(super) end: AttemptEnd,
    pub(super) rounds: Vec<RoundRecord>,
}

/// Where the work of an attempt takes place.
pub(super) struct Workplace {
    /// Commit that the change is compared with.
    pub(super) base: ObjectId,
    /// Folder of the worktree.
    pub(super) folder: String,
    pub(super) brief: Brief,
    /// True while the worktree is as this process has just made it.
    pub(super) is_untouched: Arc<AtomicBool>,
}

impl Attempt<'_> {
    /// Id of a step.
    pub(super) fn id(&self, step: &str) -> String {
        format!("{}/{step}", self.name())
    }

    /// Name of a file of this attempt.
    pub(super) fn file(&self, name: &str) -> String {
        format!("tasks/{}/{name}", self.name())
    }

    /// Name of the attempt: `T001`, `T001-2`.
    pub(super) fn name(&self) -> String {
        match self.number {
            1 => self.task.id.clone(),
            number => format!("{}-{number}", self.task.id),
        }
    }

    /// Seat that works in this attempt.
    pub(super) fn seat(&self) -> &'static str {
        match &self.cause {
            Cause::Reopened { seat: ReopenSeat::ConflictFixer, .. } => CONFLICT_FIXER,
            _ => IMPLEMENTER,
        }
    }

    /// Inputs of all steps of the attempt: what its result depends on.
    pub(super) fn inputs(&self) -> [Input; 3] {
        let results: Vec<(&str, &Option<ObjectId>)> =
            self.before.iter().map(|task| (task.id.as_str(), &task.commit)).collect();
        [
            Input::given("demand", &self.work.specification.demand(self.task)),
            Input::given("prerequisites", &results),
            Input::given("cause", &self.cause),
        ]
    }

    /// True if a person did the work.
    pub(super) fn is_by_hand(&self) -> bool {
        matches!(self.cause, Cause::Hand { .. })
    }

    /// Order for the worktree of the task, with this content.
    pub(super) fn worktree_order(&self, content: &ObjectId) -> WorktreeOrder {
        WorktreeOrder {
            run: self.work.run.clone(),
            name: self.task.id.clone(),
            content: content.clone(),
            overlay: None,
            reset: true,
            includes: true,
        }
    }
}

/// Makes an attempt at a task.
pub(super) async fn make_attempt(attempt: Attempt<'_>) -> FlowResult<AttemptOutcome> {
    let place = open_workplace(&attempt).await?;
    let mut rounds: Vec<RoundRecord> = Vec::new();
    let mut memory = super::rounds::Memory::new(&attempt, &place);
    loop {
        let played = play_round(&attempt, &place, &memory).await?;
        rounds.push(played.record.clone());
        match memory.next(&attempt, played).await? {
            RoundEnd::Accepted(accepted) => {
                return Ok(AttemptOutcome { end: AttemptEnd::Accepted(*accepted), rounds });
            }
            RoundEnd::Parked(parked) => {
                return Ok(AttemptOutcome { end: AttemptEnd::Parked(*parked), rounds });
            }
            RoundEnd::Again => {}
        }
    }
}

/// Prepares the worktree of a task and its brief.
pub(super) async fn open_workplace(attempt: &Attempt<'_>) -> FlowResult<Workplace> {
    let base = match &attempt.cause {
        Cause::Hand { base } | Cause::Retry { base, .. } | Cause::Reopened { base, .. } => base.clone(),
        Cause::First => newest_commit(attempt).await?,
    };
    let content = match &attempt.cause {
        Cause::Retry { content, .. } | Cause::Reopened { content, .. } => content.clone(),
        _ => base.clone(),
    };
    let brief = write_brief(attempt, &attempt.before).await?;
    let order = WorktreeOrder { reset: !attempt.is_by_hand(), ..attempt.worktree_order(&content) };
    let step =
        Step::new(attempt.id("worktree")).reads(&attempt.inputs()).reads(&Input::given("content", &content));
    let (work, name) = (attempt.work.clone(), attempt.task.id.clone());
    let is_untouched = Arc::new(AtomicBool::new(false));
    let made = is_untouched.clone();
    let worktree: Worktree = attempt
        .phase
        .step(step, move |_| async move {
            let worktree = work.worktrees.prepare(order).await.map_err(step_error)?;
            // Packages are installed by a program, which may leave anything.
            made.store(worktree.is_new && work.verify.setup.is_none(), Ordering::SeqCst);
            set_up(&work, &name, &worktree).await?;
            Ok(worktree)
        })
        .await?;
    Ok(Workplace { base, folder: worktree.path, brief, is_untouched })
}

/// The newest integrated commit, when the attempt begins.
async fn newest_commit(attempt: &Attempt<'_>) -> FlowResult<ObjectId> {
    let step = Step::new(attempt.id("base")).reads(&attempt.inputs());
    let (worktrees, run) = (attempt.work.worktrees.clone(), attempt.work.run.clone());
    attempt.phase.step(step, move |_| async move { worktrees.tip(run).await.map_err(step_error) }).await
}
