//! The dialectic: contested decisions are defended from two sides and settled by judges.
//!
//! [`ballot`] puts the defenses that hold before the judges, [`anonymity`] keeps the names of the tools out of it,
//! [`tally`] reads the judges' lines and counts. What a defense must have is in [`super::debate`], what becomes of
//! each decision is written down by [`super::resolutions`].

pub mod anonymity;
pub mod ballot;
pub mod tally;

pub use ballot::{BallotRequest, DebatedDecision, DialecticBallot, build_ballot};
pub use tally::{Judge, JudgedDecision, JudgesRequest, JudgesTally, OnBallot, tally_judges};
