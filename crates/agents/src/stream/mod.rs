//! What agents print, and how to tell an answer from it.
//!
//! One module per vendor. Each decides on the evidence its client gives, never on an exit code alone.

mod format;
mod reader;
mod text;

pub use format::Format;
pub use reader::{End, Reader};
