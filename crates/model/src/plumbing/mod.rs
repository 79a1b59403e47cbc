//! Common parts of plumbing commands: output and flag parsing.
//!
//! Scripts parse these commands, so their lines and exit codes are part of the contract; [`CommandAnswer`]
//! carries them from the rule that decides to the binary that prints. [`flags`] parses the arguments of
//! commands whose messages and exit codes an ordinary argument parser cannot produce.

pub mod answer;
pub mod flags;

pub use answer::CommandAnswer;
