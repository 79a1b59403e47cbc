//! `charrette research`: a cited map of the code for a topic.
//!
//! [`FLOW`] is the command as a value, `flow` what it does. [`seats`], [`stages`] and [`artifacts`] are its tables, `pages`
//! what it says before and after.

pub mod artifacts;
mod command;
mod flow;
mod pages;
pub mod seats;
pub mod stages;

pub use command::FLOW;
