//! Parses the judges' votes and settles each decision.
//!
//! A judge counts for a decision (is eligible) only if it cast a valid vote line for it. The side with more votes
//! wins if at least two judges are eligible; otherwise, or in a tie, the synthesis stands. The order of the judges
//! does not matter.

use crate::escape::printable;
use crate::panel::blocks::join_sentences;
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

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct BallotDecision {
    pub n: u32,
    /// Agent that wrote the defenses; empty if it is not known.
    #[serde(default)]
    pub author: String,
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
    /// Agent in the seat; empty if it is not known.
    pub agent: String,
    /// Vendor of the agent; empty if it is not known.
    pub vendor: String,
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
    /// Valid votes, ordered by judge.
    #[serde(skip)]
    pub votes: Vec<JudgeVote>,
}

/// Valid vote of a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeVote {
    pub judge: String,
    pub agent: String,
    pub vendor: String,
    pub side: DebateSide,
    /// May be empty.
    pub reason: String,
    /// True if the judge's agent wrote the defenses.
    pub is_own: bool,
}

impl JudgedDecision {
    /// Reasons of the judges for the winning side; empty without a winner.
    pub fn winning_reasons(&self) -> Vec<String> {
        let won =
            self.votes.iter().filter(|vote| Some(vote.side) == self.resolution && !vote.reason.is_empty());
        won.map(|vote| vote.reason.clone()).collect()
    }
}

/// Quorum of judges for a decision.
const MIN_JUDGES: usize = 2;

/// Counts the judges' votes.
pub fn tally_judges(request: &JudgesRequest) -> JudgesTally {
    let ballot: HashSet<ItemId> = request.decisions.iter().map(|on| ItemId::decision(on.n)).collect();
    let mut judges: Vec<&Judge> = request.judges.iter().collect();
    judges.sort();
    let mut warnings = Vec::new();
    let sheets: Vec<(&Judge, VoteSheet<'_>)> =
        judges.iter().map(|judge| (*judge, vote_sheet(judge, &ballot, &mut warnings))).collect();
    let decisions = request.decisions.iter().map(|on| tally_decision(on, &sheets)).collect();
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

fn tally_decision(on: &BallotDecision, sheets: &[(&Judge, VoteSheet<'_>)]) -> JudgedDecision {
    let id = ItemId::decision(on.n);
    let votes = sheets.iter().filter_map(|(judge, sheet)| Some((judge, sheet.votes.get(&id)?)));
    let votes: Vec<JudgeVote> = votes
        .map(|(judge, vote)| JudgeVote {
            judge: judge.name.clone(),
            agent: judge.agent.clone(),
            vendor: judge.vendor.clone(),
            side: DebateSide::BOTH[vote.token],
            reason: vote.reason.to_owned(),
            is_own: !on.author.is_empty() && judge.agent == on.author,
        })
        .collect();
    let eligible = votes.len();
    let thesis = votes.iter().filter(|vote| vote.side == DebateSide::Thesis).count();
    let anti_thesis = eligible - thesis;
    let (disposition, resolution, fallback) = match winner(thesis, anti_thesis) {
        Ok(winner) => (Disposition::Voted, Some(winner), "the judges gave no reason".to_owned()),
        Err(why) => (Disposition::FallbackToSynthesis, None, why),
    };
    let mut judged = JudgedDecision {
        n: on.n,
        thesis,
        anti_thesis,
        eligible,
        disposition,
        resolution,
        why: fallback,
        votes,
    };
    let reasons = join_sentences(judged.winning_reasons().iter().map(String::as_str));
    if !reasons.is_empty() {
        judged.why = reasons;
    }
    judged
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
        Judge {
            name: name.to_owned(),
            status: STATUS_OK.to_owned(),
            text: text.to_owned(),
            ..Judge::default()
        }
    }

    fn on_ballot(n: u32) -> BallotDecision {
        BallotDecision { n, ..BallotDecision::default() }
    }

    fn tally(texts: &[&str]) -> JudgesTally {
        let judges = texts.iter().zip("abcdefg".chars()).map(|(text, name)| judge(&name.to_string(), text));
        tally_judges(&JudgesRequest { decisions: vec![on_ballot(1)], judges: judges.collect() })
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
            decisions: vec![on_ballot(2), on_ballot(1)],
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
        let tally = tally_judges(&JudgesRequest { decisions: vec![on_ballot(1)], judges });
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
    fn votes_on_own_arguments_are_marked_and_count() {
        let seated = |name: &str, agent: &str| Judge { agent: agent.to_owned(), ..judge(name, T) };
        let decision = BallotDecision { n: 1, author: "codex".to_owned() };
        let judges = vec![seated("a", "codex"), seated("b", "claude"), seated("c", "")];
        let judged = tally_judges(&JudgesRequest { decisions: vec![decision], judges }).decisions.remove(0);
        let own: Vec<bool> = judged.votes.iter().map(|vote| vote.is_own).collect();
        assert_eq!((own, judged.thesis), (vec![true, false, false], 3));
        let unknown = tally(&[T, T]).decisions.remove(0);
        assert!(unknown.votes.iter().all(|vote| !vote.is_own));
    }

    #[test]
    fn reasons_of_the_winners_are_a_list() {
        let texts = ["DECISION_1: THESIS — It is so. It works.", "DECISION_1: THESIS — Proven.", A];
        let judged = tally(&texts).decisions.remove(0);
        assert_eq!(judged.winning_reasons(), ["It is so. It works.", "Proven."]);
        assert_eq!(judged.why, "It is so. It works; Proven.");
        assert_eq!(tally(&[T, A]).decisions[0].winning_reasons(), [""; 0]);
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
        let judge = ("[ab]", status, text).prop_map(|(name, status, text)| Judge {
            name,
            status,
            text,
            ..Judge::default()
        });
        prop::collection::vec(judge, 0..6)
    }

    proptest! {
        #[test]
        fn the_order_of_judges_never_matters((judges, shuffled) in any_judges().prop_flat_map(|judges| (Just(judges.clone()), Just(judges).prop_shuffle()))) {
            let decisions = vec![on_ballot(1), on_ballot(2)];
            let one = tally_judges(&JudgesRequest { decisions: decisions.clone(), judges });
            let other = tally_judges(&JudgesRequest { decisions, judges: shuffled });
            prop_assert_eq!(one, other);
        }

        #[test]
        fn an_abstainer_never_flips_a_result(judges in any_judges(), at in 0usize..6, failed in any::<bool>(), text in prop::sample::select(vec!["", NOTHING, T])) {
            let decisions = vec![on_ballot(1), on_ballot(2)];
            let mut more = judges.clone();
            let status = if failed { "TIMED_OUT" } else { STATUS_OK };
            let text = if failed { text } else { NOTHING };
            more.insert(at.min(judges.len()), Judge { status: status.to_owned(), ..judge("x", text) });
            let before = tally_judges(&JudgesRequest { decisions: decisions.clone(), judges });
            let after = tally_judges(&JudgesRequest { decisions, judges: more });
            prop_assert_eq!(before.decisions, after.decisions);
        }
    }
}
