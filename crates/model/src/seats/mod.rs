//! Who sits where: what a seat is, which agents may take it and in which order. The seats themselves are those of
//! the flows and come in as a value.
//!
//! [`mod@seat`] is what a seat is, [`tables`] the seats of several flows together, [`mod@chain`] who may take one,
//! [`mod@plan`] how a whole panel is seated so that different vendors speak, [`configured`] what is wrong with
//! `[seats]` of a configuration, [`health`] which agents are still trusted, [`files`] how one answer becomes several
//! files, [`tiers`] the models somebody may want to ask for.
//!
//! Whether an agent is installed and answers comes in as a value. Finding that out, launching it and the text it
//! is sent are elsewhere.

pub mod chain;
pub mod configured;
pub mod files;
pub mod health;
pub mod plan;
pub mod seat;
pub mod tables;
pub mod tiers;

pub use chain::{CLAUDE, Candidate, Chain, EMBEDDED, Why, chain};
pub use health::AgentHealth;
pub use plan::{Placement, distinct_vendors, plan};
pub use seat::{AnswerForm, ClockFamily, Group, Seat};
pub use tables::SeatTables;
