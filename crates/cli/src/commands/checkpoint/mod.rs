//! `charrette checkpoint`: state documents as plumbing, for scripts and other tools.
//!
//! [`plumbing`] has the five calls every caller relies on: they never fail, but log one line and print `null`
//! or `false`. [`inspect`] looks at documents and their history, [`gc`] tidies up.

mod arguments;
mod gc;
mod inspect;
mod plumbing;

pub(crate) use arguments::{CheckpointArgs, CommandName, checkpoint};
