//! Who debates which decision: odd ranks go to Cursor, even ranks to Codex, both sides of one decision to the same.
//!
//! The rank is the place in the list of contested decisions, by priority, from 1; the number in a decision's name
//! does not matter here. Which seat really sits in for a bucket, and whether one can, is the caller's to know.

use super::decisions::ContestedDecisions;
use super::texts;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The half of the debates one vendor takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bucket {
    /// Ranks 1, 3 and 5.
    Cursor,
    /// Ranks 2 and 4.
    Codex,
}

impl Bucket {
    /// The bucket of a rank, counted from 1.
    pub fn of_rank(rank: usize) -> Bucket {
        if rank % 2 == 1 { Bucket::Cursor } else { Bucket::Codex }
    }

    /// As it stands in file names: `debate-1-cursor-thesis.txt`.
    pub fn tool(self) -> &'static str {
        match self {
            Bucket::Cursor => "cursor",
            Bucket::Codex => "codex",
        }
    }

    fn number(self) -> usize {
        match self {
            Bucket::Cursor => 1,
            Bucket::Codex => 2,
        }
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bucket::Cursor => "Cursor",
            Bucket::Codex => "Codex",
        })
    }
}

/// What happens to one contested decision before anyone debates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assignment {
    /// This bucket debates it.
    Debated(Bucket),
    /// This bucket would, but cannot.
    BucketSkipped(Bucket),
    /// It ranks outside the cap.
    OverCap,
}

/// Assigns every contested decision, in order of priority. `can_debate` says whether somebody sits for a rank: a team
/// may have left the seats of one empty and not those of another.
pub fn assign(decisions: &ContestedDecisions, can_debate: impl Fn(usize) -> bool) -> Vec<Assignment> {
    let (debated, over_cap) = decisions.split_at_cap();
    let within = (1..=debated.len()).map(|rank| match Bucket::of_rank(rank) {
        bucket if can_debate(rank) => Assignment::Debated(bucket),
        bucket => Assignment::BucketSkipped(bucket),
    });
    within.chain(over_cap.iter().map(|_| Assignment::OverCap)).collect()
}

/// One warning for each bucket that cannot debate, with the ranks it would have had.
pub fn skipped_warnings(assignments: &[Assignment]) -> Vec<String> {
    [Bucket::Cursor, Bucket::Codex]
        .into_iter()
        .filter_map(|bucket| {
            let ranks: Vec<String> = (1..)
                .zip(assignments)
                .filter(|(_, assignment)| **assignment == Assignment::BucketSkipped(bucket))
                .map(|(rank, _): (usize, _)| rank.to_string())
                .collect();
            let unavailable = || texts::bucket_unavailable(bucket, bucket.number(), &ranks.join(", "));
            (!ranks.is_empty()).then(unavailable)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::decisions::{Decision, Impact};
    use Assignment::{BucketSkipped, Debated, OverCap};
    use Bucket::{Codex, Cursor};

    fn contested(count: u32) -> ContestedDecisions {
        let text = String::new;
        let decision = |n| Decision {
            n,
            title: text(),
            chosen: text(),
            alternative: text(),
            tension: text(),
            impact: Impact::High,
            affected_files: vec![],
        };
        ContestedDecisions { contested: (1..=count).rev().map(decision).collect(), errors: vec![] }
    }

    #[test]
    fn ranks_alternate_between_the_buckets_up_to_the_cap() {
        let seven = assign(&contested(7), |_| true);
        let debated = [Cursor, Codex, Cursor, Codex, Cursor].map(Debated);
        assert_eq!(seven[..5], debated);
        assert_eq!(seven[5..], [OverCap, OverCap]);
        assert_eq!(assign(&contested(5), |_| true), debated);
        assert_eq!(assign(&contested(1), |_| true), [Debated(Cursor)]);
        assert_eq!(assign(&contested(0), |_| true), []);
    }

    #[test]
    fn a_bucket_without_a_seat_is_skipped_and_never_reassigned() {
        let without_codex = assign(&contested(6), |rank| Bucket::of_rank(rank) == Cursor);
        let (here, gone) = (Debated(Cursor), BucketSkipped(Codex));
        assert_eq!(without_codex, [here, gone, here, gone, here, OverCap]);
        assert_eq!(
            skipped_warnings(&without_codex),
            [
                "**⚠ Codex unavailable — dialectic skipped for bucket 2 decisions (indices: 2, 4). Step 2a.4 synthesis decisions stand.**"
            ]
        );
        let none = assign(&contested(3), |_| false);
        assert_eq!(none, [BucketSkipped(Cursor), BucketSkipped(Codex), BucketSkipped(Cursor)]);
        let warnings = skipped_warnings(&none);
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].starts_with(
            "**⚠ Cursor unavailable — dialectic skipped for bucket 1 decisions (indices: 1, 3)."
        ));
        assert_eq!(skipped_warnings(&assign(&contested(7), |_| true)), [""; 0]);
    }

    #[test]
    fn tools_are_named_as_in_file_names() {
        assert_eq!((Cursor.tool(), Codex.tool()), ("cursor", "codex"));
    }
}
