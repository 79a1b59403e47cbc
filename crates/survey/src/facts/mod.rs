//! Facts about a repository: [`commands`], [`conventions`], [`risks`] in the code ([`dropped_errors`],
//! [`open_notes`]), [`tests`] and what they cover,
//! [`changes`] of files, languages and dependencies ([`stack`]), commands to verify a change with ([`verify`]).

pub(crate) mod changes;
mod command_kind;
pub(crate) mod commands;
pub(crate) mod conventions;
mod dropped_errors;
mod manifests;
mod open_notes;
mod pipelines;
pub(crate) mod risks;
pub(crate) mod stack;
mod test_code;
pub(crate) mod tests;
pub(crate) mod verify;
