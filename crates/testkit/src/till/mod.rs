//! An implementation to be tried: a small Python library, its approved specification of ten tasks, and scripted agents that
//! make real edits.
//!
//! The tasks are a diamond: one at the top, four below it, two that join them, one at the bottom, and two after it. Two
//! pairs may touch the same files: T003 and T004 (`till/settings.py`), T009 and T010 (`till/report/`). [`WAVES`] is the
//! schedule, computed by hand. [`repository`] makes the repository, [`leftovers`] finds what a run left behind.

pub mod leftovers;
mod plan;
pub mod repository;
mod scripted_till;

pub use plan::{FEATURE, TASKS, WAVES};
pub use scripted_till::Till;
