//! Tally of the votes on findings.
//!
//! A voter counts for an item (is eligible) only if it cast a valid vote line for it. An item with fewer than two
//! eligible voters is undecided: silence accepts nothing. An item that contradicts a resolution is accepted only if
//! every eligible voter says YES; with a mere majority it is undecided. All seats of the embedded agent count as one
//! voter. The order of the voters does not matter.
//!
//! [`super::ranking`] parses the rankings, [`super::remedies`] chooses between remedies, [`super::review_files`] writes
//! the result.

use super::debate::STATUS_OK;
use super::ids::{ItemId, ItemKind};
use super::ranking::{Ranking, read_ranking};
use super::remedies::Remedy;
use super::review_items::ReviewItem;
use super::scoreboard::{ScoreRow, build_scoreboard};
use super::texts;
use super::vote_lines::{self, VoteSheet};
use crate::escape::printable;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Input of [`tally_votes`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct VotesRequest {
    pub items: Vec<Proposal>,
    pub voters: Vec<Voter>,
}

/// Ballot item with its proposers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Proposal {
    pub id: ItemId,
    #[serde(default)]
    pub proposers: Vec<String>,
    /// Decisions whose resolution it contradicts.
    #[serde(default)]
    pub contradicts: Vec<ItemId>,
}

impl From<&ReviewItem> for Proposal {
    fn from(item: &ReviewItem) -> Proposal {
        let ReviewItem { id, proposers, contradicts, .. } = item;
        Proposal { id: *id, proposers: proposers.clone(), contradicts: contradicts.clone() }
    }
}

/// Voter with its answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct Voter {
    /// Name used in warnings.
    pub name: String,
    /// Name of the agent in the seat.
    pub agent: String,
    /// `OK`, or the status of a failed call.
    pub status: String,
    pub text: String,
    /// Vendor of the agent; empty if it is not known.
    pub vendor: String,
}

/// Agent whose seats count as one voter.
pub const EMBEDDED: &str = "embedded";

/// Tokens of a vote.
pub const VOTE_TOKENS: [&str; 3] = ["YES", "NO", "EXONERATE"];

/// Result of the vote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VotesTally {
    /// In the order of the ballot.
    pub items: Vec<TalliedItem>,
    pub scoreboard: Vec<ScoreRow>,
    /// Votes and answers that were not counted.
    pub warnings: Vec<String>,
    /// Occupants of the seats, ordered by name.
    #[serde(skip)]
    pub voters: Vec<SeatedVoter>,
}

/// Seat of a voter and who sat there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatedVoter {
    pub name: String,
    pub agent: String,
    pub vendor: String,
    /// Number of valid votes.
    pub votes: usize,
}

/// Votes on one item and their outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TalliedItem {
    pub id: ItemId,
    pub yes: usize,
    pub no: usize,
    /// Votes for "legitimate, but out of proportion".
    pub exonerate: usize,
    /// Voters without a valid vote on it.
    pub abstain: usize,
    /// Voters with a valid vote on it.
    pub eligible: usize,
    pub outcome: ItemOutcome,
    /// Points in the rankings of the voters.
    #[serde(skip_serializing_if = "is_zero")]
    pub points: usize,
    /// Decisions whose resolution it contradicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<ItemId>,
    /// Valid votes, ordered by voter name.
    #[serde(skip)]
    pub votes: Vec<CastVote>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Valid vote on an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CastVote {
    /// One of [`VOTE_TOKENS`].
    pub token: &'static str,
    pub remedy: Remedy,
    /// May be empty.
    pub reason: String,
}

impl TalliedItem {
    /// Reasons of the voters, each with its vote: `YES: it is so`.
    pub fn reasons(&self) -> Vec<String> {
        let given = self.votes.iter().filter(|vote| !vote.reason.is_empty());
        given.map(|vote| format!("{}: {}", vote.token, vote.reason)).collect()
    }

    /// Remedies of the voters with a YES.
    pub fn wanted_remedies(&self) -> Vec<Remedy> {
        let yes = self.votes.iter().filter(|vote| vote.token == VOTE_TOKENS[0]);
        yes.map(|vote| vote.remedy.clone()).collect()
    }

