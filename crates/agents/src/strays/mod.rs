//! Processes that agents leave behind, and how they are told from everybody else's.
//!
//! Each driver of agents puts itself on record under a name of its own before it starts the first one
//! ([`driver`]), and every agent carries that name in its environment, together with its lane. A driver's record
//! is locked for as long as it lives, so a record that can be locked belongs to a dead one; whatever still
//! carries its name is a stray ([`reap`]). [`processes`] looks at the processes of the machine. A process without
//! the name is never touched, nor are we or those that started us.

mod driver;
mod processes;
mod reap;

pub use driver::{Driver, LANE_VARIABLE};
pub use reap::{Stray, reap, strays};
pub(crate) use reap::{adopting, sweep_lane};
