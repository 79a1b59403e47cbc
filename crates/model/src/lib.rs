//! Domain types and rules of charrette: checkpoint documents and their transitions, feature names and flags,
//! handoffs between agents, the seats of a design run, the panel and its votes, specifications and their
//! tasks, gates and branches, work trees, diagrams, configuration, and the word limit of summaries.
//!
//! Everything here is a pure function on text and values. Files, processes, the clock and the environment are
//! deliberately absent: time and names come in as arguments, so every rule can be tested by a table.

pub mod branch;
pub mod checkpoint;
pub mod collect;
pub mod config;
pub mod diagram;
pub mod dirty_tree;
pub mod escape;
pub mod feature;
pub mod gate;
pub mod handoff;
pub mod implement;
pub mod ledger;
pub mod manifest;
pub mod markdown;
pub mod merge_patch;
pub mod nearest;
pub mod nesting;
pub mod panel;
pub mod plumbing;
pub mod problem;
pub mod progress;
pub mod queue;
pub mod redact;
pub mod seats;
pub mod session;
pub mod sidecar;
pub mod spec;
pub mod stamp;
pub mod tree;
pub mod words;
