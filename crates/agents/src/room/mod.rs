//! The room: every agent there is, where they work, and what they are held to.
//!
//! [`rules`] is what the configuration says, [`call`] one supervised call of one agent, however it is reached,
//! [`embedded`] the agent that needs none, [`probe`] the question whether an agent works at all, [`budget`] what a call may cost, [`tree`] what it changed.
//! [`availability`] says which agents that seats are meant for are missing. [`shared`] is what they have in common, [`seating`] seats them for an engine: health, rate limits, ledgers.

mod availability;
mod budget;
mod call;
mod embedded;
mod instructions;
mod probe;
mod rules;
mod seating;
mod shared;
mod tree;

pub use availability::availability;
pub use call::{Call, Report};
pub use probe::Probe;
pub use rules::{Budget, RateLimit, Rules};
pub use shared::{Furnishing, Room, asks_folder, candidates, chain_of, days_folder, drivers_folder};
