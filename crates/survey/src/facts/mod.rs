//! What can be said about a repository without judging: [`commands`] its own pipelines run, [`conventions`],
//! [`risks`] that stand in the code, which [`tests`] cover what, how files changed ([`changes`]), and what it is written in and built on ([`stack`]).

pub(crate) mod changes;
pub(crate) mod commands;
pub(crate) mod conventions;
mod judge;
mod manifests;
mod pipelines;
pub(crate) mod risks;
pub(crate) mod stack;
pub(crate) mod tests;
