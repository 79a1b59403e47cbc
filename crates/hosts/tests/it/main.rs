//! Installation and removal of hooks in real files.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod bench;
mod configurations;
mod files;
mod refusals;
