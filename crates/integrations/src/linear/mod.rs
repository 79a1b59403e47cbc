//! Linear, over its GraphQL interface: who the key belongs to, a team, an issue made once.
//!
//! [`Linear`] is the client; [`error`] says what can go wrong, [`patience`] how long it is tried, [`tracker`] is Linear as the engine's tracker.

mod client;
mod error;
mod patience;
mod tracker;
mod wire;

pub use client::{Linear, NewIssue, Team};
pub use error::LinearError;
pub use patience::Patience;
pub use tracker::LinearTracker;
