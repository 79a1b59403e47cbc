//! A design inside another run, and a design whose heavy part another process does.
//!
//! [`session`] is the file with which a calling run hands values over, with its health file, [`caller`] is what that
//! run gets back, [`worker`] starts the process that does the heavy part, and [`place`] puts all of it around a
//! design that is driven. Rules, lists and sentences are in the model, the dispatch itself in the engine.

mod caller;
mod place;
mod session;
mod worker;

pub use place::{Nesting, Part};
pub use session::Session;
