//! The writer: the three files of a specification, in one answer.
//!
//! [`spec_inputs`] parses the plan; [`requirements`], [`design`] and [`tasks`] write one file each.

mod design;
mod requirements;
mod spec_inputs;
mod tasks;
mod write;

pub(super) use write::write;
