//! Parses the judges' votes and settles each decision.
//!
//! A judge counts for a decision (is eligible) only if it cast a valid vote line for it. The side with more votes
//! wins if at least two judges are eligible; otherwise, or in a tie, the synthesis stands. The order of the judges
//! does not matter.

use crate::escape::printable;
use crate::panel::debate::{DebateSide, SIDE_TOKENS, STATUS_OK};
use crate::panel::ids::ItemId;
use crate::panel::resolutions::Disposition;
use crate::panel::texts;
use crate::panel::vote_lines::{self, VoteSheet};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::HashSet;

/// Input of [`tally_judges`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct JudgesRequest {
    /// Decisions on the ballot.
    pub decisions: Vec<BallotDecision>,
    pub judges: Vec<Judge>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct BallotDecision {
    pub n: u32,
}

/// Judge with its answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct Judge {
    /// Name used in warnings.
    pub name: String,
    /// `OK`, or the status of a failed call.
    pub status: String,
    pub text: String,
}

/// Result of the judges' votes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JudgesTally {
    /// In the order of the ballot.
    pub decisions: Vec<JudgedDecision>,
    /// Votes and answers that were not counted.
    pub warnings: Vec<String>,
}

/// Votes on one decision and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JudgedDecision {
    pub n: u32,
    /// Votes for the chosen option.
    pub thesis: usize,
    /// Votes for the alternative.
    pub anti_thesis: usize,
    /// Number of eligible judges.
    pub eligible: usize,
    /// `voted` or `fallback-to-synthesis`.
    pub disposition: Disposition,
    /// The winning side; none if the synthesis stands.
    pub resolution: Option<DebateSide>,
    /// The winners' reasons, or the reason for the fallback.
    pub why: String,
}

/// Quorum of judges for a decision.
const MIN_JUDGES: usize = 2;

/// Counts the judges' votes.
pub fn tally_judges(request: &JudgesRequest) -> JudgesTally {
    let ballot: HashSet<ItemId> = request.decisions.iter().map(|on| ItemId::decision(on.n)).collect();
    let mut judges: Vec<&Judge> = request.judges.iter().collect();
    judges.sort();
    let mut warnings = Vec::new();
    let sheets: Vec<VoteSheet<'_>> =
        judges.iter().map(|judge| vote_sheet(judge, &ballot, &mut warnings)).collect();
    let decisions = request.decisions.iter().map(|on| tally_decision(on.n, &sheets)).collect();
    JudgesTally { decisions, warnings }
}

/// The vote lines of a judge; empty if its call failed.
fn vote_sheet<'a>(judge: &'a Judge, ballot: &HashSet<ItemId>, warnings: &mut Vec<String>) -> VoteSheet<'a> {
    let name = printable(&judge.name);
    if judge.status != STATUS_OK {
        warnings.push(format!("{name}: status {}, not eligible for any decision", printable(&judge.status)));
        return VoteSheet::default();
    }
    let sheet = vote_lines::read_vote_sheet(&judge.text, ballot, &SIDE_TOKENS);
    warnings.extend(sheet.problems.iter().map(|p| format!("{name}, line {}: {}", p.line, p.message)));
    if sheet.votes.is_empty() {
        warnings.push(format!("{name}: no valid vote line, not eligible for any decision"));
    }
    sheet
}

