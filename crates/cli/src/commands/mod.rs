//! One file per command: its arguments and what it wires together.

pub(crate) mod abandon;
pub(crate) mod agents;
pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod ballot;
pub(crate) mod branch;
pub(crate) mod check;
pub(crate) mod checkpoint;
pub(crate) mod collect;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod decisions;
pub(crate) mod design;
pub(crate) mod design_heavy;
pub(crate) mod diagram;
pub(crate) mod dirty_tree;
pub(crate) mod doctor;
pub(crate) mod findings;
pub(crate) mod flags;
pub(crate) mod gate;
pub(crate) mod handoff;
pub(crate) mod ledger;
pub(crate) mod manifest;
mod raw;
pub(crate) mod resume;
pub(crate) mod roles;
pub(crate) mod session_env;
pub(crate) mod status;
pub(crate) mod survey;
pub(crate) mod tokens;
pub(crate) mod verdict;
pub(crate) mod which;
pub(crate) mod why;

mod dispatch;

pub(crate) use dispatch::run;
