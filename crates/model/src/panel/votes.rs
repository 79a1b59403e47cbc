//! Reads what the voters said about the findings, and decides what is accepted.
//!
//! A voter counts for an item it validly voted on, and for no other. An item with fewer than two such voters is
//! undecided: silence accepts nothing. Seats the embedded agent sits in are one voter together, however many they
//! are. The order of the voters changes nothing.

use super::debate::STATUS_OK;
use super::ids::ItemId;
use super::merged::ReviewItem;
use super::scoreboard::{ScoreRow, scoreboard};
use super::texts;
use super::vote_lines::{self, Sheet};
use crate::shown::shown;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// What is to be counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct VotesRequest {
    /// What is voted on.
    pub items: Vec<Proposal>,
    /// The voters and what they answered.
    pub voters: Vec<Voter>,
}

/// An item, and who proposed it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Proposal {
    /// Its name.
    pub id: ItemId,
    /// Everyone who found it.
    #[serde(default)]
    pub proposers: Vec<String>,
}

impl From<&ReviewItem> for Proposal {
    fn from(item: &ReviewItem) -> Proposal {
        Proposal { id: item.id, proposers: item.proposers.clone() }
    }
}

/// One voter.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct Voter {
    /// Who it is, for warnings.
    pub name: String,
    /// Which agent sat there.
    pub agent: String,
    /// How the call ended: `OK`, or anything else.
    pub status: String,
    /// What was answered.
    pub text: String,
}

/// The agent whose seats are one voter together.
pub const EMBEDDED: &str = "embedded";

/// The words a vote can be.
pub const VOTE_TOKENS: [&str; 3] = ["YES", "NO", "EXONERATE"];

/// What the voters decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VotesTally {
    /// Every item, in the order of the ballot.
    pub items: Vec<TalliedItem>,
    /// How the reviewers did.
    pub scoreboard: Vec<ScoreRow>,
    /// What was not counted, and why.
    pub warnings: Vec<String>,
}

/// What the voters decided on one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TalliedItem {
    /// Its name.
    pub id: ItemId,
    /// Votes for it.
    pub yes: usize,
    /// Votes against it.
    pub no: usize,
    /// Votes that it is legitimate, but out of proportion.
    pub exonerate: usize,
    /// Voters who did not vote on it.
    pub abstain: usize,
    /// Voters who did.
    pub eligible: usize,
    /// What follows.
    pub outcome: ItemOutcome,
    /// The voters' reasons, in the order of their names.
    #[serde(skip)]
    pub reasons: Vec<String>,
}

/// What becomes of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemOutcome {
    /// More than half of the voters said yes.
    Accepted,
    /// Some did, but not enough.
    Neutral,
    /// None did, but someone found it legitimate.
    Exonerated,
    /// None did.
    Rejected,
    /// Too few voted.
    Undecided,
}

/// The fewest voters that can decide on an item.
const VOTERS_AT_LEAST: usize = 2;

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
        let sheet = sheet(voter, &ballot, &mut warnings);
        if voter.agent == EMBEDDED { embedded.push(sheet) } else { seats.push(vec![sheet]) }
    }
    seats.extend(Some(embedded).filter(|seats| !seats.is_empty()));
    let items: Vec<TalliedItem> = proposals.iter().map(|proposal| tallied(proposal.id, &seats)).collect();
    warnings.extend(quorum_warnings(&items, &seats));
    let scoreboard = scoreboard(proposals.iter().copied().zip(&items));
    VotesTally { items, scoreboard, warnings }
}

/// The votes of a seat; none if it did not answer.
fn sheet<'a>(voter: &'a Voter, ballot: &HashSet<ItemId>, warnings: &mut Vec<String>) -> Sheet<'a> {
    let name = shown(&voter.name);
    if voter.status != STATUS_OK {
        warnings.push(format!("{name}: status {}, abstains on everything", shown(&voter.status)));
        return Sheet::default();
    }
    let sheet = vote_lines::read(&voter.text, ballot, &VOTE_TOKENS);
    warnings.extend(sheet.problems.iter().map(|p| format!("{name}, line {}: {}", p.line, p.message)));
    if sheet.votes.is_empty() && !ballot.is_empty() {
        warnings.push(format!("{name}: no valid vote line, abstains on everything"));
    }
    sheet
}

fn tallied(id: ItemId, seats: &[Vec<Sheet<'_>>]) -> TalliedItem {
    let mut counts = [0; VOTE_TOKENS.len()];
    for seat in seats {
        if let Some(token) = vote_of(seat, id) {
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
        outcome: outcome(yes, no, exonerate),
        reasons: reasons.filter(|reason| !reason.is_empty()).map(str::to_owned).collect(),
    }
}

/// The vote of a voter who may have sat in several seats: what all its votes say, or nothing.
fn vote_of(seat: &[Sheet<'_>], id: ItemId) -> Option<usize> {
    let mut votes = seat.iter().filter_map(|sheet| Some(sheet.votes.get(&id)?.token));
    let first = votes.next()?;
    votes.all(|vote| vote == first).then_some(first)
}

/// What follows from the votes on an item.
pub fn outcome(yes: usize, no: usize, exonerate: usize) -> ItemOutcome {
    let eligible = yes + no + exonerate;
    if eligible < VOTERS_AT_LEAST {
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

/// One warning for the whole panel if it has no quorum, else one for each item that has none.
fn quorum_warnings(items: &[TalliedItem], seats: &[Vec<Sheet<'_>>]) -> Vec<String> {
    let voted = |seat: &&Vec<Sheet<'_>>| items.iter().any(|item| vote_of(seat, item.id).is_some());
    let available = seats.iter().filter(voted).count();
    if available < VOTERS_AT_LEAST && !items.is_empty() {
        return vec![texts::voting_skipped(available, VOTERS_AT_LEAST)];
    }
    let undecided = items.iter().filter(|item| item.outcome == ItemOutcome::Undecided);
    let said = undecided.map(|TalliedItem { id, eligible, .. }| {
        format!("{id}: {eligible} voter(s) eligible, minimum {VOTERS_AT_LEAST} required; undecided")
    });
    said.collect()
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
    fn each_threshold_is_kept() {
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
    fn odd_lines_count_as_what_they_are() {
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
    fn what_was_not_counted_is_said_in_the_order_of_names() {
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
        fn nothing_is_accepted_without_two_who_say_yes(voters in any_voters()) {
            let tally = tally_votes(&request(&["FINDING_1", "OOS_1"], voters));
            for item in tally.items {
                prop_assert_eq!(item.eligible, item.yes + item.no + item.exonerate);
                prop_assert!(item.outcome != Accepted || item.yes >= 2);
                prop_assert_eq!(item.outcome == Undecided, item.eligible < 2);
            }
        }
    }
}
