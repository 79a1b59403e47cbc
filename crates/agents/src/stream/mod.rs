//! Parsers of agents' output, one per output format.
//!
//! Each decides on the evidence that its client prints, never on an exit code alone: output is an answer only
//! if the client says so. [`failure_text`] classifies error messages of vendors, `event` parses one line of
//! JSON, [`output_record`] is the part that all parsers collect, [`clean`] removes control characters.
//!
//! Usage is counted the same way for all vendors: input is everything the model read, cached is the part of it
//! that came from a cache, output includes reasoning.

mod claude;
pub(crate) mod clean;
mod codex;
mod cursor;
pub(crate) mod event;
pub(crate) mod failure_text;
mod format;
mod gemini;
mod opencode;
pub(crate) mod output_record;
mod reader;
mod text;
pub(crate) mod usage;

pub use format::OutputFormat;
pub use reader::{OutputReader, ProcessEnd};
