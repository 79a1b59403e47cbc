//! Client of the Agent Client Protocol, over pipes that the caller owns.
//!
//! [`run_session`] initialises the agent, opens or resumes a session, selects mode and model where they are
//! offered, sends the prompt, answers permission requests by policy, and collects the answer. It starts no
//! process and has no timeout: dropping it cancels the session.
//!
//! Messages are parsed lazily, as the events of other clients are. Real agents send more than the protocol's
//! published types have (models, usage of a turn) and values that these do not allow; memory is bounded by one
//! line.

mod connection;
mod permission;
mod session;
mod session_options;
mod transcript;

pub use session::{AcpRequest, run_session};