fn tally_decision(n: u32, sheets: &[VoteSheet<'_>]) -> JudgedDecision {
    let votes: Vec<_> = sheets.iter().filter_map(|sheet| sheet.votes.get(&ItemId::decision(n))).collect();
    let eligible = votes.len();
    let thesis = votes.iter().filter(|vote| vote.token == 0).count();
    let anti_thesis = eligible - thesis;
    match winner(thesis, anti_thesis) {
        Ok(winner) => {
            let won =
                votes.iter().filter(|vote| DebateSide::BOTH[vote.token] == winner && !vote.reason.is_empty());
            let reasons: Vec<&str> = won.map(|vote| vote.reason).collect();
            let disposition = Disposition::Voted;
            let why =
                if reasons.is_empty() { "the judges gave no reason".to_owned() } else { reasons.join("; ") };
            JudgedDecision { n, thesis, anti_thesis, eligible, disposition, resolution: Some(winner), why }
        }
        Err(why) => {
            let disposition = Disposition::FallbackToSynthesis;
            JudgedDecision { n, thesis, anti_thesis, eligible, disposition, resolution: None, why }
        }
    }
}

/// The winning side, or the reason why there is none.
fn winner(thesis: usize, anti_thesis: usize) -> Result<DebateSide, String> {
    let eligible = thesis + anti_thesis;
    if eligible < MIN_JUDGES {
        return Err(texts::judges_eligible(eligible));
    }
    match thesis.cmp(&anti_thesis) {
        Ordering::Greater => Ok(DebateSide::Thesis),
        Ordering::Less => Ok(DebateSide::AntiThesis),
        Ordering::Equal => Err(texts::tie(thesis, anti_thesis)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn judge(name: &str, text: &str) -> Judge {
        Judge { name: name.to_owned(), status: STATUS_OK.to_owned(), text: text.to_owned() }
    }

    fn tally(texts: &[&str]) -> JudgesTally {
        let judges = texts.iter().zip("abcdefg".chars()).map(|(text, name)| judge(&name.to_string(), text));
        tally_judges(&JudgesRequest { decisions: vec![BallotDecision { n: 1 }], judges: judges.collect() })
    }

    /// Votes, eligible judges, winner and reason of the only decision.
    fn counted(texts: &[&str]) -> (usize, usize, usize, Option<DebateSide>, String) {
        let decision = tally(texts).decisions.remove(0);
        let voted = decision.disposition == Disposition::Voted;
        assert_eq!(voted, decision.resolution.is_some());
        (decision.thesis, decision.anti_thesis, decision.eligible, decision.resolution, decision.why)
    }

    const T: &str = "DECISION_1: THESIS — t";
    const A: &str = "DECISION_1: ANTI_THESIS — a";
    const NOTHING: &str = "I abstain.";

    #[test]
    fn the_majority_of_a_quorum_wins() {
        let (thesis, anti) = (Some(DebateSide::Thesis), Some(DebateSide::AntiThesis));
        for (texts, expected) in [
            (vec![T, T, T], (3, 0, 3, thesis, "t; t; t")),
            (vec![T, T, A], (2, 1, 3, thesis, "t; t")),
            (vec![T, A, A], (1, 2, 3, anti, "a; a")),
            (vec![A, A, A], (0, 3, 3, anti, "a; a; a")),
            (vec![T, T], (2, 0, 2, thesis, "t; t")),
            (vec![A, A], (0, 2, 2, anti, "a; a")),
            (vec![T, A], (1, 1, 2, None, "1-1 tie with 2 voters")),
            (vec![T], (1, 0, 1, None, "1 judges eligible")),
            (vec![A], (0, 1, 1, None, "1 judges eligible")),
            (vec![], (0, 0, 0, None, "0 judges eligible")),
            (vec![T, T, NOTHING], (2, 0, 2, thesis, "t; t")),
            (vec![T, A, NOTHING], (1, 1, 2, None, "1-1 tie with 2 voters")),
            (vec![T, NOTHING, NOTHING], (1, 0, 1, None, "1 judges eligible")),
            (vec![T, T, A, A], (2, 2, 4, None, "2-2 tie with 4 voters")),
            (vec![T, T, T, A, A], (3, 2, 5, thesis, "t; t; t")),
        ] {
            let (thesis, anti, eligible, winner, why) = expected;
            assert_eq!(counted(&texts), (thesis, anti, eligible, winner, why.to_owned()), "{texts:?}");
        }
    }

    #[test]
    fn vote_lines_are_parsed_strictly() {
        let both = |line| counted(&[line, "DECISION_1: ANTI_THESIS"]);
        for anti in [
            "**DECISION_1: ANTI_THESIS — x**",
            "__decision_1: anti_thesis - x__",
            "- DECISION_1: **ANTI_THESIS**",
            "DECISION_1: MAYBE\nDECISION_1: ANTI_THESIS\nDECISION_1: THESIS",
            "\u{feff}DECISION_1: ANTI_THESIS\r\n",
        ] {
            assert_eq!(both(anti).1, 2, "{anti}");
        }
        for abstained in [
            "DECISION_1: ANTITHESIS — x",
            "DECISION_1: ANTI-THESIS — x",
            "DECISION_1: THESIS|ANTI_THESIS — x",
            "DECISION_1: THESIS or ANTI_THESIS",
            "DECISION_2: THESIS",
            "FINDING_1: THESIS",
            "| DECISION_1 | THESIS |",
            "```\nDECISION_1: THESIS\n```",
            "DECISION_1: ТЕЗИС",
            "DECISION_1: YES",
        ] {
            assert_eq!(both(abstained).2, 1, "{abstained}");
        }
    }

    #[test]
    fn a_judge_counts_only_where_it_voted() {
        let request = JudgesRequest {
            decisions: vec![BallotDecision { n: 2 }, BallotDecision { n: 1 }],
            judges: vec![judge("a", T), judge("b", "DECISION_1: THESIS\nDECISION_2: ANTI_THESIS")],
        };
        let tally = tally_judges(&request);
        let eligible: Vec<_> =
            tally.decisions.iter().map(|decision| (decision.n, decision.eligible)).collect();
        assert_eq!(eligible, [(2, 1), (1, 2)]);
        assert_eq!(tally.warnings, [""; 0]);
    }

    #[test]
    fn uncounted_votes_are_warned_about_by_judge_name() {
        let failed = Judge { status: "TIMED\nOUT".to_owned(), ..judge("zoe", T) };
        let judges =
            vec![failed, judge("bob", NOTHING), judge("amy", "DECISION_1: THESIS\nDECISION_9: THESIS")];
        let tally = tally_judges(&JudgesRequest { decisions: vec![BallotDecision { n: 1 }], judges });
        assert_eq!(
            tally.warnings,
            [
                "amy, line 2: DECISION_9 is not on the ballot",
                "bob: no valid vote line, not eligible for any decision",
                "zoe: status TIMED\\nOUT, not eligible for any decision",
            ]
        );
        assert_eq!(tally.decisions[0].eligible, 1);
    }

    #[test]
    fn votes_without_a_reason_count() {
        assert_eq!(counted(&["DECISION_1: THESIS"; 2]).4, "the judges gave no reason");
        assert_eq!(counted(&["DECISION_1: THESIS", T]).4, "t");
    }

    #[test]
    fn a_tally_is_printed_as_the_plumbing_promises() {
        let request: JudgesRequest = serde_json::from_str(
            r#"{"decisions":[{"n":1}],"judges":[{"name":"a","status":"OK","text":"DECISION_1: THESIS"}]}"#,
        )
        .unwrap();
        assert_eq!(
            serde_json::to_string(&tally_judges(&request)).unwrap(),
            r#"{"decisions":[{"n":1,"thesis":1,"anti_thesis":0,"eligible":1,"disposition":"fallback-to-synthesis","resolution":null,"why":"1 judges eligible"}],"warnings":[]}"#
        );
        let voted = serde_json::to_value(tally(&[A, A])).unwrap();
        assert_eq!(voted["decisions"][0]["resolution"], "ANTI_THESIS");
        assert_eq!(voted["decisions"][0]["disposition"], "voted");
    }

    fn any_judges() -> impl Strategy<Value = Vec<Judge>> {
        let line = prop::sample::select(vec![
            T,
            A,
            NOTHING,
            "DECISION_2: THESIS",
            "DECISION_2: ANTI_THESIS — x",
            "DECISION_1: no",
        ]);
        let text = prop::collection::vec(line, 0..4).prop_map(|lines| lines.join("\n"));
        let status = prop::sample::select(vec!["OK", "OK", "OK", "FAILED"]).prop_map(str::to_owned);
        let judge = ("[ab]", status, text).prop_map(|(name, status, text)| Judge { name, status, text });
        prop::collection::vec(judge, 0..6)
    }

    proptest! {
        #[test]
        fn the_order_of_judges_never_matters((judges, shuffled) in any_judges().prop_flat_map(|judges| (Just(judges.clone()), Just(judges).prop_shuffle()))) {
            let decisions = vec![BallotDecision { n: 1 }, BallotDecision { n: 2 }];
            let one = tally_judges(&JudgesRequest { decisions: decisions.clone(), judges });
            let other = tally_judges(&JudgesRequest { decisions, judges: shuffled });
            prop_assert_eq!(one, other);
        }

        #[test]
        fn an_abstainer_never_flips_a_result(judges in any_judges(), at in 0usize..6, failed in any::<bool>(), text in prop::sample::select(vec!["", NOTHING, T])) {
            let decisions = vec![BallotDecision { n: 1 }, BallotDecision { n: 2 }];
            let mut more = judges.clone();
            let status = if failed { "TIMED_OUT" } else { STATUS_OK };
            let text = if failed { text } else { NOTHING };
            more.insert(at.min(judges.len()), Judge { name: "x".to_owned(), status: status.to_owned(), text: text.to_owned() });
            let before = tally_judges(&JudgesRequest { decisions: decisions.clone(), judges });
            let after = tally_judges(&JudgesRequest { decisions, judges: more });
            prop_assert_eq!(before.decisions, after.decisions);
        }
    }
}
