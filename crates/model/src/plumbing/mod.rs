//! What every plumbing command has in common: how it answers, and how its flags are read.
//!
//! Scripts parse these commands, so their lines and exit codes are part of the contract; [`Answer`] carries
//! them from the rule that decides to the binary that prints. [`flags`] reads the arguments of those commands
//! whose messages and exit codes an ordinary argument parser cannot give.

pub mod answer;
pub mod flags;

pub use answer::Answer;
