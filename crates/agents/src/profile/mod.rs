//! Profiles of agent clients, as data: programs, arguments, environment, output format.
//!
//! The built-in ones are `assets/agents/*.toml`; `charrette.toml` overrides their settings or adds agents. No
//! code here depends on a vendor.

mod find;
mod invocation;
mod roster;
mod schema;

pub use invocation::Invocation;
pub use roster::{Agent, Roster, RosterError, built_in};
pub use schema::{Access, Arguments, Environment, Profile, PromptBy, SandboxNeeds, Transport};
