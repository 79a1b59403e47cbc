//! The kept stream of events of a run: `events.jsonl` in its workspace, one JSON object per line.
//!
//! It is for people and programs that want to see what happened, and is never read to decide anything. So it is not
//! synced, it is bounded ([`MAX_BYTES`], then the oldest half is dropped), and a reader passes over what it cannot
//! read. [`EventLog`] writes, [`read`] reads what is there, [`Follow`] reads what is added. What an event looks like is
//! the business of whoever makes it.

mod follow;
mod lines;
mod log;
mod read;

pub use follow::Follow;
pub use lines::{FILE, MAX_BYTES, MAX_LINE_BYTES};
pub use log::{EventLog, EventLogError};
pub use read::read;
