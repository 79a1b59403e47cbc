//! Journals: the record of a run, in files and in memory, and the conformance checks that every journal must pass.
//!
//! [`mod@file`] is the durable journal, in a state document and a workspace: [`record`] makes the durable changes, [`lane`]
//! is one attempt at a step, [`lookup`] finds recorded ones, [`gates`] opens and answers gates, [`artifacts`] reads and
//! writes files. [`memory`] is a journal without a disk. [`conformance`] has the rules that both must pass.

mod artifacts;
pub mod conformance;
pub mod file;
mod gates;
mod lane;
mod lookup;
pub mod memory;
mod record;

pub use crate::batch::Batch;
pub use file::{FileJournal, RunStorage};
pub use memory::MemoryJournal;
pub(crate) use record::answers_digest;
