//! Whether a specification is good enough to work from, as far as a program can tell.
//!
//! [`check()`] looks at all files of a design and gives what is wrong, each with its file and line. [`issue`] has the
//! codes and the report. One module per question: `requirements`, `tasks`, `design`, `summary`, `numbers` (counts,
//! phases), `names` (statuses, ids, dates), `targets` (Markdown links), `plan`. [`paths`] tells what a line of a
//! list of files names. [`levels`] looks at projects and features. Whether the files say the right thing is for people and the validator seat to judge.

mod all;
mod design;
pub mod issue;
pub mod levels;
mod names;
mod numbers;
pub mod paths;
mod plan;
mod requirements;
mod summary;
mod targets;
mod tasks;

pub use all::{SpecFiles, check};
pub use design::{CONFIDENCE, Confidence, confidence};
pub use issue::{Code, Issue, in_order, report};
pub use levels::{LevelShape, check_level, shape};
pub use names::check_name;
pub use paths::{FileFacts, FileRef};
pub use summary::LINKED;
