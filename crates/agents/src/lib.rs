//! Agents as supervised processes: each in a process group of its own, ended with everything it started.
//!
//! [`command`] runs any program that reads a prompt on standard input and prints its answer. [`group`] is the
//! process group that makes sure of its end.

#![warn(missing_docs)]

pub mod command;
mod group;

pub use command::CommandLauncher;
