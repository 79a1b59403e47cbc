//! Findings of reviewers: merged into one list, voted on, and counted. For the plan of a design and for the whole change of
//! an implementation.

use super::calls::{Panel, step_id};
use super::grammar;
use super::labels::{Review, ReviewLabels, seat_label};
use super::quotes::cited_lines;
use super::seat_outcome::SeatOutcome;
use crate::agent::AgentCall;
use crate::artifact::Input;
use crate::run::PhaseHandle;
use crate::stage::StageHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::FlowResult;
use charrette_model::panel::accounting::{NumberedReview, unaccounted_findings};
use charrette_model::panel::ballot::findings_ballot;
use charrette_model::panel::debate::STATUS_OK;
use charrette_model::panel::file_names::{
    ACCEPTED, BALLOT, FINDINGS, OUT_OF_SCOPE, OUT_OF_SCOPE_ACCEPTED, REJECTED, RESOLUTIONS, REVIEWERS, TALLY,
    UNDECIDED,
};
use charrette_model::panel::findings::FindingSeverity;
use charrette_model::panel::ids::ItemKind;
use charrette_model::panel::resolutions::read_resolutions;
use charrette_model::panel::review_files::{UndecidedPolicy, write_review_files};
use charrette_model::panel::review_items::{ReviewItem, read_review_items};
use charrette_model::panel::votes::{ItemOutcome, Proposal, Voter, VotesRequest, tally_votes};
use charrette_model::seats::SeatGroup;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How findings are merged and voted on.
#[derive(Clone, Copy)]
pub(crate) struct VoteRules<'a> {
    /// Seat that merges them.
    pub(crate) merger: &'static str,
    /// True if findings without a quorum are not adopted, instead of being left to a person.
    pub(crate) unattended: bool,
    /// Lets a seat read the tree that the findings are about, if it is not that of the checkout.
    pub(crate) tree: Option<&'a (dyn Fn(AgentCall) -> AgentCall + Sync)>,
}

impl VoteRules<'_> {
    /// Lets a seat read the tree that the findings are about.
    fn in_tree(&self, call: AgentCall) -> AgentCall {
        match self.tree {
            Some(in_tree) => in_tree(call.unverified()),
            None => call,
        }
    }
}

/// Merges the findings of the reviewers, has them voted on, and writes the files of the review; without findings as well.
pub(crate) async fn vote_on_findings(
    phase: &PhaseHandle<'_>,
    stage: &StageHandle<'_>,
    panel: &Panel,
    reviews: &[SeatOutcome],
    rules: VoteRules<'_>,
) -> FlowResult<ReviewTally> {
    let labels = write_labels(phase, reviews).await?;
    let numbered = number_findings(phase, reviews, &labels).await?;
    let voters = if numbered.iter().all(|review| review.numbers.is_empty()) {
        Vec::new()
    } else {
        phase.agent(merger_call(panel, reviews, &labels, numbered, rules)?).await?;
        ask_voters(phase, stage, panel, rules).await?
    };
    let tally = tally(phase, &voters, rules.unattended).await?;
    for warning in &tally.warnings {
        phase.warn(warning);
    }
    stage.show_document("Voting Tally and Reviewer Competition Scoreboard", TALLY);
    Ok(tally)
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
    rules: VoteRules<'_>,
) -> FlowResult<AgentCall> {
    let named: Vec<String> = labels.0.iter().map(|(file, label)| format!("{file} is by {label}")).collect();
    let assignment = panel.seat(rules.merger)?.note(format!("The reviews: {}.", named.join("; ")));
    let (seat, words) = (assignment.seat(), panel.summary_words());
    let call = rules.in_tree(assignment.call()?);
    let mut call = call.reads(REVIEWERS).grammar_with(move |answer, inputs| {
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
    rules: VoteRules<'_>,
) -> FlowResult<Vec<SeatOutcome>> {
    let step = Step::new("review/ballot").reads(FINDINGS).reads(&Input::optional(RESOLUTIONS));
    let quotes = match rules.tree {
        // The lines of the checkout are not those of the tree.
        Some(_) => Box::new(|_: &str| None),
        None => cited_lines(phase),
    };
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
    phase
        .parallel("voters", named, |seat| async move {
            let call = rules.in_tree(panel.assign(seat).call()?).may_fail();
            Ok(SeatOutcome { seat, outcome: phase.agent_outcome(call).await? })
        })
        .await
}

/// Recorded result of the step that counts the votes.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ReviewTally {
    pub(crate) accepted: usize,
    pub(crate) outcomes: BTreeMap<String, usize>,
    pub(super) warnings: Vec<String>,
    /// The findings with their outcomes. Absent in records of earlier versions.
    #[serde(default)]
    pub(crate) items: Vec<VotedFinding>,
}

/// A finding that was voted on. Recorded: field names are a stored format.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VotedFinding {
    pub(crate) title: String,
    pub(crate) concern: String,
    /// Absent in records of earlier versions, as is the revision.
    #[serde(default)]
    pub(crate) severity: Option<FindingSeverity>,
    #[serde(default)]
    pub(crate) revision: String,
    pub(crate) out_of_scope: bool,
    pub(crate) accepted: bool,
    /// Votes in words: `2 yes, 1 no`.
    pub(crate) votes: String,
}

impl ReviewTally {
    pub(crate) fn summary(&self) -> String {
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
    let in_scope = tally.items.iter().filter(|item| item.id.kind == ItemKind::Finding);
    let accepted = in_scope.filter(|item| is_accepted(item.outcome)).count();
    // The names of the variants are on record.
    let mut outcomes = BTreeMap::new();
    for item in &tally.items {
        let name = format!("{:?}", item.outcome).to_lowercase();
        *outcomes.entry(name).or_default() += 1;
    }
    let voted = tally.items.iter().filter_map(|tallied| {
        let item: &ReviewItem = items.iter().find(|item| item.id == tallied.id)?;
        Some(VotedFinding {
            title: item.title.clone(),
            concern: item.concern.clone(),
            severity: item.severity,
            revision: item.revision.clone(),
            out_of_scope: item.id.kind == ItemKind::OutOfScope,
            accepted: is_accepted(tallied.outcome),
            votes: format!("{} yes, {} no, {} exonerate", tallied.yes, tallied.no, tallied.exonerate),
        })
    });
    let voted = voted.collect();
    Ok(ReviewTally { accepted, outcomes, warnings: tally.warnings, items: voted })
}
