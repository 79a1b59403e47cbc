//! Branches: names of a user's branches ([`name`]), classification of the current one ([`state`]), and the
//! choice between it and a new one before a run ([`decision`]). [`create`] has the rules and answers of
//! `charrette branch create`.
//!
//! Git itself is called elsewhere; its output comes in as text.

pub mod create;
pub mod decision;
pub mod name;
pub mod state;

pub use decision::{BranchDecision, decide};
pub use name::{branch_name, given_prefix, unused_branch_name, user_prefix};
pub use state::{BranchContext, BranchInfo, BranchState, MainBranch};
