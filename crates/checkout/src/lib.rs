//! The work tree of a run: entry gate and preflight, the branch the run works on, and undoing what agents changed.
//!
//! [`RunCheckout`] is the work tree of one run: `entrance` and `preflight` decide whether the run may start, `branching`
//! creates its branch, `interrupted` takes back what a killed git left of either, `delivery` writes a file where the user wants it; [`CitedSources`] are the files that
//! agents cite. [`BranchFacts`] are read from git and the
//! configuration; [`Mainline`] is the main branch and its remote. [`TreeWatch`] reports and undoes what agents changed,
//! with one `git status` for concurrent callers (`coalesce`), and copies HEAD for agents of their own (`head_copy`);
//! [`tree`] has the snapshots it compares. [`TaskWorktrees`] are the worktrees in which tasks are implemented.
//!
//! The rules are in `charrette_model::{branch, gate, tree}`; this crate runs git for them.

mod adapter;
mod branching;
mod coalesce;
mod delivery;
mod entrance;
mod facts;
mod head_copy;
mod interrupted;
mod located;
mod mainline;
mod preflight;
mod run_checkout;
mod sources;
pub mod tree;
mod watch;
mod worktrees;

pub use charrette_engine::ports::{BranchOrder, BranchReport, EntryReport, PortError};
pub use facts::{BranchFacts, BranchFactsError};
pub use interrupted::unfinished_rebase;
pub use mainline::{FETCH_TIMEOUT, Mainline};
pub use run_checkout::{CheckoutOptions, RunCheckout};
pub use sources::CitedSources;
pub use watch::{Surroundings, TreeWatch};
pub use worktrees::{LeftOver, TaskWorktrees, WorktreeOptions};
