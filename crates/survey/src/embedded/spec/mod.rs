//! The writer: the three files of a specification, in one answer.
//!
//! [`parts`] takes the plan apart; [`requirements`], [`design`] and [`tasks`] write one file each.

mod design;
mod parts;
mod requirements;
mod tasks;
mod write;

pub(super) use write::write;
