//! `tasks.md`: the tasks of a specification.
//!
//! [`list`] parses the file into a [`TaskList`], in every form people and agents write it: headings `### T001:
//! Title [US1]` under `## Phase 1: Name`, checkboxes `- [ ] T010: title` and `- [ ] 8. title`, headings `##
//! Task 1: title`. [`heads`] parses the first line of a task, [`body`] the lines below it, [`depends`] the
//! dependencies, [`progress`] the stated counts. [`mod@tick`] marks a task as done in all files at once.

pub mod body;
pub mod depends;
pub mod heads;
pub mod list;
pub mod progress;
pub mod tick;

pub use body::{TaskMode, TaskPrompt};
pub use list::{Task, TaskList, TaskPhase};
pub use tick::{TaskFiles, TickError, tick, with_counts};
