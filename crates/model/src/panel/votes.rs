//! Tally of the votes on findings.
//!
//! A voter counts for an item (is eligible) only if it cast a valid vote line for it. An item with fewer than two
//! eligible voters is undecided: silence accepts nothing. All seats of the embedded agent count as one voter. The
//! order of the voters does not matter.

use super::debate::STATUS_OK;
use super::ids::ItemId;
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
}

impl From<&ReviewItem> for Proposal {
    fn from(item: &ReviewItem) -> Proposal {
        Proposal { id: item.id, proposers: item.proposers.clone() }
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
    /// Ordered by voter name.
    #[serde(skip)]
    pub reasons: Vec<String>,
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
    /// No quorum.
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
    for voter in voters {
        let sheet = vote_sheet(voter, &ballot, &mut warnings);
        if voter.agent == EMBEDDED { embedded.push(sheet) } else { seats.push(vec![sheet]) }
    }
    seats.extend(Some(embedded).filter(|seats| !seats.is_empty()));
    let items: Vec<TalliedItem> = proposals.iter().map(|proposal| tally_item(proposal.id, &seats)).collect();
    warnings.extend(quorum_warnings(&items, &seats));
    let scoreboard = build_scoreboard(proposals.iter().copied().zip(&items));
    VotesTally { items, scoreboard, warnings }
}

/// The vote lines of a voter; empty if its call failed.
fn vote_sheet<'a>(voter: &'a Voter, ballot: &HashSet<ItemId>, warnings: &mut Vec<String>) -> VoteSheet<'a> {
    let name = printable(&voter.name);
    if voter.status != STATUS_OK {
        warnings.push(format!("{name}: status {}, abstains on everything", printable(&voter.status)));
        return VoteSheet::default();
    }
    let sheet = vote_lines::read_vote_sheet(&voter.text, ballot, &VOTE_TOKENS);
    warnings.extend(sheet.problems.iter().map(|p| format!("{name}, line {}: {}", p.line, p.message)));
    if sheet.votes.is_empty() && !ballot.is_empty() {
        warnings.push(format!("{name}: no valid vote line, abstains on everything"));
    }
    sheet
}

