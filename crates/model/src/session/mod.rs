//! Values that travel between nested runs as `KEY=VALUE` files: the caller's environment ([`mod@env`]), the health
//! of tools ([`health`]), and the reader of a single key that scripts use ([`get`]).
//!
//! These files are an export for scripts. They are never sourced, and what was written by somebody else is
//! only ever compared with known keys.

pub mod env;
pub mod get;
pub mod health;
pub mod pairs;

pub use env::{DISCARD, SessionEnv};
pub use health::Health;
