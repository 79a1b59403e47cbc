//! Plan review: four reviewers, one merged list of findings, three voters, and a plan revised by the vote.

use super::calls::{Panel, step_id};
use super::chief::Chief;
use super::grammar;
use super::labels::{Review, ReviewLabels, seat_label};
use super::quotes::cited_lines;
use super::seat_outcome::{SeatOutcome, ask_seat};
use crate::agent::AgentCall;
use crate::artifact::{Artifact, Input};
use crate::run::PhaseHandle;
use crate::stage::StageHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::{FlowResult, Stop};
use charrette_model::panel::accounting::{NumberedReview, unaccounted_findings};
use charrette_model::panel::ballot::findings_ballot;
use charrette_model::panel::debate::STATUS_OK;
use charrette_model::panel::file_names::{
    ACCEPTED, BALLOT, FINDINGS, OUT_OF_SCOPE, OUT_OF_SCOPE_ACCEPTED, PLAN_REVIEWED, REJECTED, RESOLUTIONS,
    REVIEWERS, TALLY, UNDECIDED,
};
use charrette_model::panel::resolutions::read_resolutions;
use charrette_model::panel::review_files::{UndecidedPolicy, write_review_files};
use charrette_model::panel::review_items::read_review_items;
use charrette_model::panel::texts;
use charrette_model::panel::votes::{ItemOutcome, Proposal, Voter, VotesRequest, tally_votes};
use charrette_model::seats::SeatGroup;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    let labels = write_labels(phase, &reviews).await?;
    let numbered = number_findings(phase, &reviews, &labels).await?;
    let voters = if numbered.iter().all(|review| review.numbers.is_empty()) {
        Vec::new()
    } else {
        phase.agent(merger_call(panel, &reviews, &labels, numbered)?).await?;
        ask_voters(phase, &stage, panel).await?
    };
    let tally = tally(phase, &voters, unattended).await?;
    for warning in &tally.warnings {
        phase.warn(warning);
    }
    stage.show_document("Voting Tally and Reviewer Competition Scoreboard", TALLY);
    if !tally.outcomes.is_empty() {
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

/// Writes the file of reviewer labels.
async fn write_labels(phase: &PhaseHandle<'_>, reviews: &[SeatOutcome]) -> FlowResult<ReviewLabels> {
    let written = reviews.iter().filter_map(|review| {
        let (agent, file) = (review.outcome.agent.as_deref()?, review.file()?);
        Some(Review { seat: review.seat, agent, file })
    });
    let labels = ReviewLabels::new(&written.collect::<Vec<_>>());
    let text = labels.text();
    let step = Step::new("review/labels").reads(&Input::given("reviewers", &text));
    phase.step(step, move |context| async move { context.write(REVIEWERS, text) }).await?;
    Ok(labels)
}

/// Numbers of the findings of each reviewer.
async fn number_findings(
    phase: &PhaseHandle<'_>,
    reviews: &[SeatOutcome],
    labels: &ReviewLabels,
) -> FlowResult<Vec<NumberedReview>> {
    let mut step = Step::new("review/numbered").reads(REVIEWERS);
    for review in reviews {
        step = step.reads(&review.inputs());
    }
    let labels = labels.0.clone();
    phase
        .step(step, move |context| async move {
            let numbered =
                labels.iter().map(|(file, label)| Ok(NumberedReview::read(label, &context.text(file)?)));
            numbered.collect::<Result<Vec<NumberedReview>, StepError>>()
        })
        .await
}

/// Call of the merger. Its list must account for every finding of every reviewer.
fn merger_call(
    panel: &Panel,
    reviews: &[SeatOutcome],
    labels: &ReviewLabels,
    numbered: Vec<NumberedReview>,
) -> FlowResult<AgentCall> {
    let named: Vec<String> = labels.0.iter().map(|(file, label)| format!("{file} is by {label}")).collect();
    let assignment = panel.seat("merger")?.note(format!("The reviews: {}.", named.join("; ")));
    let (seat, words) = (assignment.seat(), panel.summary_words());
    let mut call = assignment.call()?.reads(REVIEWERS).grammar_with(move |answer, inputs| {
        let files = grammar::parse_answer(seat, answer, words, inputs)?;
        match unaccounted_findings(&read_review_items(answer).0, &numbered).as_slice() {
            [] => Ok(files),
            problems => Err(problems.join("; ")),
        }
    });
    for review in reviews.iter().filter(|review| review.file().is_some()) {
        call = call.reads(&review.inputs());
    }
    Ok(call)
}

async fn ask_voters(
    phase: &PhaseHandle<'_>,
    stage: &StageHandle<'_>,
    panel: &Panel,
) -> FlowResult<Vec<SeatOutcome>> {
    let step = Step::new("review/ballot").reads(FINDINGS).reads(&Input::optional(RESOLUTIONS));
    let quotes = cited_lines(phase);
    phase
        .step(step, move |context| async move {
            let items = read_review_items(&context.text(FINDINGS)?).0;
            let resolutions = read_resolutions(&context.optional_text(RESOLUTIONS)?.unwrap_or_default()).0;
            context.write(BALLOT, findings_ballot(&items, &resolutions, &*quotes))
        })
        .await?;
    // The slowest agents are launched first.
    let mut voters = panel.group(SeatGroup::Voters);
    voters.reverse();
    stage.show_lanes("Voters", voters.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let named = voters.into_iter().map(|seat| (seat.id, seat));
    phase.parallel("voters", named, |seat| ask_seat(phase, panel, seat)).await
}

/// Recorded result of the step that counts the votes.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ReviewTally {
    accepted: usize,
    outcomes: BTreeMap<String, usize>,
    warnings: Vec<String>,
}

impl ReviewTally {
    fn summary(&self) -> String {
        if self.outcomes.is_empty() {
            return "no findings".to_owned();
        }
        let counts = self.outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}"));
        counts.collect::<Vec<_>>().join(", ")
    }
}

