//! Branches: what a user's branches are called ([`name`]), what the current one is ([`state`]), and what to do
//! about it before a run ([`decision`]). [`create`] has the rules and answers of `charrette branch create`.
//!
//! Git itself is asked elsewhere; its answers come in as text.

pub mod create;
pub mod decision;
pub mod name;
pub mod state;

pub use decision::{Decision, decide};
pub use name::{branch_name, given_prefix, unused_branch_name, user_prefix};
pub use state::{BranchInfo, BranchState, MainBranch, Surroundings};
