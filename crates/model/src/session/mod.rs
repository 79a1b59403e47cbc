//! Values exchanged between nested runs as `KEY=VALUE` files: the caller's environment ([`mod@env`]), the
//! health of tools ([`health`]), and the lookup of a single key for scripts ([`get`]).
//!
//! These files are an export for scripts. They are never sourced, and foreign content is only ever compared
//! with known keys.

pub mod env;
pub mod get;
pub mod health;
pub mod pairs;

pub use env::{DISCARD, SessionEnv};
pub use health::Health;
