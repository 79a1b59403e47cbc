//! The six files of a specification, made from the writer's three drafts and the records of the panel.
//!
//! [`assemble`] makes them with [`Templates`], which a team can override. Facts are written by code, whatever an agent
//! wrote: `draft` parses the lines at the top of each draft, `design` adds the required sections, `record` the votes
//! behind each decision, `summary` the text of `summary.md`. [`status`] changes the status of all files at once,
//! [`mod@gate_summary`] is the summary that the second gate shows.
//!
//! Everything here is pure: text in, text out. `charrette_model::spec::check` validates the result.

mod assembly;
mod design;
mod draft;
pub mod gate_summary;
mod issue;
mod materials;
mod record;
pub mod status;
mod summary;
mod templates;

pub use assembly::assemble;
pub use gate_summary::{GateSummary, gate_summary};
pub use issue::{IssueText, issue_text, with_issue};
pub use materials::{DeliverableError, Materials};
pub use status::{SpecStatus, with_approval_record, with_status, without_status};
pub use templates::Templates;
