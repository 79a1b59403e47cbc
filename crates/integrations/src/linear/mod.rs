//! Linear, over its GraphQL interface: the key's owner, a team, an issue that is created once.
//!
//! [`Linear`] is the client, [`LinearOptions`] its timeout and retries, [`LinearTracker`] the engine's tracker
//! port.

mod client;
mod error;
mod graphql;
mod options;
mod tracker;

pub use client::{Linear, NewIssue, Team};
pub use error::LinearError;
pub use options::LinearOptions;
pub use tracker::LinearTracker;
