//! `charrette collect`: what became of agent calls that were launched beside each other.
//!
//! The binary waits for the `.done` files and reads what stands beside each output; [`record`] decides what that
//! amounts to, [`substance`] whether an answer says anything, [`command`] what was asked and how it is answered.
//! A call that ended without output is reported, never repeated: a command found on disk is not run.

pub mod command;
pub mod metadata;
pub mod record;
pub mod substance;

pub use command::Request;
pub use record::{Record, Seen, Status};