/// A voter, who sat there, and its vote file. Recorded: field names are a stored format.
#[derive(Debug, Clone, Serialize)]
struct VoterSeat {
    label: String,
    agent: String,
    vendor: String,
    file: Option<String>,
}

/// Counts the votes and writes the files of the review; without findings as well.
async fn tally(phase: &PhaseHandle<'_>, voters: &[SeatOutcome], unattended: bool) -> FlowResult<ReviewTally> {
    // Recorded input name: do not rename.
    let mut step = Step::new("review/tally").reads(&Input::given("nobody-to-ask", &unattended));
    if !voters.is_empty() {
        step = step.reads(FINDINGS);
    }
    let seats: Vec<VoterSeat> = voters
        .iter()
        .map(|voter| {
            let agent = voter.outcome.agent.clone().unwrap_or_default();
            let vendor = phase.vendor(&agent);
            VoterSeat { label: seat_label(voter.seat), agent, vendor, file: voter.file_name() }
        })
        .collect();
    step = step.reads(&Input::given("voter-seats", &seats));
    for voter in voters {
        step = step.reads(&voter.inputs());
    }
    let undecided = if unattended { UndecidedPolicy::Reject } else { UndecidedPolicy::Discuss };
    phase.step(step, move |context| async move { count_votes(&context, seats, undecided) }).await
}

fn count_votes(
    context: &StepContext,
    seats: Vec<VoterSeat>,
    undecided: UndecidedPolicy,
) -> Result<ReviewTally, StepError> {
    let items = if seats.is_empty() { Vec::new() } else { read_review_items(&context.text(FINDINGS)?).0 };
    let mut voters = Vec::new();
    for VoterSeat { label, agent, vendor, file } in seats {
        let (status, text) = match file {
            Some(file) => (STATUS_OK, context.text(&file)?),
            None => ("NO_ANSWER", String::new()),
        };
        voters.push(Voter { name: label, agent, vendor, status: status.to_owned(), text });
    }
    let tally = tally_votes(&VotesRequest { items: items.iter().map(Proposal::from).collect(), voters });
    let files = write_review_files(&items, &tally, undecided);
    context.write(TALLY, &files.voting_tally)?;
    context.write(ACCEPTED, &files.accepted)?;
    context.write(UNDECIDED, &files.undecided)?;
    context.write(REJECTED, &files.rejected)?;
    context.write(OUT_OF_SCOPE, &files.oos)?;
    context.write(OUT_OF_SCOPE_ACCEPTED, &files.oos_accepted)?;
    let is_accepted = |outcome: ItemOutcome| outcome == ItemOutcome::Accepted;
    let in_scope =
        tally.items.iter().filter(|item| item.id.kind == charrette_model::panel::ids::ItemKind::Finding);
    let accepted = in_scope.filter(|item| is_accepted(item.outcome)).count();
    // The names of the variants are on record.
    let mut outcomes = BTreeMap::new();
    for item in &tally.items {
        let name = format!("{:?}", item.outcome).to_lowercase();
        *outcomes.entry(name).or_default() += 1;
    }
    Ok(ReviewTally { accepted, outcomes, warnings: tally.warnings })
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
