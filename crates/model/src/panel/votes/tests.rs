//! Tests of the tally.

use super::*;
use ItemOutcome::{Accepted, Exonerated, Neutral, Rejected, Undecided};
use proptest::prelude::*;

fn voter(name: &str, text: &str) -> Voter {
    let [name, agent, status, text] = [name, "claude", STATUS_OK, text].map(str::to_owned);
    Voter { name, agent, status, text, vendor: "anthropic".to_owned() }
}

fn embedded(name: &str, text: &str) -> Voter {
    Voter { agent: EMBEDDED.to_owned(), ..voter(name, text) }
}

fn request(ids: &[&str], voters: Vec<Voter>) -> VotesRequest {
    let proposal = |id: &&str| Proposal {
        id: ItemId::parse(id).unwrap(),
        proposers: vec!["Code".to_owned()],
        contradicts: vec![],
    };
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
    let voters = vec![late, voter("bob", "FINDING_1: YES\nFINDING_1: NO\nFINDING_7: YES"), voter("amy", YES)];
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
    assert_eq!(tally.items[0].reasons(), ["YES: y"]);
    assert_eq!(tally.scoreboard[0].findings, 1);
}

#[test]
fn a_contradiction_needs_every_vote() {
    for (texts, expected) in [
        (vec![YES, YES, YES], Accepted),
        (vec![YES, YES, NOTHING], Accepted),
        (vec![YES, YES, NO], Undecided),
        (vec![YES, YES, EXONERATE], Undecided),
        (vec![YES, NO, NO], Neutral),
        (vec![NO, NO, NO], Rejected),
        (vec![EXONERATE, NO], Exonerated),
        (vec![YES, NOTHING], Undecided),
    ] {
        let mut request = request(&["FINDING_1"], texts.iter().map(|text| voter("v", text)).collect());
        request.items[0].contradicts = vec![ItemId::decision(2)];
        assert_eq!(tally_votes(&request).items[0].outcome, expected, "{texts:?}");
    }
    let mut split = request(&["FINDING_1"], [YES, YES, NO].map(|text| voter("v", text)).to_vec());
    split.items[0].contradicts = vec![ItemId::decision(2), ItemId::decision(4)];
    let tally = tally_votes(&split);
    assert!(tally.items[0].is_undecided_by_contradiction());
    assert_eq!(
        tally.warnings,
        ["FINDING_1: contradicts DECISION_2, DECISION_4, and only 2 of 3 voters say YES; undecided"]
    );
}

#[test]
fn rankings_give_points_and_remedies_are_kept() {
    let voters = vec![
        voter("a", "FINDING_1: YES B — y\nFINDING_2: YES\nTOP: FINDING_2, FINDING_1"),
        voter("b", "FINDING_1: YES (smaller: log it)\nTOP: FINDING_1, FINDING_9"),
        embedded("c", "FINDING_1: NO\nTOP: FINDING_1"),
        embedded("d", "FINDING_1: NO\nTOP: FINDING_1"),
    ];
    let tally = tally_votes(&request(&["FINDING_1", "FINDING_2"], voters));
    assert_eq!(tally.items.iter().map(|item| item.points).collect::<Vec<_>>(), [29, 10]);
    assert_eq!(tally.items[0].wanted_remedies(), [Remedy::Option('B'), Remedy::Smaller("log it".to_owned())]);
    assert!(tally.warnings.contains(&"b, line 2: FINDING_9 is ranked, but not on the ballot".to_owned()));
    let seated: Vec<(&str, usize)> = tally.voters.iter().map(|v| (v.name.as_str(), v.votes)).collect();
    assert_eq!(seated, [("a", 2), ("b", 1), ("c", 1), ("d", 1)]);
}

#[test]
fn a_voter_is_told_what_is_missing() {
    let ballot: Vec<ItemId> =
        ["FINDING_1", "FINDING_2", "OOS_1"].into_iter().filter_map(ItemId::parse).collect();
    assert_eq!(
        missing_votes("FINDING_1: YES\nFINDING_2: maybe", &ballot),
        ["no valid vote on FINDING_2, OOS_1", "line 2: FINDING_2: 'maybe' is not one of YES, NO, EXONERATE",]
    );
    let both = "FINDING_1: YES\nFINDING_2: YES\nOOS_1: YES";
    assert_eq!(
        missing_votes(both, &ballot),
        ["no ranking: end with  TOP: FINDING_3, FINDING_1  (the most important first)"]
    );
    assert_eq!(missing_votes(&format!("{both}\nTOP: FINDING_2"), &ballot), [""; 0]);
    let one = "FINDING_1: YES\nFINDING_2: NO\nOOS_1: YES";
    assert_eq!(missing_votes(one, &ballot), [""; 0], "nothing to compare");
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
    let voter = ("[ab]", of(vec!["claude", "codex", EMBEDDED]), of(vec!["OK", "OK", "OK", "FAILED"]), text)
        .prop_map(|(name, agent, status, text)| Voter { name, agent, status, text, vendor: String::new() });
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
