//! Proposal of verify commands from what a repository says about itself: pipelines, scripts, targets, manifests.
//!
//! [`RepositoryFiles`] reads, [`propose_commands`] decides and is pure. What pipelines and tasks say counts first, then
//! the conventions of the main [`toolchain`]: [`cargo`], [`go`], [`jvm`], [`node`], [`python`], [`ruby`].

mod cargo;
mod go;
mod jvm;
mod node;
mod proposal;
mod python;
mod ruby;
#[cfg(test)]
mod tests;
mod toolchain;

pub use proposal::{ProposedCommand, ProposedCommands, RepositoryFiles, propose_commands};
