//! One round with an agent that speaks the Agent Client Protocol, over pipes that somebody else owns.
//!
//! [`converse`] says hello, opens a session or goes on with one, chooses mode and model where they are offered,
//! asks, answers requests for permission by policy, and collects what is said. It starts no process and keeps no
//! clock: dropping it is the way to end a round.
//!
//! The messages are read as the other vendors' events are, member by member. Agents in the field send more than
//! the protocol's published types hold (models, usage of a turn), and other things than they allow, and none of it
//! may cost more memory than a line.

mod converse;
mod offer;
mod permission;
mod transcript;
mod wire;

pub use converse::{AcpOrder, converse};
