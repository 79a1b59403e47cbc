//! A plan under review: four reviewers, one list of what they found, three voters, and a plan that follows the vote.

use super::desk::{Desk, step_id};
use super::grammar;
use super::labels::{ReviewLabels, seat_label};
use super::taken::{Taken, asked};
use crate::agent::AgentCall;
use crate::artifact::{Artifact, Input};
use crate::run::PhaseHandle;
use crate::stage::Stage;
use crate::step::{Step, StepContext, StepError};
use crate::stop::{Flow, Stop};
use charrette_model::panel::ballot::findings_ballot;
use charrette_model::panel::debate::STATUS_OK;
use charrette_model::panel::findings::read_findings;
use charrette_model::panel::merged::{read_items, unheard};
use charrette_model::panel::names::{
    ACCEPTED, BALLOT, FINDINGS, OUT_OF_SCOPE, OUT_OF_SCOPE_ACCEPTED, PLAN_REVIEWED, REJECTED, REVIEWERS,
    TALLY,
};
use charrette_model::panel::review_files::{Undecided, review_files};
use charrette_model::panel::texts;
use charrette_model::panel::votes::{ItemOutcome, Proposal, Voter, VotesRequest, tally_votes};
use charrette_model::seats::{Group, Seat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What became of a review.
#[derive(Debug, Clone)]
pub struct Reviewed {
    /// The plan that follows the vote.
    pub plan: Artifact,
    /// The findings that were not adopted.
    pub rejected: Artifact,
    /// The findings that were accepted although they are out of scope.
    pub accepted_out_of_scope: Artifact,
    /// Who took which seat, for the record: (seat, agent).
    pub seated: Vec<(String, String)>,
}

/// Has the plan reviewed, the findings voted on, and the plan revised. Findings that too few voted on are for the
/// person to decide; `nobody_to_ask` says that there is none.
pub async fn review(
    write: &PhaseHandle<'_>,
    desk: &Desk,
    draft: &Artifact,
    nobody_to_ask: bool,
) -> Flow<Reviewed> {
    let stage = write.stage("3");
    let reviews = reviews(write, &stage, desk).await?;
    let labels = labels(write, &reviews).await?;
    let found = found(write, &reviews, &labels).await?;
    let voters = if found.is_empty() {
        Vec::new()
    } else {
        write.agent(merger(desk, &reviews, &labels, found)?).await?;
        vote(write, &stage, desk).await?
    };
    let closing = tally(write, &voters, nobody_to_ask).await?;
    for warning in &closing.warnings {
        write.warn(warning);
    }
    stage.show("Voting Tally and Reviewer Competition Scoreboard", TALLY);
    if !closing.outcomes.is_empty() {
        stage.tallied("plan review findings", closing.outcomes.clone());
    }
    let plan = revise(write, &stage, desk, draft, &closing).await?;
    stage.done(format!("tally saved, {}", closing.said()));
    Ok(Reviewed {
        plan,
        rejected: Artifact::fixed(REJECTED),
        accepted_out_of_scope: Artifact::fixed(OUT_OF_SCOPE_ACCEPTED),
        seated: reviews.iter().chain(&voters).filter_map(Taken::who).collect(),
    })
}

/// All reviewers, side by side. Some may fail, but a plan that nobody reviewed must not look reviewed.
async fn reviews(write: &PhaseHandle<'_>, stage: &Stage<'_>, desk: &Desk) -> Flow<Vec<Taken>> {
    let reviewers = desk.group(Group::Reviewers);
    stage.lanes("Reviewers", reviewers.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let named = reviewers.into_iter().map(|seat| (seat.id, seat));
    let taken = write.parallel("reviewers", named, |seat| asked(write, desk, seat)).await?;
    if taken.iter().all(|taken| taken.came.agent.is_none()) {
        let why: Vec<&str> = taken.iter().filter_map(|taken| taken.came.problem.as_deref()).collect();
        return Err(Stop::Failed(format!(
            "no reviewer answered, so the plan is not reviewed: {}",
            why.join("; ")
        )));
    }
    Ok(taken)
}

/// Writes down who wrote which review.
async fn labels(write: &PhaseHandle<'_>, reviews: &[Taken]) -> Flow<ReviewLabels> {
    let written: Vec<(&Seat, &str, &str)> = reviews
        .iter()
        .filter_map(|taken| Some((taken.seat, taken.came.agent.as_deref()?, taken.file()?)))
        .collect();
    let labels = ReviewLabels::of(&written);
    let text = labels.text();
    let step = Step::new("review/labels").reads(&Input::given("reviewers", &text));
    write.step(step, move |context| async move { context.write(REVIEWERS, text) }).await?;
    Ok(labels)
}

/// The labels of those who found something.
async fn found(write: &PhaseHandle<'_>, reviews: &[Taken], labels: &ReviewLabels) -> Flow<Vec<String>> {
    let mut step = Step::new("review/found").reads(REVIEWERS);
    for taken in reviews {
        step = step.reads(&taken.inputs());
    }
    let labels = labels.0.clone();
    write
        .step(step, move |context| async move {
            let mut found = Vec::new();
            for (file, label) in labels {
                if !read_findings(&context.text(&file)?).findings.is_empty() {
                    found.push(label);
                }
            }
            Ok(found)
        })
        .await
}

/// One list of what all found, in which nobody who found something may be missing.
fn merger(desk: &Desk, reviews: &[Taken], labels: &ReviewLabels, found: Vec<String>) -> Flow<AgentCall> {
    let named: Vec<String> = labels.0.iter().map(|(file, label)| format!("{file} is by {label}")).collect();
    let assignment = desk.seat("merger")?.note(format!("The reviews: {}.", named.join("; ")));
    let (seat, words) = (assignment.seat(), desk.summary_words());
    let mut call = assignment.call()?.reads(REVIEWERS).grammar(move |answer| {
        let files = grammar::files(seat, answer, words)?;
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        match unheard(&read_items(answer).0, &found).as_slice() {
            [] => Ok(files),
            lost => Err(format!("nothing that {} found is in the list", lost.join(", "))),
        }
    });
    for taken in reviews.iter().filter(|taken| taken.file().is_some()) {
        call = call.reads(&taken.inputs());
    }
    Ok(call)
}

async fn vote(write: &PhaseHandle<'_>, stage: &Stage<'_>, desk: &Desk) -> Flow<Vec<Taken>> {
    let step = Step::new("review/ballot").reads(FINDINGS);
    write
        .step(step, move |context| async move {
            context.write(BALLOT, findings_ballot(&read_items(&context.text(FINDINGS)?).0))
        })
        .await?;
    // The slowest are launched first.
    let mut voters = desk.group(Group::Voters);
    voters.reverse();
    stage.lanes("Voters", voters.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let named = voters.into_iter().map(|seat| (seat.id, seat));
    write.parallel("voters", named, |seat| asked(write, desk, seat)).await
}

/// What the step that counts the votes says.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Closing {
    accepted: usize,
    outcomes: BTreeMap<String, usize>,
    warnings: Vec<String>,
}

impl Closing {
    fn said(&self) -> String {
        if self.outcomes.is_empty() {
            return "no findings".to_owned();
        }
        let counts = self.outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}"));
        counts.collect::<Vec<_>>().join(", ")
    }
}

/// Counts the votes, and writes what follows from them. Without findings, the files say that.
async fn tally(write: &PhaseHandle<'_>, voters: &[Taken], nobody_to_ask: bool) -> Flow<Closing> {
    let mut step = Step::new("review/tally").reads(&Input::given("nobody-to-ask", &nobody_to_ask));
    if !voters.is_empty() {
        step = step.reads(FINDINGS);
    }
    let seats: Vec<(String, String, Option<String>)> = voters
        .iter()
        .map(|taken| {
            let agent = taken.came.agent.clone().unwrap_or_default();
            (seat_label(taken.seat), agent, taken.name())
        })
        .collect();
    step = step.reads(&Input::given("voters", &seats));
    for voter in voters {
        step = step.reads(&voter.inputs());
    }
    let undecided = if nobody_to_ask { Undecided::AreNotAdopted } else { Undecided::AreDiscussed };
    write.step(step, move |context| async move { counted(&context, seats, undecided) }).await
}

fn counted(
    context: &StepContext,
    seats: Vec<(String, String, Option<String>)>,
    undecided: Undecided,
) -> Result<Closing, StepError> {
    let items = if seats.is_empty() { Vec::new() } else { read_items(&context.text(FINDINGS)?).0 };
    let mut voters = Vec::new();
    for (name, agent, file) in seats {
        let (status, text) = match file {
            Some(file) => (STATUS_OK, context.text(&file)?),
            None => ("NO_ANSWER", String::new()),
        };
        voters.push(Voter { name, agent, status: status.to_owned(), text });
    }
    let tally = tally_votes(&VotesRequest { items: items.iter().map(Proposal::from).collect(), voters });
    let files = review_files(&items, &tally, undecided);
    context.write(TALLY, &files.voting_tally)?;
    context.write(ACCEPTED, &files.accepted)?;
    context.write(REJECTED, &files.rejected)?;
    context.write(OUT_OF_SCOPE, &files.oos)?;
    context.write(OUT_OF_SCOPE_ACCEPTED, &files.oos_accepted)?;
    let is_accepted = |outcome: ItemOutcome| outcome == ItemOutcome::Accepted;
    let in_scope =
        tally.items.iter().filter(|item| item.id.kind == charrette_model::panel::ids::ItemKind::Finding);
    let accepted = in_scope.filter(|item| is_accepted(item.outcome)).count();
    let mut outcomes = BTreeMap::new();
    for item in &tally.items {
        let name = format!("{:?}", item.outcome).to_lowercase();
        *outcomes.entry(name).or_default() += 1;
    }
    Ok(Closing { accepted, outcomes, warnings: tally.warnings })
}

/// The plan that follows the vote: revised, or the draft as it is.
async fn revise(
    write: &PhaseHandle<'_>,
    stage: &Stage<'_>,
    desk: &Desk,
    draft: &Artifact,
    closing: &Closing,
) -> Flow<Artifact> {
    if closing.accepted > 0 {
        stage.show(heading(texts::VOTED_IN), ACCEPTED);
        let plan = write.agent_file(desk.call("reviser")?).await?;
        stage.show("Revised Implementation Plan", plan.name());
        return Ok(plan);
    }
    if !closing.outcomes.is_empty() {
        stage.say(texts::ALL_REJECTED);
    }
    let (step, name) = (Step::new("plan/as-drafted").reads(draft), draft.name().to_owned());
    write.make(Artifact::fixed(PLAN_REVIEWED), step, |context| async move { context.text(&name) }).await
}

fn heading(line: &'static str) -> &'static str {
    line.trim_start_matches(['#', ' '])
}
