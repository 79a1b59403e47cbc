//! `tasks.md`: the work of a specification.
//!
//! [`list`] reads the file into a [`TaskList`], in every form people and agents write it: headings `### T001:
//! Title [US1]` under `## Phase 1: Name`, check boxes `- [ ] T010: title` and `- [ ] 8. title`, headings `## Task
//! 1: title`. [`heads`] recognises the line a task begins with, [`body`] what stands below it, [`depends`] who
//! waits for whom, [`progress`] the counts a file states about itself. [`mod@tick`] marks a task as done in all
//! files at once.

pub mod body;
pub mod depends;
pub mod heads;
pub mod list;
pub mod progress;
pub mod tick;

pub use body::{Mode, Prompt};
pub use list::{Phase, Task, TaskList};
pub use tick::{SpecTexts, TickError, tick, with_counts};
