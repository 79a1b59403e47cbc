//! Installation and removal in real files.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod bench;
mod configurations;
mod files;
mod plugins;
mod refusals;
mod servers;
mod skills;
mod toml_edits;
