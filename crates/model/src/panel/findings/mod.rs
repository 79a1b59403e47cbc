//! Findings of one plan reviewer: numbered, each with a focus, a concern and a suggested revision, or
//! `NO_ISSUES_FOUND`.
//!
//! [`parser`] splits a review into findings, `draft` parses a single one, [`focus`] has the five focus areas.
//! The findings of all reviewers are merged in [`super::review_items`].

mod draft;
pub mod focus;
pub mod parser;

pub use focus::Focus;
pub use parser::{Finding, FindingsStatus, NO_ISSUES_FOUND, ReviewerFindings, read_findings};
