//! The embedded agent: drafts for every seat that may be taken without a model, made from the survey and the
//! artifacts the seat reads.
//!
//! [`draft`] is called with a seat's id and answers in that seat's grammar. Each seat has a module or a part of one;
//! they share [`citable_facts`], [`person`] (what the person said) and [`plan_text`] (a parsed plan). Drafts are pure functions: the same inputs give the
//! same text, byte for byte.
//!
//! It never pretends: there are no debates, judgements or code here; every claim cites a place that exists, every
//! draft says that no model took part, and open points are left to a person explicitly.

mod citable_facts;
mod diagram;
mod draft;
mod inputs;
mod levels;
mod merge;
mod person;
mod plan;
mod plan_sections;
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
mod walk;

pub use draft::{DraftError, draft};
pub use inputs::{DraftInputs, RepositoryFiles, WorkTree};
pub use merge::reviewer_label;
