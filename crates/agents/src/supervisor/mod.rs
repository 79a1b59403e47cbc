//! One supervisor for every agent that is a process.
//!
//! [`errand`] is what is asked of a process, [`supervise`] sees it through: talked to, held to its [`clocks`],
//! ended with everything it started. [`printed`] talks to one that prints, [`protocol`] to one that speaks the
//! Agent Client Protocol. [`lines`] and [`capture`] keep what it says bounded, in memory and on disk. What it said
//! is judged elsewhere, by the reader of its format.

mod capture;
pub(crate) mod clocks;
mod errand;
mod lines;
mod listener;
mod printed;
mod protocol;
mod supervise;

pub use clocks::Clocks;
pub(crate) use clocks::Pulse;
pub use errand::{Conversation, Errand, Feed, Kept, Scribe};
pub use supervise::{Report, supervise};
