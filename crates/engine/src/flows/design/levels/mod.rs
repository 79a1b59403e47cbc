//! The design of a project or feature: the levels above specifications.
//!
//! [`flow`] is the flow, [`kind`] the differences between the two levels, `questions` their gate questions, `files` the
//! step that writes their files, `approval` their gates, `validation` their checks. These levels have no sketches,
//! debates or votes, and never write files of a parent.

mod approval;
mod files;
mod flow;
mod kind;
mod questions;
mod validation;

pub(super) use flow::design_level;
pub(super) use kind::LevelKind;