    /// True if only the contradiction keeps it from being accepted.
    pub fn is_undecided_by_contradiction(&self) -> bool {
        self.outcome == ItemOutcome::Undecided && self.eligible >= MIN_VOTERS
    }
}

/// Outcome of the vote on an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemOutcome {
    /// More YES than NO and EXONERATE.
    Accepted,
    /// At least one YES, but too few.
    Neutral,
    /// No YES, at least one EXONERATE.
    Exonerated,
    /// NO votes only.
    Rejected,
    /// No quorum, or a mere majority for something that contradicts a resolution.
    Undecided,
}

/// Quorum of voters for an item.
const MIN_VOTERS: usize = 2;

/// Counts the votes.
pub fn tally_votes(request: &VotesRequest) -> VotesTally {
    let mut warnings = Vec::new();
    let mut ballot = HashSet::new();
    let proposals: Vec<&Proposal> = request.items.iter().filter(|item| ballot.insert(item.id)).collect();
    if proposals.len() < request.items.len() {
        warnings.push("an item that is on the ballot twice is counted once".to_owned());
    }
    let mut voters: Vec<&Voter> = request.voters.iter().collect();
    voters.sort();
    let (mut seats, mut embedded) = (Vec::new(), Vec::new());
    let mut seated = Vec::new();
    for voter in voters {
        let answer = read_voter(voter, &ballot, &mut warnings);
        let Voter { name, agent, vendor, .. } = voter.clone();
        seated.push(SeatedVoter { name, agent, vendor, votes: answer.sheet.votes.len() });
        if voter.agent == EMBEDDED { embedded.push(answer) } else { seats.push(vec![answer]) }
    }
    seats.extend(Some(embedded).filter(|seats| !seats.is_empty()));
    let items: Vec<TalliedItem> = proposals.iter().map(|proposal| tally_item(proposal, &seats)).collect();
    warnings.extend(quorum_warnings(&items, &seats));
    let scoreboard = build_scoreboard(proposals.iter().copied().zip(&items));
    VotesTally { items, scoreboard, warnings, voters: seated }
}

/// Votes and ranking of one seat.
#[derive(Default)]
struct VoterAnswer<'a> {
    sheet: VoteSheet<'a>,
    ranking: Ranking,
}

/// Parses the answer of a voter; empty if its call failed.
fn read_voter<'a>(voter: &'a Voter, ballot: &HashSet<ItemId>, warnings: &mut Vec<String>) -> VoterAnswer<'a> {
    let name = printable(&voter.name);
    if voter.status != STATUS_OK {
        warnings.push(format!("{name}: status {}, abstains on everything", printable(&voter.status)));
        return VoterAnswer::default();
    }
    let sheet = vote_lines::read_vote_sheet(&voter.text, ballot, &VOTE_TOKENS);
    let ranking = read_ranking(&voter.text, ballot);
    let problems = sheet.problems.iter().chain(&ranking.problems);
    warnings.extend(problems.map(|p| format!("{name}, line {}: {}", p.line, p.message)));
    if sheet.votes.is_empty() && !ballot.is_empty() {
        warnings.push(format!("{name}: no valid vote line, abstains on everything"));
    }
    VoterAnswer { sheet, ranking }
}

/// Defects of an answer: a vote on every item of the ballot, and a ranking if it accepts several findings. For the
/// voter.
pub fn missing_votes(text: &str, ballot: &[ItemId]) -> Vec<String> {
    let known: HashSet<ItemId> = ballot.iter().copied().collect();
    let sheet = vote_lines::read_vote_sheet(text, &known, &VOTE_TOKENS);
    let missing: Vec<String> =
        ballot.iter().filter(|id| !sheet.votes.contains_key(id)).map(ToString::to_string).collect();
    let mut problems = Vec::new();
    if !missing.is_empty() {
        problems.push(format!("no valid vote on {}", missing.join(", ")));
        problems.extend(sheet.problems.iter().map(|p| format!("line {}: {}", p.line, p.message)));
    }
    let accepted = sheet.votes.iter().filter(|(id, vote)| id.kind == ItemKind::Finding && vote.token == 0);
    if accepted.count() > 1 && read_ranking(text, &known).items.is_empty() {
        problems
            .push("no ranking: end with  TOP: FINDING_3, FINDING_1  (the most important first)".to_owned());
    }
    problems
}

