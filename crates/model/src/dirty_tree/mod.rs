//! `charrette dirty-tree`: has anybody written to the work tree since it was last known to be clean?
//!
//! A detector for scripts. It never asks and never restores, and whatever happens it exits 0: the answer is in
//! the lines, and what could not be found out is `unknown`, never `clean`. What an agent of a run changed is
//! found out differently, by comparing two snapshots.

mod command;
mod report;

pub use command::{Mode, Question, Request};
pub use report::{
    Baseline, NEW_UNTRACKED_PATHS, Report, Seen, TRACKED_PATHS, Verdict, from_baseline, since_checkpoint,
};
