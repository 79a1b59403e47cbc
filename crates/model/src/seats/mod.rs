//! Who sits where in a design run: every seat as data, which agents may take it and in which order.
//!
//! [`table`] is the list of seats, [`levels`] those of projects and features, [`mod@seat`] what a seat is, [`mod@chain`] who may take one, [`mod@plan`] how
//! a whole panel is seated so that different vendors speak, [`configured`] what is wrong with `[seats]` of a
//! configuration, [`health`] which agents are still trusted, [`files`] how one answer becomes several files,
//! [`tiers`] the models somebody may want to ask for.
//!
//! Whether an agent is installed and answers comes in as a value. Finding that out, launching it and the text it
//! is sent are elsewhere.

pub mod chain;
pub mod configured;
pub mod files;
pub mod health;
pub mod levels;
pub mod plan;
pub mod seat;
pub mod table;
pub mod tiers;

pub use chain::{CLAUDE, Candidate, Chain, EMBEDDED, Why, chain};
pub use health::AgentHealth;
pub use levels::{every, level_seats, peers};
pub use plan::{Placement, distinct_vendors, plan};
pub use seat::{AnswerForm, ClockFamily, Group, Seat};
pub use table::{SEATS, group, seat, sketches};
