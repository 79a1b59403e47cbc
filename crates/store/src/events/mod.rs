//! The event log of a run: `events.jsonl` in its workspace, one JSON object per line.
//!
//! It is informational and never read to decide anything. So it is not synced, it is bounded ([`MAX_BYTES`],
//! then the oldest half is dropped), and unreadable lines are skipped. [`EventLog`] writes, [`read`] reads
//! the existing events, [`EventFollower`] follows new ones. The format of an event is up to its producer.

mod follower;
mod lines;
mod log;
mod read;

pub use follower::EventFollower;
pub use lines::{FILE, MAX_BYTES, MAX_LINE_BYTES};
pub use log::{EventLog, EventLogError};
pub use read::read;
