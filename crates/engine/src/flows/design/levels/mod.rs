//! The design of a project or of a feature: what comes before specifications.
//!
//! [`flow`] reads like its description. [`kind`] is what the two levels differ in, `questions` what they are asked,
//! `files` how their files are made, `approval` and `validation` how they are looked at. Nothing is sketched, debated or
//! voted on at these levels, and nothing of a parent is ever written.

mod approval;
mod files;
mod flow;
mod kind;
mod questions;
mod validation;

pub(super) use flow::design_level;
pub(super) use kind::Kind;
