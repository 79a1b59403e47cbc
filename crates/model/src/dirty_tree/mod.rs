//! `charrette dirty-tree`: detects writes to the work tree since it was last known to be clean.
//!
//! A detector for scripts. It never asks, never restores and always exits 0: the verdict is in the lines, and
//! a failed check is `unknown`, never `clean`. Changes by the agents of a run are detected differently, by
//! comparing two snapshots.

mod command;
mod report;

pub use command::{Comparison, DirtyTreeMode, DirtyTreeRequest};
pub use report::{
    Baseline, DirtyTreeReport, GitListings, NEW_UNTRACKED_PATHS, TRACKED_PATHS, Verdict,
    compare_with_baseline, compare_with_commit,
};
