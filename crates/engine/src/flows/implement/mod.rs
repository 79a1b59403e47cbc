//! `charrette implement`: from an approved specification to proven commits.
//!
//! [`FLOW`] is its `FlowSpec`, `flow` the order of its parts. `reading` reads the specification, `start` judges whether it
//! can be implemented, `beginning` begins the integration and takes the baseline. `waves` runs tasks side by side:
//! `attempt` has one task implemented in rounds, `checks` runs commands, `integration` brings its work together with all
//! other work, `decisions` asks a person. `validation` judges the whole, `repair` mends it, `delivery` ticks, reports and
//! lands, `follow_ups` keeps what was found out of scope. [`seats`], [`stages`] and [`artifacts`] are the tables, `pages` the pages before and after a run.

pub mod artifacts;
mod attempt;
mod beginning;
mod brief;
mod change;
mod checks;
mod command;
mod comprehensive;
mod decisions;
mod delivery;
mod flags;
mod flow;
mod follow_ups;
mod integration;
mod messages;
mod pages;
mod progress_notes;
mod proofs;
mod reading;
mod repair;
mod report;
mod review;
mod rounds;
pub mod seats;
pub mod stages;
mod start;
mod state;
mod validation;
mod waves;
mod work;

pub use change::read_changes;
pub use checks::describe_ending;
pub use command::FLOW;
pub use flags::ImplementFlags;
pub use proofs::{command_of_proof, proof_run};
pub use start::{SpecTexts, judge_approval};
