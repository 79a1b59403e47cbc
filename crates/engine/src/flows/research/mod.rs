//! `charrette research`: a cited map of the code for a topic.
//!
//! [`FLOW`] is its `FlowSpec`, `flow` the flow. [`seats`], [`stages`] and [`artifacts`] are its tables, `pages` the pages
//! before and after a run.

pub mod artifacts;
mod command;
mod flow;
mod pages;
pub mod seats;
pub mod stages;

pub use command::FLOW;
