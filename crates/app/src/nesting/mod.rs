//! Nested runs: a design called by another run, and a design whose heavy part a worker process does.
//!
//! [`session`] is the session file of a calling run, with its health file; [`caller`] writes the results for that run,
//! [`worker`] starts the worker process, and [`context`] applies all of it to a run that is driven. Rules, lists and
//! texts are in the model, the dispatch itself in the engine.

mod caller;
mod context;
mod session;
mod worker;

pub use context::{Nesting, WorkerMode};
pub use session::Session;
