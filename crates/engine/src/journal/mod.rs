//! The journal in files: the state document is the record, the workspace holds what was written.
//!
//! [`file`] does steps once, [`lane`] is one attempt at a step, [`record`] makes the durable changes,
//! [`gates`] knows where gates stand.

pub mod file;
mod gates;
mod lane;
mod record;

pub use file::{FileJournal, RunPlace};
pub use lane::Lane;
pub(crate) use record::answers_digest;
