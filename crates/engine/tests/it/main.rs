//! The engine on real files, with flows made up on the spot.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod random_flows;
mod stage;
mod steps;
