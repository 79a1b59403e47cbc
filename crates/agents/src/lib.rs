//! Agents of any vendor, as supervised processes or endpoints.
//!
//! [`profile`] says how each client is found and called, [`stream`] reads what it prints, [`outcome`] is what a
//! call came to. [`supervisor`] sees a process through, `group` makes sure of its end, and [`strays`] are those it
//! leaves; [`acp`] talks to agents that speak the Agent Client Protocol, [`openai`] to endpoints. [`room`] brings it
//! all together for an engine; [`surroundings`] is where that happens.

#![warn(missing_docs)]

pub mod acp;
mod group;
pub mod openai;
pub mod outcome;
pub mod profile;
pub mod room;
pub mod strays;
pub mod stream;
pub mod supervisor;
pub mod surroundings;
