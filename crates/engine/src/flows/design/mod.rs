//! `charrette design`: from a request to an approved specification.
//!
//! [`flow`] reads like the description of the command; everything else here is one part of it each. What is asked
//! of the place a design is made in, git and the survey, comes through [`Studio`], what is asked of a tracker through
//! [`Tracker`].

mod answer_lines;
mod brief;
mod difference;
mod first_gate;
mod flow;
mod last_gate;
mod levels;
mod plan;
mod research;
mod rounds;
mod set_up;
mod sketches;
mod specification;
mod studio;
mod tracker;
mod validate;

pub use brief::{Brief, Design, PHASES};
pub use studio::{BranchOrder, Branched, Entrance, Refusal, Studio};
pub use tracker::{IssueOrder, Standing, Tracker, TrackerError};
