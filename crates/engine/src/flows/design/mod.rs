//! `charrette design`: from a request to an approved specification.
//!
//! [`flow`] reads like the description of the command; everything else here is one part of it each. What is asked
//! of the place a design is made in, git and the survey, comes through [`Studio`], what is asked of a tracker through
//! [`Tracker`]; a run that called this one is a [`Caller`], and a [`HeavyWorker`] does the heavy part in another process.

mod answer_lines;
mod brief;
mod caller;
mod difference;
mod first_gate;
mod flow;
mod heavy;
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
pub use caller::Caller;
pub use heavy::HeavyWorker;
pub use studio::{BranchOrder, Branched, Entrance, Refusal, Studio};
pub use tracker::{IssueOrder, Standing, Tracker, TrackerError};
