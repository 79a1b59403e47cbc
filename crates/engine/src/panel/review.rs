//! A plan under review: four reviewers, one list of what they found, three voters, and a plan that follows the vote.

use super::desk::{Desk, step_id};
use super::grammar;
use super::labels::{ReviewLabels, seat_label};
use super::taken::{Taken, asked};
use crate::agent::AgentCall;
use crate::artifact::Input;
use crate::run::{PhaseHandle, Stage};
use crate::step::{Step, StepContext, StepError};
use crate::stop::{Flow, Stop};
use charrette_model::panel::ballot::findings_ballot;
use charrette_model::panel::debate::STATUS_OK;
use charrette_model::panel::findings::read_findings;
use charrette_model::panel::merged::{read_items, unheard};
use charrette_model::panel::review_files::{Undecided, review_files};
use charrette_model::panel::texts;
use charrette_model::panel::votes::{ItemOutcome, Proposal, Voter, VotesRequest, tally_votes};
use charrette_model::seats::{self, Group, Seat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const DRAFT: &str = "plan-draft.txt";
const REVIEWED: &str = "plan-reviewed.txt";
const LABELS: &str = "reviewers.md";
const FINDINGS: &str = "findings.md";
const BALLOT: &str = "ballot.txt";

/// What became of a review.
#[derive(Debug, Clone, Default)]
pub struct Reviewed {
    /// Who took which seat, for the record: (seat, agent).
    pub seated: Vec<(String, String)>,
}

/// Has the plan reviewed, the findings voted on, and the plan revised. Findings that too few voted on are for the
/// person to decide; `nobody_to_ask` says that there is none.
pub async fn review(write: &PhaseHandle<'_>, desk: &Desk, nobody_to_ask: bool) -> Flow<Reviewed> {
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
    stage.show("Voting Tally and Reviewer Competition Scoreboard", "voting-tally.md");
    if !closing.outcomes.is_empty() {
        stage.tallied("plan review findings", closing.outcomes.clone());
    }
    revise(write, &stage, desk, &closing).await?;
    stage.done(format!("tally saved, {}", closing.said()));
    Ok(Reviewed { seated: reviews.iter().chain(&voters).filter_map(Taken::who).collect() })
}

/// All reviewers, side by side. Some may fail, but a plan that nobody reviewed must not look reviewed.
async fn reviews(write: &PhaseHandle<'_>, stage: &Stage<'_>, desk: &Desk) -> Flow<Vec<Taken>> {
    let reviewers: Vec<&'static Seat> = seats::group(Group::Reviewers).collect();
    stage.lanes("Reviewers", reviewers.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let taken = write.parallel(reviewers, |seat| asked(write, desk, seat)).await?;
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
    write.step(step, move |context| async move { context.write(LABELS, text) }).await?;
    Ok(labels)
}

/// The labels of those who found something.
async fn found(write: &PhaseHandle<'_>, reviews: &[Taken], labels: &ReviewLabels) -> Flow<Vec<String>> {
    let mut step = Step::new("review/found").reads(LABELS);
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
    let mut call = assignment.call()?.reads(LABELS).grammar(move |answer| {
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
    let mut voters: Vec<&'static Seat> = seats::group(Group::Voters).collect();
    voters.reverse();
    stage.lanes("Voters", voters.iter().map(|seat| (step_id(seat), seat_label(seat))));
    write.parallel(voters, |seat| asked(write, desk, seat)).await
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
    context.write("voting-tally.md", &files.voting_tally)?;
    context.write("accepted-plan-findings.md", &files.accepted)?;
    context.write("rejected-findings.md", &files.rejected)?;
    context.write("oos.md", &files.oos)?;
    context.write("oos-accepted-design.md", &files.oos_accepted)?;
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
async fn revise(write: &PhaseHandle<'_>, stage: &Stage<'_>, desk: &Desk, closing: &Closing) -> Flow<()> {
    if closing.accepted > 0 {
        stage.show(heading(texts::VOTED_IN), "accepted-plan-findings.md");
        write.agent(desk.call("reviser")?).await?;
        stage.show("Revised Implementation Plan", REVIEWED);
        return Ok(());
    }
    if !closing.outcomes.is_empty() {
        stage.say(texts::ALL_REJECTED);
    }
    let step = Step::new("plan/as-drafted").reads(DRAFT);
    write.step(step, |context| async move { context.write(REVIEWED, context.text(DRAFT)?) }).await
}

fn heading(line: &'static str) -> &'static str {
    line.trim_start_matches(['#', ' '])
}
