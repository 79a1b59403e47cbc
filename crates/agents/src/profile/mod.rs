//! Profiles of agent clients, as data: how to find one, how to call it, how it answers.
//!
//! The built-in ones are `assets/agents/*.toml`; `charrette.toml` adjusts them or adds more. Nothing here knows
//! a vendor by name.

mod find;
mod invocation;
mod roster;
mod schema;

pub use invocation::Occasion;
pub use roster::{Agent, Roster, RosterError, built_in};
pub use schema::{Arguments, Environment, Profile, PromptBy, Talk};
