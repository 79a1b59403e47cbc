//! Parsers and protocol clients, tested with captured output, malformed output and scripted counterparts.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod acp;
mod fixtures;
mod launching;
mod malformed_output;
mod openai;
mod queue;
mod verifying;
mod worktree_seats;
