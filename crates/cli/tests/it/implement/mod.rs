//! `charrette implement` tried with scripted agents in a real library: what it does in a straight line, what it refuses, what
//! lies it sees through, and what survives a kill. `bed` is the test bed.

mod approvals;
mod bed;
mod by_hand;
mod commands;
mod conflicts;
mod decisions;
mod disk;
mod file_lies;
mod first;
mod follow_up_issues;
mod kills;
mod landing;
mod records;
mod refusals;
mod repository_lies;
mod rounds;
mod spec_changes;
mod straight_line;
mod test_lies;
mod whole_review;

pub(crate) use first::{bench, implement, tests_pass};
