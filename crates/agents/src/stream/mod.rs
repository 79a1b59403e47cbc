//! What agents print, and how to tell an answer from it.
//!
//! One module per vendor. Each decides on the evidence its client gives, never on an exit code alone: what is
//! not proven to be an answer is none. [`complaint`] names failures that vendors put in words, `event` reads one
//! line of JSON, `record` holds what every reader collects, [`clean`] takes out of an answer what is no text.
//!
//! Counted alike for all vendors, whatever each calls it: input is everything the model read, cached is the part
//! of it that came from a cache, output includes reasoning.

mod claude;
pub(crate) mod clean;
mod codex;
pub(crate) mod complaint;
mod cursor;
pub(crate) mod event;
mod format;
mod gemini;
mod opencode;
mod reader;
pub(crate) mod record;
mod text;
pub(crate) mod usage;

pub use format::Format;
pub use reader::{End, Reader};
