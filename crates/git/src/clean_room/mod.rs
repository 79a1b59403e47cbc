//! Overrides that keep git from starting programs which a repository's own configuration names.
//!
//! Programs of the user's and the system's configuration run, because honest filters such as LFS are set there. Programs
//! that only the repository's configuration, its includes or a submodule's configuration name are switched off, or replaced
//! by the user's own where the user has one. Each repository is asked for its configuration once per process, and again
//! when one of the files that decide about it has changed: [`reader`] reads, [`programs`] decides, and [`room`] is what one
//! call is started with. Where something cannot be read the call fails: git does not start without its clean room.

mod folders;
mod gitlinks;
mod plain;
mod programs;
mod questions;
mod reader;
mod room;
mod settings;
mod watched;

pub(crate) use programs::{Override, Replacements};
pub(crate) use reader::Place;
pub(crate) use room::CleanRoom;
