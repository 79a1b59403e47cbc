//! `charrette design`: from a request to an approved specification.
//!
//! [`FLOW`] is the command as a value. [`flow`] reads like its description; everything else here is one part of it each.
//! [`seats`] and `level_seats` are its seats, [`stages`] its stages, [`artifacts`] its files; `preview` and `closing` are what
//! it says before and after.

mod answer_lines;
pub mod artifacts;
mod brief;
mod closing;
mod command;
mod difference;
mod first_gate;
mod flow;
mod hand_over;
mod last_gate;
mod level_seats;
mod levels;
mod plan;
mod preview;
mod research;
mod rounds;
mod seats;
mod set_up;
mod sketches;
mod specification;
pub mod stages;
mod tracker;
mod validate;

pub use brief::{DesignFlags, PHASES};
pub use command::FLOW;
pub use level_seats::level_seats;
pub use seats::sketches;
