//! Tasks of a specification for people who implement them by hand, and for pipelines without a model.
//!
//! [`listing`] reads the tasks of a specification, [`mod@next`] says which can be done, [`done`] verifies and ticks one,
//! [`proofs`] checks the proofs of all; [`proving`] runs one.

pub mod done;
pub mod listing;
pub mod next;
pub mod proofs;
mod proving;
mod ticking;

pub use proving::ProofResult;
