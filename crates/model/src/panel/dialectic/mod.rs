//! Dialectic: contested decisions are defended from two sides and settled by judges.
//!
//! [`ballot`] puts the valid defenses before the judges, [`anonymity`] masks tool names, [`tally`] counts the
//! judges' votes, [`vote_record`] says who cast them. [`super::debate`] parses the defenses, [`super::resolutions`]
//! records the result of each decision.

pub mod anonymity;
pub mod ballot;
pub mod tally;
pub mod vote_record;

pub use anonymity::subject_names;
pub use ballot::{BallotRequest, DebatedDecision, DialecticBallot, build_ballot};
pub use tally::{BallotDecision, Judge, JudgeVote, JudgedDecision, JudgesRequest, JudgesTally, tally_judges};
pub use vote_record::write_vote_record;
