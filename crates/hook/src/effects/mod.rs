//! Effects of a command line, found by reading it.
//!
//! [`walk`] goes through the syntax tree and follows folders, variables, functions and text in pipes; [`simple`] has one
//! simple command: builtins, [`wrappers`], shells and interpreters ([`interpreters`]), [`git`], programs that change files
//! ([`files`], [`find`]) and programs known to only read ([`readers`]). [`effect`] is the result, [`surroundings`] what
//! must be known about the machine.

pub(crate) mod effect;
mod files;
mod find;
mod git;
mod interpreters;
mod options;
mod output;
mod readers;
mod scope;
mod simple;
pub(crate) mod surroundings;
mod walk;
mod wrappers;

pub(crate) use effect::{Danger, Effect, GitAct, GitKind, Target, WriteAct};
pub(crate) use surroundings::{Place, Surroundings};
pub(crate) use walk::effects_of;
