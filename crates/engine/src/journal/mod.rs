//! Journals: the memory of a run, in files and in memory, and the checks that any journal must pass.
//!
//! [`file`] keeps the record in a state document and a workspace: [`record`] makes the durable changes, [`lane`] is one
//! attempt at a step, [`gates`] knows where gates stand, [`files`] reads and writes artifacts. [`memory`] is the same promise
//! without a disk. [`conformance`] says what the promise is.

pub mod conformance;
pub mod file;
mod files;
mod gates;
mod lane;
pub mod memory;
mod record;

pub use crate::batch::Batch;
pub use file::{FileJournal, RunPlace};
pub use memory::MemoryJournal;
pub(crate) use record::answers_digest;
