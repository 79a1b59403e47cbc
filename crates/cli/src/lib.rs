//! The command line of charrette: arguments, wiring, exit codes. One file per command, and no rules.
//!
//! [`arguments`] is the one definition of what can be typed. [`env_vars`] is the only place that reads the
//! environment, [`output`] the only one that prints, [`site`] the only one that finds out where we are.

mod answers;
pub mod arguments;
mod commands;
mod designing;
mod disk;
pub mod drive;
mod driven;
mod embedded;
mod env_vars;
mod error;
mod export;
mod git;
mod health_file;
pub mod help;
mod input;
mod nesting;
mod output;
mod progress;
mod room;
mod run;
mod run_log;
mod site;
mod stage_marks;
mod stopping;
mod studio;
mod tracker;
mod webhooks;
mod workspaces;

pub use run::{begin, main};
