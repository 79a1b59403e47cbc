//! `charrette checkpoint`: state documents as plumbing, for scripts and other tools.
//!
//! [`plumbing`] has the five calls of the contract, which never fail: they log one line and print `null` or `false`.
//! [`inspect`] prints documents and their history, [`gc`] removes old ones.

mod arguments;
mod gc;
mod inspect;
mod plumbing;

pub(crate) use arguments::{CheckpointArgs, CommandName, checkpoint};
