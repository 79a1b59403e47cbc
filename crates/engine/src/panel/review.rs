//! Plan review: four reviewers, one merged list of findings, three voters, and a plan revised by the vote.

use super::calls::{Panel, step_id};
use super::chief::Chief;
use super::finding_votes::{ReviewTally, VoteRules, vote_on_findings};
use super::labels::seat_label;
use super::seat_outcome::{SeatOutcome, ask_seat};
use crate::artifact::Artifact;
use crate::run::PhaseHandle;
use crate::stage::StageHandle;
use crate::step::Step;
use crate::stop::{FlowResult, Stop};
use charrette_model::panel::file_names::{ACCEPTED, OUT_OF_SCOPE_ACCEPTED, PLAN_REVIEWED, REJECTED};
use charrette_model::panel::texts;
use charrette_model::seats::SeatGroup;

/// Result of a plan review.
#[derive(Debug, Clone)]
pub struct ReviewOutcome {
    /// The plan after the vote.
    pub plan: Artifact,
    /// Findings that were not adopted.
    pub rejected: Artifact,
    /// Findings that were accepted although they are out of scope.
    pub accepted_out_of_scope: Artifact,
}

/// Has the plan reviewed, the findings voted on, and the plan revised. Findings without a quorum are left to the
/// person; if the run is `unattended`, they are not adopted.
pub async fn review(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    chief: &Chief,
    draft: &Artifact,
    unattended: bool,
) -> FlowResult<ReviewOutcome> {
    let stage = phase.stage("3");
    let reviews = ask_reviewers(phase, &stage, panel).await?;
    let rules = VoteRules { merger: "merger", unattended, tree: None };
    let tally = vote_on_findings(phase, &stage, panel, &reviews, rules).await?;
    let undecided = tally.outcomes.get("undecided").copied().unwrap_or_default();
    if tally.outcomes.values().sum::<usize>() > undecided {
        stage.report_votes("plan review findings", tally.outcomes.clone());
    }
    let plan = revise(phase, &stage, (panel, chief), draft, &tally).await?;
    stage.finish(format!("tally saved, {}", tally.summary()));
    Ok(ReviewOutcome {
        plan,
        rejected: Artifact::fixed(REJECTED),
        accepted_out_of_scope: Artifact::fixed(OUT_OF_SCOPE_ACCEPTED),
    })
}

/// Asks all reviewers in parallel. Some may fail; if all do, the review fails.
async fn ask_reviewers(
    phase: &PhaseHandle<'_>,
    stage: &StageHandle<'_>,
    panel: &Panel,
) -> FlowResult<Vec<SeatOutcome>> {
    let reviewers = panel.group(SeatGroup::Reviewers);
    stage.show_lanes("Reviewers", reviewers.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let named = reviewers.into_iter().map(|seat| (seat.id, seat));
    let reviews = phase.parallel("reviewers", named, |seat| ask_seat(phase, panel, seat)).await?;
    if reviews.iter().all(|review| review.outcome.agent.is_none()) {
        let problems: Vec<&str> =
            reviews.iter().filter_map(|review| review.outcome.problem.as_deref()).collect();
        return Err(Stop::Failed(format!(
            "no reviewer answered, so the plan is not reviewed: {}",
            problems.join("; ")
        )));
    }
    Ok(reviews)
}

/// Revises the plan by the accepted findings; without any, the draft is the plan.
async fn revise(
    phase: &PhaseHandle<'_>,
    stage: &StageHandle<'_>,
    (panel, chief): (&Panel, &Chief),
    draft: &Artifact,
    tally: &ReviewTally,
) -> FlowResult<Artifact> {
    if tally.accepted > 0 {
        stage.show_document(heading_text(texts::VOTED_IN), ACCEPTED);
        let plan = chief.revise(phase, panel).await?;
        stage.show_document("Revised Implementation Plan", plan.name());
        return Ok(plan);
    }
    if !tally.outcomes.is_empty() {
        stage.print_line(texts::ALL_REJECTED);
    }
    let (step, name) = (Step::new("plan/as-drafted").reads(draft), draft.name().to_owned());
    phase.make(Artifact::fixed(PLAN_REVIEWED), step, |context| async move { context.text(&name) }).await
}

fn heading_text(line: &'static str) -> &'static str {
    line.trim_start_matches(['#', ' '])
}
