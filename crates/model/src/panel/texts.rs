//! The panel's lines whose wording is a contract: people know them, and other tools look for them.
//!
//! Everything else the panel says (problems, instructions on a ballot) stands where it is said.

use super::buckets::Bucket;

/// `voting-tally.md` when no reviewer found anything.
pub const NOTHING_TO_VOTE_ON: &str = "No findings were raised — voting was not needed.";

/// Over the accepted findings, where they are shown.
pub const VOTED_IN: &str = "## Plan Review Findings (Voted In)";

/// Shown when no finding in scope was accepted.
pub const ALL_REJECTED: &str = "**ℹ Voting panel rejected all in-scope findings. Plan unchanged.**";

/// Where a finding that too few voted on is not adopted, because nobody can be asked.
pub const NO_QUORUM: &str = "no quorum";

/// Instead of the defenses of a decision nobody could debate.
pub const BUCKET_SKIPPED: &str = "(no debate — bucket skipped)";

/// Instead of the defenses of a decision outside the cap.
pub const OVER_CAP: &str = "(no debate — ranked outside cap)";

/// Said when there is nothing to clarify.
pub const NOTHING_TO_CLARIFY: &str = "no clarifying questions needed";

/// Said when the first discussion has no question.
pub const NO_SCOPE_QUESTIONS: &str = "no scope decisions require discussion";

/// Said when the second discussion has no question.
pub const NO_DESIGN_QUESTIONS: &str = "no additional decisions require discussion";

/// Said when the first discussion has more questions than may be asked.
pub const SCOPE_DEFERRED: &str = "⏩ Remaining scope questions deferred to implementation.";

/// Said when the second one has.
pub const DESIGN_DEFERRED: &str = "⏩ Remaining design questions deferred to implementation.";

/// How many questions a discussion settled.
pub fn decisions_resolved(count: usize) -> String {
    format!("{count} decisions resolved")
}

/// The warning for a bucket that cannot debate; `ranks` are those it would have had.
pub fn bucket_unavailable(bucket: Bucket, number: usize, ranks: &str) -> String {
    format!(
        "**⚠ {bucket} unavailable — dialectic skipped for bucket {number} decisions (indices: {ranks}). \
         Step 2a.4 synthesis decisions stand.**"
    )
}

/// Why a decision was not debated because of its rank.
pub fn outside_cap(rank: usize, cap: usize) -> String {
    format!("rank {rank}, outside top-{cap} cap")
}

/// Why judges who are too few settled nothing.
pub fn judges_eligible(eligible: usize) -> String {
    format!("{eligible} judges eligible")
}

/// Why judges who are evenly split settled nothing.
pub fn tie(thesis: usize, anti_thesis: usize) -> String {
    format!("{thesis}-{anti_thesis} tie with {} voters", thesis + anti_thesis)
}

/// The warning for a panel of voters without a quorum. Nothing is accepted then.
pub fn voting_skipped(available: usize, minimum: usize) -> String {
    format!(
        "**⚠ Voting skipped ({available} voter(s) available, minimum {minimum} required). \
         All findings undecided.**"
    )
}
