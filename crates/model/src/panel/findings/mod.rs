//! Findings of one plan reviewer: numbered, each with a title, a severity, a focus, a concern and a suggested
//! revision, or `NO_ISSUES_FOUND`.
//!
//! [`parser`] splits a review into findings, `draft` parses a single one, [`focus`] has the five focus areas,
//! [`severity`] the three grades, [`provenance`] says whether a review names the places it is about. The findings of
//! all reviewers are merged in [`super::review_items`].

mod draft;
pub mod focus;
pub mod parser;
pub mod provenance;
pub mod severity;

pub use focus::Focus;
pub use parser::{Finding, FindingsStatus, NO_ISSUES_FOUND, ReviewerFindings, read_findings};
pub use provenance::{check_review, names_place};
pub use severity::FindingSeverity;
