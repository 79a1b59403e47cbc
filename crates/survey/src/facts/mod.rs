//! Facts about a repository: [`commands`], [`conventions`], [`risks`] in the code, [`tests`] and what they cover,
//! [`changes`] of files, languages and dependencies ([`stack`]).

pub(crate) mod changes;
mod command_kind;
pub(crate) mod commands;
pub(crate) mod conventions;
mod manifests;
mod pipelines;
pub(crate) mod risks;
pub(crate) mod stack;
pub(crate) mod tests;
