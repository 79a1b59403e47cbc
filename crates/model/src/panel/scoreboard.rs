//! Reviewer scoreboard: one point for an accepted item, minus one for a rejected finding.

use super::ids::ItemKind;
use super::votes::{ItemOutcome, Proposal, TalliedItem};
use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

/// Row of a reviewer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ScoreRow {
    pub reviewer: String,
    /// In-scope findings, merged ones included.
    pub findings: usize,
    pub accepted: usize,
    /// Findings with too few YES votes.
    pub neutral: usize,
    /// Findings without a YES, but with an EXONERATE.
    pub exonerated: usize,
    /// Findings with NO votes only.
    pub rejected: usize,
    /// Out-of-scope observations.
    pub oos_proposed: usize,
    pub oos_accepted: usize,
    pub score: i64,
}

/// Scores all proposers: the best first, ties in the order of the ballot.
///
/// Every proposer of a merged item gets its points. Out of scope, only accepted items count.
pub fn build_scoreboard<'a>(items: impl Iterator<Item = (&'a Proposal, &'a TalliedItem)>) -> Vec<ScoreRow> {
    let mut rows: IndexMap<&str, ScoreRow> = IndexMap::new();
    for (proposal, item) in items {
        let proposers: IndexSet<&String> = proposal.proposers.iter().collect();
        for name in proposers {
            let row = rows.entry(name).or_default();
            row.reviewer.clone_from(name);
            row.add(item);
        }
    }
    let mut rows: Vec<ScoreRow> = rows.into_values().collect();
    rows.sort_by_key(|row| -row.score);
    rows
}

impl ScoreRow {
    fn add(&mut self, item: &TalliedItem) {
        let accepted = usize::from(item.outcome == ItemOutcome::Accepted);
        if item.id.kind == ItemKind::OutOfScope {
            self.oos_proposed += 1;
            self.oos_accepted += accepted;
        } else {
            self.findings += 1;
            self.accepted += accepted;
            match item.outcome {
                ItemOutcome::Neutral => self.neutral += 1,
                ItemOutcome::Exonerated => self.exonerated += 1,
                ItemOutcome::Rejected => {
                    self.rejected += 1;
                    self.score -= 1;
                }
                ItemOutcome::Accepted | ItemOutcome::Undecided => {}
            }
        }
        self.score += i64::from(item.outcome == ItemOutcome::Accepted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::ids::ItemId;
    use crate::panel::votes::decide_outcome;

    /// Scores items given as name, proposers and votes for yes, no and exonerate.
    fn scored(items: &[(&str, &[&str], [usize; 3])]) -> Vec<ScoreRow> {
        let items: Vec<(Proposal, TalliedItem)> = items
            .iter()
            .map(|(id, proposers, [yes, no, exonerate])| {
                let id = ItemId::parse(id).unwrap();
                let (yes, no, exonerate) = (*yes, *no, *exonerate);
                let item = TalliedItem {
                    id,
                    yes,
                    no,
                    exonerate,
                    abstain: 0,
                    eligible: yes + no + exonerate,
                    outcome: decide_outcome(yes, no, exonerate),
                    points: 0,
                    contradicts: vec![],
                    votes: vec![],
                };
                let proposers = proposers.iter().map(|name| (*name).to_owned()).collect();
                (Proposal { id, proposers, contradicts: vec![] }, item)
            })
            .collect();
        build_scoreboard(items.iter().map(|(proposal, item)| (proposal, item)))
    }

    fn row(items: &[(&str, &[&str], [usize; 3])]) -> String {
        let rows = scored(items);
        assert_eq!(rows.len(), 1);
        let ScoreRow {
            findings,
            accepted,
            neutral,
            exonerated,
            rejected,
            oos_proposed,
            oos_accepted,
            score,
            ..
        } = rows[0];
        format!(
            "{findings} {accepted} {neutral} {exonerated} {rejected} {oos_proposed} {oos_accepted} {score:+}"
        )
    }

    #[test]
    fn each_outcome_has_its_column_and_its_points() {
        for (votes, expected) in [
            ([2, 1, 0], "1 1 0 0 0 0 0 +1"),
            ([1, 2, 0], "1 0 1 0 0 0 0 +0"),
            ([0, 1, 2], "1 0 0 1 0 0 0 +0"),
            ([0, 3, 0], "1 0 0 0 1 0 0 -1"),
            ([1, 0, 0], "1 0 0 0 0 0 0 +0"),
        ] {
            assert_eq!(row(&[("FINDING_1", &["a"], votes)]), expected, "{votes:?}");
        }
        for (votes, expected) in [
            ([2, 1, 0], "0 0 0 0 0 1 1 +1"),
            ([1, 2, 0], "0 0 0 0 0 1 0 +0"),
            ([0, 1, 2], "0 0 0 0 0 1 0 +0"),
            ([0, 3, 0], "0 0 0 0 0 1 0 +0"),
            ([1, 0, 0], "0 0 0 0 0 1 0 +0"),
        ] {
            assert_eq!(row(&[("OOS_1", &["a"], votes)]), expected, "{votes:?}");
        }
        let many: [(&str, &[&str], [usize; 3]); 4] = [
            ("FINDING_1", &["a"], [0, 2, 0]),
            ("FINDING_2", &["a"], [0, 2, 0]),
            ("OOS_1", &["a"], [2, 0, 0]),
            ("FINDING_3", &["a"], [1, 1, 0]),
        ];
        assert_eq!(row(&many), "3 0 1 0 2 1 1 -1");
    }

    #[test]
    fn every_proposer_of_a_merged_item_is_scored_once_and_the_best_comes_first() {
        let rows = scored(&[
            ("FINDING_1", &["a", "b", "a"], [0, 3, 0]),
            ("FINDING_2", &["c", "b"], [3, 0, 0]),
            ("OOS_1", &["d"], [0, 3, 0]),
        ]);
        let order: Vec<_> = rows.iter().map(|row| (row.reviewer.as_str(), row.score)).collect();
        assert_eq!(order, [("c", 1), ("b", 0), ("d", 0), ("a", -1)]);
        assert_eq!(scored(&[("FINDING_1", &[], [3, 0, 0])]), []);
    }
}
