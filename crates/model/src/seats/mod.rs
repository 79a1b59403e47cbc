//! Seats of a run and the agents that take them. The seats themselves belong to the flows and come in as a
//! value.
//!
//! [`mod@seat`] defines a seat, [`tables`] collects the seats of several flows, [`mod@chain`] resolves the
//! fallback chain of a seat, [`seating`] seats a whole panel with as many vendors as possible, [`config`] reads
//! and checks `[seats]` of the configuration, [`health`] tracks failed agents, [`files`] splits one answer into
//! several files, [`tiers`] is an optional preset of models, [`agent_name`] says what an agent may be called.
//!
//! Availability of agents comes in as a value. Probing and launching agents and their prompts are elsewhere.

pub mod agent_name;
pub mod chain;
pub mod config;
pub mod files;
pub mod health;
pub mod seat;
pub mod seating;
pub mod tables;
pub mod tiers;

pub use agent_name::is_agent_name;
pub use chain::{CLAUDE, Candidate, Chain, EMBEDDED, ExclusionReason, build_chain};
pub use health::AgentHealth;
pub use seat::{AnswerForm, ClockFamily, Seat, SeatGroup};
pub use seating::{Placement, distinct_vendors, plan_seating};
pub use tables::SeatTables;
