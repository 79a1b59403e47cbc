//! What a reviewer found in a plan: numbered findings, each with a focus, a concern and a suggested revision, or
//! `NO_ISSUES_FOUND`.
//!
//! [`read`] finds where findings begin and end, `draft` reads a single one, [`focus`] knows the five focus areas.
//! What several reviewers found is brought together in [`super::merged`].

mod draft;
pub mod focus;
pub mod read;

pub use focus::Focus;
pub use read::{Finding, FindingsStatus, NO_ISSUES_FOUND, ReviewerFindings, read_findings};
