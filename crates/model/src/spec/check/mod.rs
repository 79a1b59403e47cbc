//! Deterministic checks of a specification.
//!
//! [`check()`] checks all files of a design and returns issues with file and line. [`issue`] has the codes and
//! the report. One module per file or rule: `requirements`, `tasks`, `design`, `summary`, `counts` (progress,
//! phases, task lists), `identity` (name, status, dates), `targets` (Markdown links), `places` (cited lines), `plan`.
//! [`paths`] parses entries of file lists. [`levels`] checks projects and features. The content is judged by people and the
//! validator seat.

mod counts;
mod design;
mod identity;
pub mod issue;
pub mod levels;
pub mod paths;
mod places;
mod plan;
mod requirements;
mod spec_files;
mod summary;
mod targets;
mod tasks;

pub use design::{CONFIDENCE, Confidence, confidence};
pub use identity::check_name;
pub use issue::{IssueCode, SpecIssue, report, sort_issues};
pub use levels::{LevelShape, check_level, level_shape};
pub use paths::{FileFacts, FileRef};
pub use spec_files::{SpecFiles, check};
pub use summary::LINKED;