fn tally_item(id: ItemId, seats: &[Vec<VoteSheet<'_>>]) -> TalliedItem {
    let mut counts = [0; VOTE_TOKENS.len()];
    for seat in seats {
        if let Some(token) = combined_vote(seat, id) {
            counts[token] += 1;
        }
    }
    let [yes, no, exonerate] = counts;
    let eligible = yes + no + exonerate;
    let reasons = seats.iter().flatten().filter_map(|sheet| Some(sheet.votes.get(&id)?.reason));
    TalliedItem {
        id,
        yes,
        no,
        exonerate,
        abstain: seats.len() - eligible,
        eligible,
        outcome: decide_outcome(yes, no, exonerate),
        reasons: reasons.filter(|reason| !reason.is_empty()).map(str::to_owned).collect(),
    }
}

/// The vote of a voter with one or more seats; none if they contradict each other.
fn combined_vote(seat: &[VoteSheet<'_>], id: ItemId) -> Option<usize> {
    let mut votes = seat.iter().filter_map(|sheet| Some(sheet.votes.get(&id)?.token));
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

/// One warning if the whole panel has no quorum, else one per item without one.
fn quorum_warnings(items: &[TalliedItem], seats: &[Vec<VoteSheet<'_>>]) -> Vec<String> {
    let voted = |seat: &&Vec<VoteSheet<'_>>| items.iter().any(|item| combined_vote(seat, item.id).is_some());
    let available = seats.iter().filter(voted).count();
    if available < MIN_VOTERS && !items.is_empty() {
        return vec![texts::voting_skipped(available, MIN_VOTERS)];
    }
    let undecided = items.iter().filter(|item| item.outcome == ItemOutcome::Undecided);
    let warnings = undecided.map(|TalliedItem { id, eligible, .. }| {
        format!("{id}: {eligible} voter(s) eligible, minimum {MIN_VOTERS} required; undecided")
    });
    warnings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ItemOutcome::{Accepted, Exonerated, Neutral, Rejected, Undecided};
    use proptest::prelude::*;

    fn voter(name: &str, text: &str) -> Voter {
        let [name, agent, status, text] = [name, "claude", STATUS_OK, text].map(str::to_owned);
        Voter { name, agent, status, text }
    }

    fn embedded(name: &str, text: &str) -> Voter {
        Voter { agent: EMBEDDED.to_owned(), ..voter(name, text) }
    }

    fn request(ids: &[&str], voters: Vec<Voter>) -> VotesRequest {
        let proposal =
            |id: &&str| Proposal { id: ItemId::parse(id).unwrap(), proposers: vec!["Code".to_owned()] };
        VotesRequest { items: ids.iter().map(proposal).collect(), voters }
    }

    /// Yes, no, exonerate, abstain, eligible and outcome of the first item.
    fn first(voters: Vec<Voter>) -> (usize, usize, usize, usize, usize, ItemOutcome) {
        let item = tally_votes(&request(&["FINDING_1"], voters)).items.remove(0);
        (item.yes, item.no, item.exonerate, item.abstain, item.eligible, item.outcome)
    }

    const YES: &str = "FINDING_1: YES — y";
    const NO: &str = "FINDING_1: NO — n";
    const EXONERATE: &str = "FINDING_1: EXONERATE — e";
    const NOTHING: &str = "no opinion";

    #[test]
    fn the_majority_of_a_quorum_accepts() {
        for (texts, expected) in [
            (vec![YES, YES, YES], (3, 0, 0, 0, 3, Accepted)),
            (vec![YES, YES, NO], (2, 1, 0, 0, 3, Accepted)),
            (vec![YES, YES, EXONERATE], (2, 0, 1, 0, 3, Accepted)),
            (vec![YES, NO, NO], (1, 2, 0, 0, 3, Neutral)),
            (vec![YES, NO, EXONERATE], (1, 1, 1, 0, 3, Neutral)),
            (vec![YES, EXONERATE, EXONERATE], (1, 0, 2, 0, 3, Neutral)),
            (vec![NO, NO, EXONERATE], (0, 2, 1, 0, 3, Exonerated)),
            (vec![EXONERATE, EXONERATE, EXONERATE], (0, 0, 3, 0, 3, Exonerated)),
            (vec![NO, NO, NO], (0, 3, 0, 0, 3, Rejected)),
            (vec![YES, YES, NOTHING], (2, 0, 0, 1, 2, Accepted)),
            (vec![YES, NO, NOTHING], (1, 1, 0, 1, 2, Neutral)),
            (vec![YES, EXONERATE, NOTHING], (1, 0, 1, 1, 2, Neutral)),
            (vec![NO, EXONERATE, NOTHING], (0, 1, 1, 1, 2, Exonerated)),
            (vec![NO, NO, NOTHING], (0, 2, 0, 1, 2, Rejected)),
            (vec![YES, NOTHING, NOTHING], (1, 0, 0, 2, 1, Undecided)),
            (vec![NO, NOTHING, NOTHING], (0, 1, 0, 2, 1, Undecided)),
            (vec![EXONERATE, NOTHING], (0, 0, 1, 1, 1, Undecided)),
            (vec![NOTHING, NOTHING, NOTHING], (0, 0, 0, 3, 0, Undecided)),
            (vec![], (0, 0, 0, 0, 0, Undecided)),
            (vec![YES, YES, NO, NO], (2, 2, 0, 0, 4, Neutral)),
            (vec![YES, YES, YES, NO, NO], (3, 2, 0, 0, 5, Accepted)),
        ] {
            let voters = texts.iter().map(|text| voter("v", text)).collect();
            assert_eq!(first(voters), expected, "{texts:?}");
        }
    }

    #[test]
    fn vote_lines_are_parsed_strictly() {
        for yes in [
            "**finding_1: yes**",
            "- FINDING_1: YES",
            "FINDING_1: NOPE\nFINDING_1: YES\nFINDING_1: NO",
            "\u{feff}Finding_1:YES.\r\n",
        ] {
            assert_eq!(first(vec![voter("a", yes)]).0, 1, "{yes}");
        }
        for abstained in [
            "FINDING_1: JA",
            "| FINDING_1 | YES |",
            "```\nFINDING_1: YES\n```",
            "FINDING_1: YES|NO|EXONERATE — why",
            "FINDING_1: yes and no",
            "FINDING_2: YES",
            "I vote YES on FINDING_1",
            "FINDING_1: THESIS",
        ] {
            assert_eq!(first(vec![voter("a", abstained)]).4, 0, "{abstained}");
        }
    }

    #[test]
    fn a_voter_who_did_not_answer_abstains() {
        let failed = Voter { status: "FAILED".to_owned(), ..voter("b", YES) };
        let unknown = Voter { status: String::new(), ..voter("c", YES) };
        assert_eq!(first(vec![voter("a", YES), failed, unknown]), (1, 0, 0, 2, 1, Undecided));
    }

    #[test]
    fn embedded_seats_are_one_voter_together() {
        let yes = |name| embedded(name, YES);
        assert_eq!(first(vec![yes("a"), yes("b"), yes("c")]), (1, 0, 0, 0, 1, Undecided));
        assert_eq!(first(vec![yes("a"), yes("b"), voter("c", YES)]), (2, 0, 0, 0, 2, Accepted));
        assert_eq!(first(vec![yes("a"), embedded("b", NOTHING), voter("c", NO)]), (1, 1, 0, 0, 2, Neutral));
        // Seats that contradict each other have no opinion.
        assert_eq!(first(vec![yes("a"), embedded("b", NO), voter("c", YES)]), (1, 0, 0, 1, 1, Undecided));
        assert_eq!(first(vec![embedded("a", NOTHING), embedded("b", NOTHING)]), (0, 0, 0, 1, 0, Undecided));
    }

    #[test]
    fn a_voter_counts_only_where_it_voted() {
        let voters = vec![voter("a", YES), voter("b", "FINDING_1: YES\nOOS_1: NO"), voter("c", NOTHING)];
        let tally = tally_votes(&request(&["OOS_1", "FINDING_1"], voters));
        let items: Vec<_> =
            tally.items.iter().map(|item| (item.id.to_string(), item.eligible, item.outcome)).collect();
        assert_eq!(items, [("OOS_1".to_owned(), 1, Undecided), ("FINDING_1".to_owned(), 2, Accepted)]);
        assert_eq!(
            tally.warnings,
            [
                "c: no valid vote line, abstains on everything",
                "OOS_1: 1 voter(s) eligible, minimum 2 required; undecided"
            ]
        );
    }

    #[test]
    fn without_a_quorum_nothing_is_accepted_and_the_warning_says_so() {
        for (voters, available) in
            [(vec![], 0), (vec![voter("a", YES)], 1), (vec![embedded("a", YES), embedded("b", YES)], 1)]
        {
            let tally = tally_votes(&request(&["FINDING_1"], voters));
            assert_eq!(
                tally.warnings,
                [format!(
                    "**⚠ Voting skipped ({available} voter(s) available, minimum 2 required). All findings undecided.**"
                )]
            );
            assert_eq!(tally.items[0].outcome, Undecided);
        }
        let two = tally_votes(&request(&["FINDING_1"], vec![voter("a", YES), voter("b", NO)]));
        assert_eq!(two.warnings, [""; 0]);
        assert_eq!(
            tally_votes(&request(&[], vec![voter("a", "FINDING_1: YES")])).warnings,
            ["a, line 1: FINDING_1 is not on the ballot"]
        );
        assert_eq!(tally_votes(&request(&[], vec![])).warnings, [""; 0]);
    }

    #[test]
    fn uncounted_votes_are_warned_about_by_voter_name() {
        let late = Voter { status: "TIMED_OUT".to_owned(), ..voter("late", YES) };
        let voters =
            vec![late, voter("bob", "FINDING_1: YES\nFINDING_1: NO\nFINDING_7: YES"), voter("amy", YES)];
        let tally = tally_votes(&request(&["FINDING_1", "FINDING_1"], voters));
        assert_eq!(
            tally.warnings,
            [
                "an item that is on the ballot twice is counted once",
                "bob, line 2: FINDING_1 was voted on in line 1 already; that vote counts",
                "bob, line 3: FINDING_7 is not on the ballot",
                "late: status TIMED_OUT, abstains on everything",
            ]
        );
        assert_eq!(tally.items.len(), 1);
        assert_eq!(tally.items[0].reasons, ["y"]);
        assert_eq!(tally.scoreboard[0].findings, 1);
    }

    #[test]
    fn a_tally_is_printed_as_the_plumbing_promises() {
        let request: VotesRequest = serde_json::from_str(
            r#"{"items":[{"id":"FINDING_1","proposers":["Cursor-Arch"]}],"voters":[{"name":"a","agent":"codex","status":"OK","text":"FINDING_1: YES"},{"name":"b","agent":"claude","status":"OK","text":"FINDING_1: YES"}]}"#,
        )
        .unwrap();
        assert_eq!(
            serde_json::to_string(&tally_votes(&request)).unwrap(),
            r#"{"items":[{"id":"FINDING_1","yes":2,"no":0,"exonerate":0,"abstain":0,"eligible":2,"outcome":"accepted"}],"scoreboard":[{"reviewer":"Cursor-Arch","findings":1,"accepted":1,"neutral":0,"exonerated":0,"rejected":0,"oos_proposed":0,"oos_accepted":0,"score":1}],"warnings":[]}"#
        );
    }

    fn any_voters() -> impl Strategy<Value = Vec<Voter>> {
        let line = prop::sample::select(vec![
            YES,
            NO,
            EXONERATE,
            NOTHING,
            "OOS_1: YES — x",
            "OOS_1: NO",
            "OOS_1: EXONERATE",
            "OOS_9: YES",
        ]);
        let text = prop::collection::vec(line, 0..5).prop_map(|lines| lines.join("\n"));
        let of = |words: Vec<&'static str>| prop::sample::select(words).prop_map(str::to_owned);
        let voter =
            ("[ab]", of(vec!["claude", "codex", EMBEDDED]), of(vec!["OK", "OK", "OK", "FAILED"]), text)
                .prop_map(|(name, agent, status, text)| Voter { name, agent, status, text });
        prop::collection::vec(voter, 0..6)
    }

    proptest! {
        #[test]
        fn the_order_of_voters_never_matters((voters, shuffled) in any_voters().prop_flat_map(|voters| (Just(voters.clone()), Just(voters).prop_shuffle()))) {
            let ids = ["FINDING_1", "OOS_1"];
            prop_assert_eq!(tally_votes(&request(&ids, voters)), tally_votes(&request(&ids, shuffled)));
        }

        #[test]
        fn an_abstainer_never_flips_a_result(voters in any_voters(), at in 0usize..6, failed in any::<bool>(), is_embedded in any::<bool>()) {
            let ids = ["FINDING_1", "OOS_1"];
            let mut abstainer = voter("x", if failed { YES } else { NOTHING });
            abstainer.status = if failed { "FAILED" } else { STATUS_OK }.to_owned();
            abstainer.agent = if is_embedded { EMBEDDED } else { "gemini" }.to_owned();
            let mut more = voters.clone();
            more.insert(at.min(voters.len()), abstainer);
            let (before, after) = (tally_votes(&request(&ids, voters)), tally_votes(&request(&ids, more)));
            for (before, after) in before.items.iter().zip(&after.items) {
                prop_assert_eq!((before.outcome, before.eligible, before.yes), (after.outcome, after.eligible, after.yes));
                prop_assert!(after.abstain >= before.abstain);
            }
            prop_assert_eq!(before.scoreboard, after.scoreboard);
        }

        #[test]
        fn an_accepted_item_has_two_yes_votes(voters in any_voters()) {
            let tally = tally_votes(&request(&["FINDING_1", "OOS_1"], voters));
            for item in tally.items {
                prop_assert_eq!(item.eligible, item.yes + item.no + item.exonerate);
                prop_assert!(item.outcome != Accepted || item.yes >= 2);
                prop_assert_eq!(item.outcome == Undecided, item.eligible < 2);
            }
        }
    }
}
