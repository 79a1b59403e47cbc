//! The embedded agent: every seat that may be taken without a model, filled from the survey and the artifacts the
//! seat reads.
//!
//! [`draft`] is called with a seat's id and answers in that seat's grammar. Each seat has a module or a part of one;
//! what they share is in [`ground`] (facts worth citing) and [`plan_text`] (a plan read back). Drafts are pure
//! functions: the same inputs give the same text, byte for byte.
//!
//! It never pretends. Debates, judgements and code are not here; every claim cites a place that exists, every draft
//! says that no model took part, and what cannot be known from files is left to a person, by name.

mod diagram;
mod draft;
mod ground;
mod inputs;
mod levels;
mod merge;
mod plan;
mod plan_text;
mod questions;
mod research;
mod review;
mod revise;
mod sketch;
mod spec;
mod summary;
mod synthesis;
mod topic;
mod topic_notes;
mod validate;
mod verbs;
mod vote;

pub use draft::{DraftError, draft};
pub use inputs::{Files, Inputs, WorkTree};
pub use merge::reviewer_label;
