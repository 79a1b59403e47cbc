//! `charrette design`: from a request to an approved specification.
//!
//! [`FLOW`] is its `FlowSpec`, [`flow`] the flow; the other modules are its steps. [`seats`] and `level_seats` are its
//! seats, [`stages`] its stages, [`artifacts`] its files; `preview` and `closing` are the pages before and after a run.

mod artifact_readers;
pub mod artifacts;
mod brief;
mod closing;
mod command;
mod correction;
mod discussions;
mod entry;
mod flow;
mod given_answers;
mod level_seats;
mod levels;
mod nesting;
mod plan;
mod post_design_gate;
mod pre_design_gate;
mod preview;
mod research;
mod seat_kinds;
mod seats;
mod sketches;
mod specification;
pub mod stages;
mod tracker;
mod validate;

pub use brief::{DesignFlags, PHASES};
pub use command::FLOW;
pub use level_seats::level_seats;
pub use seats::sketches;
