//! Panel texts fixed by contract: people know them, and other tools search for them.
//!
//! All other texts (problems, ballot instructions) stand beside the code that writes them.

use super::buckets::Bucket;
use super::ids::ItemId;

/// `voting-tally.md` without findings.
pub const NOTHING_TO_VOTE_ON: &str = "No findings were raised — voting was not needed.";

/// Heading of the accepted findings.
pub const VOTED_IN: &str = "## Plan Review Findings (Voted In)";

/// Shown if no in-scope finding was accepted.
pub const ALL_REJECTED: &str = "**ℹ Voting panel rejected all in-scope findings. Plan unchanged.**";

/// Reason for rejecting a finding without a quorum in an unattended run.
pub const NO_QUORUM: &str = "no quorum";

/// Summary placeholder of a bucket-skipped decision.
pub const BUCKET_SKIPPED: &str = "(no debate — bucket skipped)";

/// Summary placeholder of an over-cap decision.
pub const OVER_CAP: &str = "(no debate — ranked outside cap)";

/// Status text without clarifying questions.
pub const NOTHING_TO_CLARIFY: &str = "no clarifying questions needed";

/// Status text of a first discussion without questions.
pub const NO_SCOPE_QUESTIONS: &str = "no scope decisions require discussion";

/// Status text of a second discussion without questions.
pub const NO_DESIGN_QUESTIONS: &str = "no additional decisions require discussion";

/// Shown if the first discussion exceeds its question limit.
pub const SCOPE_DEFERRED: &str = "⏩ Remaining scope questions deferred to implementation.";

/// Shown if the second discussion exceeds its question limit.
pub const DESIGN_DEFERRED: &str = "⏩ Remaining design questions deferred to implementation.";

/// Closing text of a discussion.
pub fn decisions_resolved(count: usize) -> String {
    format!("{count} decisions resolved")
}

/// Warning for a bucket without debaters; `ranks` are the skipped ones.
pub fn bucket_unavailable(bucket: Bucket, number: usize, ranks: &str) -> String {
    format!(
        "**⚠ {bucket} unavailable — dialectic skipped for bucket {number} decisions (indices: {ranks}). \
         Step 2a.4 synthesis decisions stand.**"
    )
}

/// Reason for an over-cap decision.
pub fn outside_cap(rank: usize, cap: usize) -> String {
    format!("rank {rank}, outside top-{cap} cap")
}

/// Fallback reason without a quorum of judges.
pub fn judges_eligible(eligible: usize) -> String {
    format!("{eligible} judges eligible")
}

/// Fallback reason for a tie.
pub fn tie(thesis: usize, anti_thesis: usize) -> String {
    format!("{thesis}-{anti_thesis} tie with {} voters", thesis + anti_thesis)
}

/// Warning for a vote without a quorum. No finding is accepted then.
pub fn voting_skipped(available: usize, minimum: usize) -> String {
    format!(
        "**⚠ Voting skipped ({available} voter(s) available, minimum {minimum} required). \
         All findings undecided.**"
    )
}

/// Reason for not adopting a finding that contradicts resolutions and has not every vote.
pub fn contradicts(decisions: &[ItemId]) -> String {
    let named: Vec<String> = decisions.iter().map(ToString::to_string).collect();
    format!("contradicts {}", named.join(", "))
}
