//! The client against a real server on loopback, and the retry policy under paused time.

#![allow(clippy::unwrap_used, reason = "tests")]

mod client;
mod retry;
mod server;
