//! `charrette collect`: outcomes of agent calls that were launched in parallel.
//!
//! The binary waits for the `.done` files and reads the sidecar files of each output; [`record`] derives the
//! status, [`substance`] validates answers, [`command`] has arguments and output. A call that ended without
//! output is reported, never retried: a command found on disk is not run.

pub mod command;
pub mod metadata;
pub mod record;
pub mod substance;

pub use command::CollectRequest;
pub use record::{CallSidecars, CallStatus, CollectRecord};
