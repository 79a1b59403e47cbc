//! Command line of charrette: arguments, output, exit codes. One file per command, and no business rules.
//!
//! [`arguments`] and [`commands::flow`] define the arguments. [`env_vars`] is the only module that reads the environment,
//! [`output`] the only one that prints. Every command gets an [`invocation`]. [`drive`] drives a run and shows its
//! progress, [`run_end`] reports how it ended; [`trusted_site`] asks before a repository's own settings are used.

pub mod arguments;
pub mod commands;
mod drive;
mod env_vars;
pub mod help;
mod input;
mod invocation;
mod output;
mod progress;
mod run;
mod run_end;
mod runtime;
mod trusted_site;

pub use run::{main, run_launcher, start_run};
