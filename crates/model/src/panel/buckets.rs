//! Debate buckets: odd ranks go to Cursor, even ranks to Codex, both sides of a decision to the same tool.
//!
//! The rank is the 1-based position in the list of contested decisions, by priority; the number in a decision's
//! id does not matter. The caller knows which seats are filled.

use super::decisions::ContestedDecisions;
use super::texts;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Half of the debates, assigned to one vendor.
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

    /// Name of the tool in file names: `debate-1-cursor-thesis.txt`.
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

/// Assignment of a contested decision to a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DebateAssignment {
    Debated(Bucket),
    /// The bucket has no debaters.
    BucketSkipped(Bucket),
    /// Ranked outside [`MAX_DEBATED`](super::decisions::MAX_DEBATED).
    OverCap,
}

/// Assigns every contested decision, in order of priority. `can_debate` tells if the debater seats of a rank
/// are filled; `[seats]` may leave some ranks empty.
pub fn assign(decisions: &ContestedDecisions, can_debate: impl Fn(usize) -> bool) -> Vec<DebateAssignment> {
    let (debated, over_cap) = decisions.split_at_cap();
    let within = (1..=debated.len()).map(|rank| match Bucket::of_rank(rank) {
        bucket if can_debate(rank) => DebateAssignment::Debated(bucket),
        bucket => DebateAssignment::BucketSkipped(bucket),
    });
    within.chain(over_cap.iter().map(|_| DebateAssignment::OverCap)).collect()
}

/// One warning per bucket without debaters, with the ranks it skips.
pub fn skipped_warnings(assignments: &[DebateAssignment]) -> Vec<String> {
    [Bucket::Cursor, Bucket::Codex]
        .into_iter()
        .filter_map(|bucket| {
            let ranks: Vec<String> = (1..)
                .zip(assignments)
                .filter(|(_, assignment)| **assignment == DebateAssignment::BucketSkipped(bucket))
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
    use Bucket::{Codex, Cursor};
    use DebateAssignment::{BucketSkipped, Debated, OverCap};

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
