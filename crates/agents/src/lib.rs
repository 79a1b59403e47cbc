//! Agents of any vendor, as supervised processes or endpoints.
//!
//! [`profile`] says how each client is found and called, [`stream`] reads what it prints, [`outcome`] is what a
//! call came to. [`command`] runs any program that reads a prompt on standard input and prints its answer.
//! [`group`] is the process group that makes sure of its end.

#![warn(missing_docs)]

pub mod acp;
pub mod command;
mod group;
pub mod outcome;
pub mod profile;
pub mod stream;

pub use command::CommandLauncher;
