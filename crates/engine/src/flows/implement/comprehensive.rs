//! Review of the whole change by two reviewers, of different vendors where two are installed. Their findings are merged and
//! voted on as those on a plan are; what is accepted is repaired.

use super::artifacts::SPEC_TASKS;
use super::seats::CHANGE_MERGER;
use super::validation::REVIEWED_FILES;
use super::work::{Work, step_error};
use crate::agent::AgentCall;
use crate::artifact::Input;
use crate::panel::{SeatOutcome, VoteRules, VotedFinding, seat_call, step_id, vote_on_findings};
use crate::ports::worktrees::{ObjectId, Worktree, WorktreeOrder, Worktrees};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::FlowResult;
use charrette_model::implement::follow_ups::FollowUp;
use charrette_model::seats::Seat;
use charrette_model::spec::approval::approved_text;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Mutex;

/// Worktree in which the whole is read.
const REVIEWED: &str = "reviewed";

/// Findings on the whole change, as they were voted on.
#[derive(Debug, Clone, Default)]
pub(super) struct ReviewedFindings {
    /// Titles of the findings that are to be repaired.
    pub(super) accepted: Vec<String>,
    /// Findings that are not: title and votes.
    pub(super) rejected: Vec<String>,
    /// Accepted findings that are out of scope.
    pub(super) out_of_scope: Vec<FollowUp>,
    /// Agents that reviewed.
    pub(super) reviewers: Vec<String>,
}

/// Has the whole change reviewed.
pub(super) async fn review_whole(
    phase: &PhaseHandle<'_>,
    work: &Work,
    tip: &ObjectId,
) -> FlowResult<ReviewedFindings> {
    let stage = phase.stage("4");
    if work.flags.no_review {
        stage.skip("--no-review");
        return Ok(ReviewedFindings::default());
    }
    let place = ReadingPlace::open(phase, work, tip).await?;
    let seats: Vec<&'static Seat> =
        super::seats::SEATS.iter().filter(|seat| seat.role == "comprehensive-reviewer").collect();
    stage.show_lanes("Reviewers", seats.iter().map(|seat| (step_id(seat), crate::panel::seat_label(seat))));
    let named = seats.iter().map(|seat| (seat.id, *seat));
    // The ticks of the run itself are no change.
    let tasks: String = work.plan().tasks.iter().map(|task| task.text.clone() + "\n").collect();
    let tasks = approved_text("", "", &tasks);
    let reviews = phase
        .parallel("comprehensive", named, |seat| {
            let (place, tasks) = (&place, &tasks);
            async move {
                let call = place.read_in(seat_call(&work.panel, seat.id, "")?);
                let call = call.without(SPEC_TASKS).shows(SPEC_TASKS, tasks);
                let call = call.reads(&Input::given("tip", tip)).reads(&Input::given("tasks", tasks));
                let mut call = call.may_fail();
                for file in REVIEWED_FILES {
                    call = call.reads(&Input::optional(file));
                }
                Ok(SeatOutcome { seat, outcome: phase.agent_outcome(call).await? })
            }
        })
        .await?;
    let reviewers: Vec<String> = reviews.iter().filter_map(|review| review.outcome.agent.clone()).collect();
    if reviewers.is_empty() {
        stage.warn("no reviewer of the whole answered");
        return Ok(ReviewedFindings::default());
    }
    let in_tree = |call: AgentCall| place.read_in(call);
    let rules = VoteRules { merger: CHANGE_MERGER, unattended: true, tree: Some(&in_tree) };
    let tally = vote_on_findings(phase, &stage, &work.panel, &reviews, rules).await?;
    if !tally.outcomes.is_empty() {
        stage.report_votes("findings on the whole change", tally.outcomes.clone());
    }
    stage.finish(tally.summary());
    Ok(sort_findings(tally.items, reviewers))
}

/// Sorts the findings by what becomes of them.
fn sort_findings(items: Vec<VotedFinding>, reviewers: Vec<String>) -> ReviewedFindings {
    let mut sorted = ReviewedFindings { reviewers, ..ReviewedFindings::default() };
    for item in items {
        match (item.out_of_scope, item.accepted) {
            (true, true) => sorted.out_of_scope.push(FollowUp {
                severity: item.severity,
                ..FollowUp::new(&item.title, &item.concern, &item.revision)
            }),
            (false, true) => sorted.accepted.push(item.title),
            (_, false) => sorted.rejected.push(format!("{} ({})", item.title, item.votes)),
        }
    }
    sorted
}

/// Worktree in which the whole is read. It is made again for a call if somebody removed it.
struct ReadingPlace {
    folder: String,
    order: WorktreeOrder,
    worktrees: Arc<dyn Worktrees>,
    /// Held while the worktree is prepared: several seats read in it at the same time.
    preparing: Arc<Mutex<()>>,
}

impl ReadingPlace {
    async fn open(phase: &PhaseHandle<'_>, work: &Work, tip: &ObjectId) -> FlowResult<ReadingPlace> {
        let order = WorktreeOrder {
            run: work.run.clone(),
            name: REVIEWED.to_owned(),
            content: tip.clone(),
            overlay: None,
            reset: true,
            includes: false,
        };
        let step = Step::new("reviewed/worktree").reads(&Input::given("tip", tip));
        let (worktrees, first) = (work.worktrees.clone(), order.clone());
        let made: Worktree = phase
            .step(step, move |_| async move { worktrees.prepare(first).await.map_err(step_error) })
            .await?;
        Ok(ReadingPlace {
            folder: made.path,
            order: WorktreeOrder { reset: false, ..order },
            worktrees: work.worktrees.clone(),
            preparing: Arc::default(),
        })
    }

    /// Lets a seat read here.
    fn read_in(&self, call: AgentCall) -> AgentCall {
        let (order, worktrees) = (self.order.clone(), self.worktrees.clone());
        let preparing = self.preparing.clone();
        call.reading_worktree(Path::new(&self.folder)).prepare_with(move || {
            let (order, worktrees, preparing) = (order.clone(), worktrees.clone(), preparing.clone());
            Box::pin(async move {
                let _alone = preparing.lock().await;
                let made = worktrees.prepare(order).await.map_err(step_error);
                made.map(drop).map_err(|error| format!("its worktree cannot be prepared: {error}"))
            })
        })
    }
}
