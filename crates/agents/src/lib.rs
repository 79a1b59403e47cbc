//! Agents of any vendor, as supervised processes or endpoints.
//!
//! [`profile`] describes how each client is found and called, [`stream`] parses its output, [`outcome`] is the
//! result of a call. [`supervisor`] runs one process with timeouts and output limits, `process_group` ends it
//! with its children, and [`orphans`] finds processes that outlived their run; [`acp`] speaks the Agent Client
//! Protocol, [`openai`] calls endpoints, [`queue`] keeps calls for a person or any program.
//! [`pool`] is the engine's launcher on top of all that, [`verify`] runs verify commands; [`host`] is the folder and environment of agents.

pub mod acp;
pub mod host;
pub mod openai;
pub mod orphans;
pub mod outcome;
pub mod pool;
mod process_group;
pub mod profile;
pub mod queue;
pub mod sandbox;
pub mod stream;
pub mod supervisor;
pub mod verify;
