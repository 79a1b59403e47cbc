//! Worktrees in which the tasks of a run are implemented, and the integration of their work.
//!
//! ```text
//! <state>/worktrees/
//!   <run>/T001/                  a worktree; its agent may write here
//!   <run>/.charrette/run.json    the repository and where the run began
//!   <run>/.charrette/T001/       record.json, the index as it was checked out
//!   .scratch-<pid>-<n>/          private index of one call
//! ```
//!
//! [`TaskWorktrees`] implements the engine's `Worktrees` port (`adapter`). `places` has folders, names and refs, `record`
//! what is remembered of a worktree, `begin` the start of a run. `prepare`, `registration`, `other_files` and `includes`
//! make worktrees, `capture` and `tampering` look at them afterwards, `commits`, `merge` and `lost_lines` integrate, `land`
//! moves the user's branch, `removal` and `left_over` clean up. `objects` reads and writes git objects, `refs` and
//! `ref_files` move refs.
//!
//! A worktree is made completely or not at all: its record is written last and removed first, and what has no record is
//! made again. Neither the `.git` file of a worktree nor its own index is read after an agent has worked in it.

mod adapter;
mod begin;
mod capture;
mod checkout_content;
mod commits;
mod error;
mod includes;
mod land;
mod left_over;
mod lost_lines;
mod mentions;
mod merge;
mod objects;
mod other_files;
mod places;
mod prepare;
mod record;
mod ref_files;
mod refs;
mod registration;
mod removal;
mod tampering;
mod task_worktrees;

pub use left_over::LeftOver;
pub use task_worktrees::{TaskWorktrees, WorktreeOptions};