fn tally_item(proposal: &Proposal, seats: &[Vec<VoterAnswer<'_>>]) -> TalliedItem {
    let id = proposal.id;
    let mut counts = [0; VOTE_TOKENS.len()];
    for seat in seats {
        if let Some(token) = combined_vote(seat, id) {
            counts[token] += 1;
        }
    }
    let [yes, no, exonerate] = counts;
    let eligible = yes + no + exonerate;
    let votes = seats.iter().flatten().filter_map(|answer| answer.sheet.votes.get(&id));
    // All embedded seats have one ranking together.
    let rankings =
        seats.iter().filter_map(|seat| seat.iter().find(|answer| !answer.ranking.items.is_empty()));
    TalliedItem {
        id,
        yes,
        no,
        exonerate,
        abstain: seats.len() - eligible,
        eligible,
        outcome: if proposal.contradicts.is_empty() {
            decide_outcome(yes, no, exonerate)
        } else {
            decide_contradicting(yes, no, exonerate)
        },
        points: rankings.map(|answer| answer.ranking.points(id)).sum(),
        contradicts: proposal.contradicts.clone(),
        votes: votes
            .map(|vote| CastVote {
                token: VOTE_TOKENS[vote.token],
                remedy: vote.remedy.clone(),
                reason: vote.reason.to_owned(),
            })
            .collect(),
    }
}

/// The vote of a voter with one or more seats; none if they contradict each other.
fn combined_vote(seat: &[VoterAnswer<'_>], id: ItemId) -> Option<usize> {
    let mut votes = seat.iter().filter_map(|answer| Some(answer.sheet.votes.get(&id)?.token));
    let first = votes.next()?;
    votes.all(|vote| vote == first).then_some(first)
}

/// The outcome of these vote counts.
pub fn decide_outcome(yes: usize, no: usize, exonerate: usize) -> ItemOutcome {
    let eligible = yes + no + exonerate;
    if eligible < MIN_VOTERS {
        ItemOutcome::Undecided
    } else if yes > no + exonerate {
        ItemOutcome::Accepted
    } else if yes > 0 {
        ItemOutcome::Neutral
    } else if exonerate > 0 {
        ItemOutcome::Exonerated
    } else {
        ItemOutcome::Rejected
    }
}

/// The outcome of these vote counts for an item that contradicts a resolution: a majority is not enough.
pub fn decide_contradicting(yes: usize, no: usize, exonerate: usize) -> ItemOutcome {
    match decide_outcome(yes, no, exonerate) {
        ItemOutcome::Accepted if no + exonerate > 0 => ItemOutcome::Undecided,
        outcome => outcome,
    }
}

/// One warning if the whole panel has no quorum, else one per undecided item.
fn quorum_warnings(items: &[TalliedItem], seats: &[Vec<VoterAnswer<'_>>]) -> Vec<String> {
    let voted =
        |seat: &&Vec<VoterAnswer<'_>>| items.iter().any(|item| combined_vote(seat, item.id).is_some());
    let available = seats.iter().filter(voted).count();
    if available < MIN_VOTERS && !items.is_empty() {
        return vec![texts::voting_skipped(available, MIN_VOTERS)];
    }
    let undecided = items.iter().filter(|item| item.outcome == ItemOutcome::Undecided);
    let warnings = undecided.map(|item| {
        let TalliedItem { id, yes, eligible, .. } = item;
        if item.is_undecided_by_contradiction() {
            let reason = texts::contradicts(&item.contradicts);
            format!("{id}: {reason}, and only {yes} of {eligible} voters say YES; undecided")
        } else {
            format!("{id}: {eligible} voter(s) eligible, minimum {MIN_VOTERS} required; undecided")
        }
    });
    warnings.collect()
}

#[cfg(test)]
mod tests;
