//! The command line of charrette: arguments, pages, exit codes. One file per command, and no rules.
//!
//! [`arguments`] and [`commands::flow`] are the definition of what can be typed. [`env_vars`] is the only place that reads the
//! environment, [`output`] the only one that prints. [`here`] is what every command is given, [`driving`] shows a run while
//! it is driven, [`stopping`] says how it stopped.

pub mod arguments;
pub mod commands;
mod driving;
mod env_vars;
pub mod help;
mod here;
mod input;
mod output;
mod progress;
mod run;
mod runtime;
mod stopping;

pub use run::{begin, main};
